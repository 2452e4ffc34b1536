import { expect, test } from "vitest";
import { cachedBy, type StubFault, stubContext } from "../../../test/support/stub-context.ts";
import { byId, type Request } from "../../client/requests.ts";
import { refusalDoesNotStick, refusalRequests } from "./after-refusal.ts";

const outcomeOf = async (fault?: StubFault) => await refusalDoesNotStick(await stubContext(fault));

const idOf = ({ path }: Request) => path.split("/").at(-1) ?? "";
const gtinOf = ({ path }: Request) => new URLSearchParams(path.split("?")[1]).get("gtin") ?? path;
const keyOf = ({ caller, path }: Request) => `${caller} ${path}`;

test("a correct service passes, within the planned requests", async () => {
  const context = await stubContext();
  expect((await refusalDoesNotStick(context)).kind).toBe("pass");
  expect(context.sent.length).toBeLessThanOrEqual(refusalRequests);
});

test.each<[string, StubFault, status: number]>([
  ["the key", cachedBy(({ path }) => path), 401],
  ["the retailer", cachedBy((request) => `${request.caller} ${idOf(request)}`), 400],
  ["the case of an id", cachedBy((request) => keyOf(request).toLowerCase()), 404],
  ["the retailer of a GTIN", cachedBy((request) => `${request.caller} ${gtinOf(request)}`), 404],
])("a cache that ignores %s returns the refusal again", async (_name, fault, status) => {
  expect(await outcomeOf(fault)).toMatchObject({
    kind: "fail",
    findings: [{ code: "wrong-status", condition: "after-refusal", expected: [200], actual: status }],
    evidence: [{ response: { status } }, { response: { status } }],
  });
});

test("a cache that returns a product to a request without a key fails", async () => {
  const fault = cachedBy(
    ({ path }) => path,
    ({ response }) => response.status === 200,
  );
  expect(await outcomeOf(fault)).toMatchObject({
    kind: "fail",
    findings: [{ code: "wrong-status", condition: "no-key", expected: [401], actual: 200 }],
  });
});

test("another product after a refusal fails", async () => {
  const fault: StubFault = ({ caller }, correct, respond) =>
    caller === "primary" && correct.response.status === 200 ? respond(byId("acme", "item-9")) : correct;
  expect(await outcomeOf(fault)).toMatchObject({
    kind: "fail",
    findings: [{ code: "other-product", condition: "after-refusal", actual: "item-9" }],
  });
});
