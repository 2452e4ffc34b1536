import { describe, expect, test } from "vitest";
import type { CheckResult } from "../schemas/contracts/results.ts";
import type { Send, WireChange, WireRequest } from "../service/wire.ts";
import { exampleExchange } from "../test/support/samples/example.ts";
import "../test/support/samples/recorded.ts";
import { noting } from "./changes/change.ts";
import { judgeFault, judgeVariant } from "./trial.ts";

const check = (id: string, verdict: CheckResult["verdict"]): CheckResult => ({
  id,
  verdict,
  title: "",
  findings: [{ code: "recorded", subject: "Why." }],
  evidence: [],
});
const fault = { fails: ["query.limit/1"] } as const;
const expected = { always: ["query.limit", "query.url"], atTimes: ["query.paging"] };

describe("a fault", () => {
  test.each<[string, CheckResult[], string]>([
    ["its check alone", [check("query.limit/1", "fail"), check("query.limit/3", "pass")], "caught"],
    [
      "another check of its requirement too",
      [check("query.limit/1", "fail"), check("query.limit/3", "fail")],
      "caught",
    ],
    [
      "something else too, of which no snapshot says anything",
      [check("query.limit/1", "fail"), check("by-id.product/every-retailer", "fail")],
      "caught",
    ],
    [
      "only another check of its requirement",
      [check("query.limit/1", "pass"), check("query.limit/3", "fail")],
      "missed",
    ],
    ["a flaky warning on a MUST", [check("query.limit/1", "warn")], "missed"],
    ["a check that was not judged", [check("query.limit/1", "inconclusive")], "missed"],
    ["a check that did not run", [], "missed"],
    [
      "a check that crashed",
      [check("query.limit/1", "fail"), check("query.limit/3", "error")],
      "harness-error",
    ],
  ])("%s", (_name, checks, verdict) => {
    const judged = judgeFault(fault, checks);
    expect(judged.verdict).toBe(verdict);
    expect(judged.findings.length > 0).toBe(verdict !== "caught");
  });

  test("a warning counts where the requirement is only a SHOULD", () => {
    const should = { fails: ["retailer.name-given/every-entry"] };
    expect(judgeFault(should, [check("retailer.name-given/every-entry", "warn")]).verdict).toBe("caught");
  });

  test.each<[string, string[], string[]]>([
    ["what fails always", ["query.limit/1", "query.url/1"], []],
    ["what comes and goes too", ["query.limit/1", "query.url/1", "query.paging/1"], []],
    ["another check of the same requirement", ["query.limit/1", "query.limit/3", "query.url/2"], []],
    ["less than in the snapshot", ["query.limit/1"], ["only-in-snapshot query.url"]],
    ["more", ["query.limit/1", "query.url/1", "by-id.product/1"], ["not-in-snapshot by-id.product/1"]],
  ])("on a seed of the snapshot: %s", (_name, failing, differences) => {
    const judged = judgeFault(
      fault,
      failing.map((id) => check(id, "fail")),
      expected,
    );
    expect(judged.verdict).toBe(differences.length === 0 ? "caught" : "differs");
    expect(judged.findings.map(({ problem, check: id }) => `${problem} ${id}`)).toEqual(differences);
  });

  test("findings are data: the problem, the check and its findings", () => {
    const checks = [check("query.limit/1", "pass"), check("by-id.product/every-retailer", "fail")];
    expect(judgeFault(fault, checks, { always: ["query.url"], atTimes: [] }).findings).toEqual([
      { problem: "missed", check: "query.limit/1", verdict: "pass", detail: "Why." },
      { problem: "not-in-snapshot", check: "by-id.product/every-retailer", verdict: "fail", detail: "Why." },
      { problem: "only-in-snapshot", check: "query.url" },
    ]);
    expect(judgeFault(fault, []).findings).toEqual([{ problem: "missed", check: "query.limit/1" }]);
  });
});

