import { expect, test } from "vitest";
import { stubContext } from "../../../test/support/stub-context.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { type Request, retailers } from "../../client/requests.ts";
import { sameContent } from "./product-comparison.ts";
import { type PairRow, type StatusRow, section } from "./rows.ts";

/** The outcome of the only check of a section, where these responses are given in turn to each path. */
async function outcomeOf(row: Parameters<typeof section>[1][number], responses: Record<string, Exchange[]>) {
  const sent: string[] = [];
  const send = async ({ path }: Request) => {
    sent.push(path);
    return responses[path]?.shift() ?? errorOf(404, "not_found");
  };
  const context = await stubContext(undefined, { ask: send, shared: send, control: send });
  const outcome = await section("errors", [row]).checks[0]?.run(context);
  return { kind: outcome?.kind, findings: outcome?.findings, sent };
}

// Rows of statuses: each is broken by a fault of the proof.

test("a row with nothing to change does not apply, if it says why", async () => {
  const none = { code: "key-without-case" } as const;
  const row: StatusRow = { id: "errors.shape/made-up", title: "Made up", bad: () => [], expect: 404, none };
  expect(await outcomeOf(row, {})).toMatchObject({ kind: "notApplicable", findings: [none] });
});

const [a, b] = ["/a", "/b"].map((path) => ({ ...retailers(), path })) as [Request, Request];
const pair: PairRow = {
  id: "errors.shape/made-up",
  title: "Made up",
  ways: () => [[a, b]],
  view: sameContent("second-key"),
};
const of = (...slugs: readonly string[]) =>
  exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });

test.each<[string, Exchange[], Exchange[], object]>([
  ["that look alike are not asked again", [of("x")], [of("x")], { kind: "pass", sent: ["/a", "/b"] }],
  [
    "that differ in the same way again fail",
    [of("x"), of("x")],
    [of("y"), of("y")],
    { kind: "fail", sent: ["/a", "/b", "/b", "/a"] },
  ],
  [
    "of which one changes by itself are not compared",
    [of("x"), of("y")],
    [of("y"), of("y")],
    { kind: "pass" },
  ],
  [
    "that two replicas give by turns are not compared",
    [of("x"), of("y")],
    [of("y"), of("x")],
    { kind: "pass" },
  ],
])("two ways %s", async (_name, first, second, expected) => {
  expect(await outcomeOf(pair, { "/a": first, "/b": second })).toMatchObject(expected);
});
