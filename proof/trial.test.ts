import { describe, expect, test } from "vitest";
import type { CheckResult } from "../schemas/contracts/results.ts";
import type { Send, WireChange, WireRequest } from "../service/wire.ts";
import "../test/support/samples/recorded.ts";
import { noting } from "./effect.ts";
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

  test.each<[CheckResult["verdict"], string]>([
    ["pass", "passed"],
    ["notApplicable", "passed"],
    ["fail", "unexpected-failure"],
    ["warn", "unexpected-failure"],
    ["inconclusive", "unexpected-failure"],
    ["error", "harness-error"],
  ])("a check with the verdict %s: %s", (verdict, expectedVerdict) => {
    expect(judgeVariant({}, [check("query.limit/1", verdict)], true).verdict).toBe(expectedVerdict);
  });

  test("a check may stay not judged for a reason that the variant names", () => {
    const notJudged = [check("query.limit/1", "inconclusive")];
    expect(judgeVariant({ mayHinder: ["recorded"] }, notJudged, true).verdict).toBe("passed");
    expect(judgeVariant({ mayHinder: ["catalog-changed"] }, notJudged, true).verdict).toBe(
      "unexpected-failure",
    );
  });

  test("a check that is named may stay not judged, but must not fail", () => {
    const named = { mayStayNotJudged: ["query.limit/1"] } as const;
    expect(judgeVariant(named, [check("query.limit/1", "inconclusive")], true).verdict).toBe("passed");
    expect(judgeVariant(named, [check("query.limit/3", "inconclusive")], true).verdict).toBe(
      "unexpected-failure",
    );
    expect(judgeVariant(named, [check("query.limit/1", "fail")], true).verdict).toBe("unexpected-failure");
  });
});

describe("the part of the body beside a finding", () => {
  const finding = { code: "null-value", path: "/products/9/mpn", exchange: 0 } as const;
  const evidence = (line: string, path: string = finding.path): CheckResult["evidence"] => [
    {
      request: { method: "GET", url: "http://t.example/v1/products", headers: {} },
      response: {
        status: 200,
        headers: {},
        body: "{}",
        milliseconds: 1,
        excerpts: [{ path, lines: [{ text: '"mpn": null' }, { text: line, mark: "place" }] }],
      },
      curl: "curl",
    },
  ];
  const problems = (one: Partial<CheckResult>) =>
    judgeFault({ fails: ["a/b"] }, [
      { id: "a/b", title: "t", verdict: "fail", findings: [], evidence: [], ...one },
    ]).findings.map(({ problem }) => problem);

  test("must highlight the offending value", () => {
    expect(problems({ findings: [finding], evidence: evidence('"mpn": null,') })).toEqual([]);
    expect(problems({ findings: [finding], evidence: evidence('"color": "Blue"') })).toEqual(["not-shown"]);
    expect(problems({ findings: [finding], evidence: evidence('"mpn": null,', "/other") })).toEqual([
      "not-shown",
    ]);
    expect(problems({ findings: [finding], evidence: [] })).toEqual(["not-shown"]);
    const text = { ...finding, code: "wrong-type", expected: "number", actual: "9.5" } as const;
    expect(problems({ findings: [text], evidence: evidence('"price": "9.5",') })).toEqual([]);
    expect(problems({ findings: [text], evidence: evidence('"price": 9.5,') })).toEqual(["not-shown"]);
  });

  test("must show the exchange of a finding about a status or header", () => {
    const shown = evidence("{}");
    const status = { code: "wrong-status", expected: [404], actual: 200 } as const;
    const missing = { code: "missing-header", subject: "Retry-After", details: { status: 429 } } as const;
    const wrong = {
      code: "wrong-header",
      subject: "Retry-After",
      expected: "whole-seconds",
      actual: "soon",
      details: { status: 429 },
    } as const;
    expect(problems({ findings: [status, missing], evidence: shown })).toEqual([]);
    expect(problems({ findings: [{ ...status, actual: 500 }], evidence: shown })).toEqual(["not-shown"]);
    expect(problems({ findings: [{ ...status, exchange: 1 }], evidence: shown })).toEqual(["not-shown"]);
    expect(problems({ findings: [missing], evidence: [] })).toEqual(["not-shown"]);
    expect(problems({ findings: [wrong], evidence: shown })).toEqual(["not-shown"]);
  });
});
