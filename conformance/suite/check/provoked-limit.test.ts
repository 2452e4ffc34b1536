import { describe, expect, test } from "vitest";
import { stubKeys } from "../../../test/support/stub-client.ts";
import { stubContext } from "../../../test/support/stub-context.ts";
import { discovered } from "../../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { NotJudged } from "../../client/outcome.ts";
import type { Request } from "../../client/requests.ts";
import type { Caller } from "../../client/target.ts";
import limits from "../statistics/limits.check.ts";
import type { CheckContext } from "./check.ts";
import { burstRequests, provokedLimit, refusedEverSince, sharedKeyRequests } from "./provoked-limit.ts";

const listed = () => exchangeOf("retailers", { retailers: [] });
const unavailable = () => errorOf(503, "unavailable", { endpoint: "retailers" });
const refused = () => errorOf(429, "rate_limited", { endpoint: "retailers" });

/** A target with a second key, which responds to the requests of bursts by caller and number. */
async function contextOf(
  respond: (caller: Caller, count: number) => Exchange | NotJudged,
  keys: Partial<typeof stubKeys> = { primary: stubKeys.primary, sameOrg: stubKeys.sameOrg },
): Promise<CheckContext & { sent: () => number }> {
  const { fixtures } = await discovered({}, { keys });
  let sent = 0;
  const context = await stubContext(listed, {
    fixtures,
    async sendAtOnce({ caller }) {
      const response = respond(caller, ++sent);
      if (response instanceof NotJudged) throw response;
      return response;
    },
  });
  return { ...context, sent: () => sent };
}

describe("provoking the rate limit", () => {
  test("ends at its maximum when there is none, with growing bursts", async () => {
    const { refusal, sent } = await provokedLimit(await contextOf(listed));
    expect(refusal).toBeUndefined();
    expect(sent).toBe(burstRequests);
  });

  test("passes by a cache that no header shows", async () => {
    const { fixtures } = await discovered({}, { keys: stubKeys });
    const sendAtOnce = async ({ path }: Request) => (path.includes("unused=") ? refused() : listed());
    const context = await stubContext(listed, { fixtures, sendAtOnce, sleep: async () => undefined });
    const { refusal, primary } = await provokedLimit(context);
    expect(refusal?.response.status).toBe(429);
    expect(primary.every(({ response }) => response.status === 429)).toBe(true);
  });

  test("takes 503 for a refusal only where the burst has many, not where the service fails at times", async () => {
    const every = (nth: number) =>
      contextOf((_, count) => (count % nth === 0 ? unavailable() : listed())).then(provokedLimit);
    expect((await every(50)).otherwise).toBeUndefined();
    expect((await every(3)).otherwise?.response.status).toBe(503);
  });

  test("asks again after the shortest wait of concurrent refusals", async () => {
    const waiting = (seconds: number) =>
      errorOf(429, "rate_limited", { headers: { "retry-after": `${seconds}` } });
    let count = 0;
    const context = await contextOf(() => waiting(++count % 3 === 0 ? 0 : 1));
    const { waitSeconds } = await provokedLimit({ ...context, sleep: async () => undefined });
    expect(waitSeconds).toBe(0);
  });

  test("asks once more when the connection breaks after the wait", async () => {
    const broke = new NotJudged({ code: "no-answer", subject: "reset" });
    let sinceWait: number | undefined;
    const context = await contextOf(() => {
      if (sinceWait === undefined) return errorOf(429, "rate_limited", { headers: { "retry-after": "1" } });
      sinceWait += 1;
      return sinceWait === 1 ? broke : listed();
    });
    const sleep: CheckContext["sleep"] = async (_, reason) => {
      if (reason === "announced") sinceWait = 0;
    };
    expect((await provokedLimit({ ...context, sleep })).afterWait?.response.status).toBe(200);
  });

  test("ignores connections that break under load", async () => {
    const broke = new NotJudged({ code: "no-answer", subject: "reset" });
    const { refusal, primary, sameOrg } = await provokedLimit(
      await contextOf((_, count) => (count % 7 === 0 ? broke : refused())),
    );
    expect(refusal?.response.status).toBe(429);
    expect(primary.length).toBeGreaterThan(10);
    expect(sameOrg.length).toBeGreaterThan(10);
  });

  test("throws the reason when no response arrives", async () => {
    const spent = new NotJudged({ code: "budget-spent", subject: "requests", expected: 100 });
    await expect(provokedLimit(await contextOf((_, count) => (count > 100 ? spent : listed())))).rejects.toBe(
      spent,
    );
  });

  test("sends with all keys in turn, the refused one first and last", async () => {
    const callers: Caller[] = [];
    const context = await contextOf((caller) => {
      callers.push(caller);
      return refused();
    });
    const { primary, sameOrg } = await provokedLimit(context);
    expect(primary).toHaveLength(sameOrg.length);
    const first = callers.indexOf("sameOrg");
    // The primary key in its other header comes between the two requests with the second key.
    expect(callers.slice(first - 1, first + 9)).toStrictEqual(
      [..."pspsppspsp"].map((letter) => (letter === "p" ? "primary" : "sameOrg")),
    );
  });

  test.each(["Authorization", "X-Api-Key"] as const)(
    "tries the key in the header other than %s",
    async (used) => {
      const context = await contextOf(refused);
      const headers: Request["keyHeader"][] = [];
      const { otherHeader } = await provokedLimit({
        ...context,
        async sendAtOnce({ caller, keyHeader }) {
          if (caller === "primary") headers.push(keyHeader);
          const refusal = refused();
          return { ...refusal, request: { ...refusal.request, headers: { [used]: "key" } } };
        },
      });
      const other = used === "Authorization" ? "X-Api-Key" : "Authorization";
      expect(new Set(headers)).toEqual(new Set(["either", other]));
      expect(otherHeader).toHaveLength(headers.filter((header) => header === other).length);
    },
  );

  test("sends more when the limit recovers quickly, within the planned requests", async () => {
    const context = await contextOf((_, count) => (count === 60 ? refused() : listed()));
    await provokedLimit(context);
    const burst = 60;
    const oneOfEachEndpoint = 60 + 6;
    expect(context.sent()).toBeGreaterThan(burst + sharedKeyRequests / 2);
    // 4, 8 and 16 rounds with two keys of the organization.
    expect(context.sent()).toBeLessThanOrEqual(burst + oneOfEachEndpoint + sharedKeyRequests);
  });
});