test("a change is noted when a response differs or is missing, and not otherwise", async () => {
  const request: WireRequest = { method: "GET", path: "/", query: "", headers: {}, body: Buffer.alloc(0) };
  const honest: Send = async () => ({ status: 200, headers: {}, body: Buffer.from("{}") });
  const keys = { primary: "1", sameOrg: "2", otherOrg: "3", all: "4" };
  const noted = async (change: WireChange) => {
    let count = 0;
    const send = noting(change, () => count++)(honest, keys);
    await send(request).catch(() => undefined);
    return count;
  };
  expect(await noted((send) => send)).toBe(0);
  expect(await noted((send) => async (one) => ({ ...(await send(one)), status: 404 }))).toBe(1);
  expect(await noted((send) => (one) => send({ ...one, path: "/other" }))).toBe(1);
  expect(await noted(() => async () => Promise.reject(new Error("closed")))).toBe(1);
});

describe("a variant", () => {
  test("that changes no response proves nothing", () => {
    expect(judgeVariant({}, [check("query.limit/1", "pass")], false)).toMatchObject({
      verdict: "unproven",
      findings: [{ problem: "not-applied" }],
    });
  });

  test.each<[CheckResult["verdict"], Parameters<typeof judgeVariant>[0], string]>([
    ["pass", {}, "passed"],
    ["notApplicable", {}, "passed"],
    ["fail", {}, "unexpected-failure"],
    ["warn", {}, "unexpected-failure"],
    ["inconclusive", {}, "unexpected-failure"],
    ["error", {}, "harness-error"],
    ["inconclusive", { mayHinder: ["recorded"] }, "passed"],
    ["inconclusive", { mayHinder: ["catalog-changed"] }, "unexpected-failure"],
    ["fail", { mayHinder: ["recorded"] }, "unexpected-failure"],
  ])("a check with the verdict %s, with %j: %s", (verdict, variant, expected) => {
    expect(judgeVariant(variant, [check("query.limit/1", verdict)], true).verdict).toBe(expected);
  });
});

const finding = { code: "null-value", path: "/products/9/mpn", exchange: 0 } as const;
const evidence = (line: string, path: string = finding.path): CheckResult["evidence"] => [
  exampleExchange({
    status: 200,
    excerpts: [{ path, lines: [{ text: '"mpn": null' }, { text: line, mark: "place" }] }],
  }),
];
const text = { ...finding, code: "wrong-type", expected: "number", actual: "9.5" } as const;
const status = { code: "wrong-status", expected: [404], actual: 200 } as const;
const details = { status: 429 };
const missing = { code: "missing-header", subject: "Retry-After", details } as const;
const wrong = { ...missing, code: "wrong-header", expected: "whole-seconds", actual: "soon" } as const;

test.each<[string, CheckResult["findings"][number], CheckResult["evidence"], isShown: boolean]>([
  ["the value", finding, evidence('"mpn": null,'), true],
  ["another value", finding, evidence('"color": "Blue"'), false],
  ["another place", finding, evidence('"mpn": null,', "/other"), false],
  ["no exchange", finding, [], false],
  ["a text in quotes", text, evidence('"price": "9.5",'), true],
  ["a text without quotes", text, evidence('"price": 9.5,'), false],
  ["the status", status, evidence("{}"), true],
  ["another status", { ...status, actual: 500 }, evidence("{}"), false],
  ["another exchange", { ...status, exchange: 1 }, evidence("{}"), false],
  ["that a header is missing", missing, evidence("{}"), true],
  ["no exchange without the header", missing, [], false],
  ["no header with this value", wrong, evidence("{}"), false],
])("the exchange beside a finding must show what it is about: %s", (_name, one, shown, isShown) => {
  const failing: CheckResult = { ...check("a/b", "fail"), findings: [one], evidence: shown };
  const problems = judgeFault({ fails: ["a/b"] }, [failing]).findings.map(({ problem }) => problem);
  expect(problems).toEqual(isShown ? [] : ["not-shown"]);
});
