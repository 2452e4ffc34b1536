import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { startStubCatalog } from "../../test/support/stub-catalog.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { category, usual } from "../../test/support/stub-discovery.ts";
import { listChecks } from "../suite/all.ts";
import { type JudgeOptions, judgeService } from "./judge-service.ts";

const { signal } = new AbortController();
/** A few sections with few requests, and one rule. */
const some = { only: ["retailers", "retailer", "by-id", "errors.shape"], skip: [] };

async function judgeStub(change: Partial<JudgeOptions> = {}) {
  await using stub = await startStubCatalog(usual);
  const target = stubTarget(stub.baseUrl, { categories: [category] });
  return await judgeService({ target, maxRequests: 500, selection: some, signal, ...change });
}

describe("a service", () => {
  test("is judged part by part, with its headings, the rules last", async () => {
    const results: CheckResult[] = [];
    const headings: string[] = [];
    const { requirements, traffic } = await judgeStub({
      onResult: (result) => results.push(result),
      onHeading: ({ heading, results: own }) => {
        headings.push(heading);
        expect(own.length).toBeGreaterThan(0);
      },
    });
    const judged = new Set(results.map(({ id }) => id));
    const expected = new Set(listChecks().flatMap(({ id, heading }) => (judged.has(id) ? heading : [])));
    expect(headings.toSorted()).toEqual([...expected].toSorted());
    expect(headings.at(-1)).toBe("Every response of the run");
    const checks = requirements.flatMap((requirement) => requirement.checks);
    expect(new Set(checks.map(({ id }) => id))).toEqual(judged);
    expect(checks.filter(({ verdict }) => verdict === "error")).toEqual([]);
    expect(traffic.requests.total).toBeGreaterThan(0);
  });

  test("keeps its results when the run is interrupted", async () => {
    const abort = new AbortController();
    const { requirements } = await judgeStub({ signal: abort.signal, onHeading: () => abort.abort() });
    const checks = requirements.flatMap((requirement) => requirement.checks);
    const isReached = ({ findings }: CheckResult) => !findings?.some(({ code }) => code === "not-reached");
    expect(checks.filter(isReached).length).toBeGreaterThan(0);
    const rule = checks.find(({ id }) => id === "errors.shape/every-response");
    expect(rule).toMatchObject({ verdict: "inconclusive", findings: [{ code: "not-reached" }] });
  });

  test("gets no burst when the config avoids it; checks that need one are not judged and excused", async () => {
    await using stub = await startStubCatalog(usual);
    const target = stubTarget(stub.baseUrl, { categories: [category], avoid: ["burst"] });
    const selection = { only: ["limits", "errors.rate-limited", "errors.retry-after"], skip: [] };
    const { requirements, traffic } = await judgeService({ target, maxRequests: 500, selection, signal });
    const avoided = requirements.filter(({ excused }) => excused === "avoided");
    expect(avoided.map(({ id, verdict }) => [id, verdict])).toEqual(
      [
        "limits.rate",
        "limits.honest-wait",
        "limits.per-organization",
        "errors.rate-limited",
        "errors.retry-after",
      ].map((id) => [id, "inconclusive"]),
    );
    expect(traffic.rateLimit.accepted).toBeUndefined();
    // Checks that burst are marked, since public addresses need permission for them.
    const bursting = listChecks().filter(({ bursts }) => bursts === true);
    const inBurst = avoided.filter(({ id }) => id.startsWith("limits.")).flatMap(({ checks }) => checks);
    expect(bursting.map(({ id }) => id)).toEqual(inBurst.map(({ id }) => id));
  });

  test("excuses rules of the rate limit with the checks that exceed it, unless they are named", async () => {
    const judged = async (only: readonly string[]) => {
      const { requirements } = await judgeStub({ selection: { only, skip: ["limits"] } });
      return requirements.map(({ id, verdict, excused }) => [id, excused ?? verdict]);
    };
    const excused = (await judged(["errors"])).filter(([, verdict]) => verdict === "avoided");
    expect(excused.map(([id]) => id)).toEqual(["errors.rate-limited", "errors.retry-after"]);
    expect(await judged(["errors.retry-after"])).toEqual([["errors.retry-after", "inconclusive"]]);
  });
});
