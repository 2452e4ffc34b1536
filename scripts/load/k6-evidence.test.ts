import { expect, test } from "vitest";
import { evidenceLine } from "../../scenarios/lib/log.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { createEvidence } from "./k6-process.ts";

const redaction = createRedaction([{ key: "canary-key-0123", shownAs: "$SHELFCHECK_API_KEY" }]);

/** Evidence of a response without a size, logged by the script and read by the runner. */
function evidenceOf(body: object | string, path = "/size") {
  const evidence = createEvidence(
    stubTarget("http://127.0.0.1:9/v1", { keys: { primary: "canary-key-0123" } }),
  );
  const response = {
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    timings: { duration: 3 },
  };
  const call = { name: "lookup-by-id", path: "/products/acme/B1" } as const;
  evidence.take(
    evidenceLine({ code: "null-value", path }, { call, response }, { redaction, requestIdHeader: "" }),
  );
  return evidence.kept[0]?.exchange.response;
}

test("the place that the finding names is marked, even in a long body", () => {
  const title = "x".repeat(200);
  const found = Array.from({ length: 50 }, (_, at) => ({ title, ...(at === 37 && { size: null }) }));
  const response = evidenceOf({ found }, "/found/37/size");
  const marked = response?.excerpts?.[0]?.lines.filter(({ mark }) => mark === "place");
  expect(marked).toEqual([{ text: '      "size": null', mark: "place" }]);
  expect(response?.cut).toEqual({ shown: 1000, of: JSON.stringify({ found }).length });
});

test("a key that is cut off is redacted in the part that is shown", () => {
  const response = evidenceOf({ title: "x".repeat(2000), size: "canary-key-0123" });
  const lines = response?.excerpts?.[0]?.lines;
  expect(lines).toContainEqual({ text: '  "size": "$SHELFCHECK_API_KEY"', mark: "place" });
  expect(JSON.stringify(response)).not.toContain("canary");
});

test("a body that is not JSON is shown as it was cut off", () => {
  const response = evidenceOf(`<html>${"x".repeat(2000)}</html>`);
  expect(response?.excerpts).toBeUndefined();
  expect(response?.body).toContain("… (");
});