test.each([
  ["limits.per-organization/keys-share", "pass"],
  ["limits.per-organization/headers-share", "fail"],
])("a limit for each header, which the keys share: %s is %s", async (id, kind) => {
  const check = limits.checks.find((one) => one.id === id);
  const context = await contextOf(refused);
  const outcome = await check?.run({
    ...context,
    async sendAtOnce({ keyHeader }) {
      const header = keyHeader === "X-Api-Key" ? "X-Api-Key" : "Authorization";
      const response = header === "X-Api-Key" ? listed() : refused();
      return { ...response, request: { ...response.request, headers: { [header]: "key" } } };
    },
  });
  expect(outcome?.kind).toBe(kind);
});

describe("requests that are neither accepted nor refused by the limit leave it open whether it applies to them", () => {
  const run = async (name: string, respond: Parameters<typeof contextOf>[0]) => {
    const check = limits.checks.find(({ id }) => id === `limits.per-organization/${name}`);
    return await check?.run(await contextOf(respond, stubKeys));
  };

  test.each([
    ["keys-share", "sameOrg"],
    ["other-untouched", "otherOrg"],
  ])("%s: with their most frequent status", async (name, subject) => {
    let count = 0;
    const respond = (caller: Caller) =>
      caller !== subject
        ? refused()
        : count++ === 0
          ? errorOf(504, "gateway_timeout")
          : errorOf(403, "forbidden");
    const reason: unknown = await run(name, respond).catch((error: unknown) => error);
    expect(reason).toMatchObject({
      finding: {
        code: "limit-not-shown",
        subject,
        actual: 403,
        seen: { count: count - 1, total: count },
      },
      exchange: { response: { status: 403 } },
    });
    expect(count).toBeGreaterThan(2);
  });

  test("other-untouched: where the limit opened before they were sent, so that the first were accepted too", async () => {
    const respond = (_: Caller, count: number) => (count < 150 ? refused() : listed());
    await expect(run("other-untouched", respond)).rejects.toMatchObject({
      finding: { code: "limit-unclear" },
    });
  });

  test.each([
    ["1", "pass"],
    ["20", "limit-unclear"],
  ])(
    "other-untouched: where it was refused for %s s before, and the first is refused for 1 s",
    async (wait, seen) => {
      const waiting = (seconds: string) =>
        errorOf(429, "rate_limited", { headers: { "retry-after": seconds } });
      const check = limits.checks.find(({ id }) => id === "limits.per-organization/other-untouched");
      const context = await contextOf(
        (caller) => (caller === "otherOrg" ? listed() : waiting("1")),
        stubKeys,
      );
      const exchanges = [{ ...waiting(wait), caller: "otherOrg" as const }];
      const outcome = await check
        ?.run({ ...context, exchanges, sleep: async () => undefined })
        .catch((error: unknown) => error);
      expect(outcome).toMatchObject(seen === "pass" ? { kind: "pass" } : { finding: { code: seen } });
    },
  );

  test.each([
    ["keys-share", "sameOrg"],
    ["other-untouched", "otherOrg"],
  ])("%s: without any response", async (name, subject) => {
    const broke = new NotJudged({ code: "no-answer", subject: "reset" });
    await expect(run(name, (caller) => (caller === subject ? broke : refused()))).rejects.toMatchObject({
      finding: { code: "limit-not-shown", subject, seen: { count: 0, total: 0 } },
    });
  });
});

describe("refusals that do not end when they say", () => {
  /** Requests one after the other, `seconds` apart, each refused for a second. */
  const series = (count: number, seconds: number): Exchange[] =>
    Array.from({ length: count }, (_, place) => ({
      ...errorOf(429, "rate_limited", { headers: { "retry-after": "1" } }),
      sentAt: place * seconds * 1000,
    }));
  const shownBy = (...exchanges: Exchange[]) => refusedEverSince({ exchanges });

  test("show once several waits in a row were kept in vain, after requests that were accepted", () => {
    const refusals = series(7, 1.1);
    const [refusal, afterWait] = refusals;
    expect(shownBy(listed(), ...refusals)).toEqual({ refusal, afterWait, waitSeconds: 1 });
  });

  test.each<[string, Exchange[]]>([
    ["none was accepted before", series(7, 1.1)],
    ["one was accepted since", [listed(), ...series(7, 1.1), listed()]],
    ["the waits were not kept", [listed(), ...series(9, 0.9).slice(0, 7)]],
    ["there were few of them", [listed(), ...series(6, 1.1)]],
  ])("do not show when %s", (_name, exchanges) => {
    expect(shownBy(...exchanges)).toBeUndefined();
  });
});
