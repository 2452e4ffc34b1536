import { describe, expect, test } from "vitest";
import { stubKeys } from "../../../test/support/stub-client.ts";
import { stubContext } from "../../../test/support/stub-context.ts";
import { discovered } from "../../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Request } from "../../client/requests.ts";
import type { Caller } from "../../client/target.ts";
import { type KeyInRole, present } from "../../discovery/fixtures.ts";
import { failed, NotJudged, type Outcome, passed } from "../../requirements/outcome.ts";
import limits from "../limits.check.ts";
import type { CheckContext } from "./check.ts";
import {
  aroundWave,
  burstRequests,
  inWave,
  inWaves,
  isRefusal,
  ofSameOrganization,
  type ProvokedLimit,
  provokedLimit,
  refusedOtherwise,
  secondKeySharesLimit,
  sharing,
} from "./provoked-limit.ts";

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
    sleep: async () => undefined,
    async sendAtOnce({ caller }) {
      const response = respond(caller, ++sent);
      if (response instanceof NotJudged) throw response;
      return response;
    },
  });
  return { ...context, sent: () => sent };
}

describe("provoking the rate limit", () => {
  test("ends at its maximum when there is none, with a growing burst", async () => {
    const { refusal, sent } = await provokedLimit(await contextOf(listed));
    expect(refusal).toBeUndefined();
    expect(sent).toBe(burstRequests);
  });

  test("sends batches where a cache gave a list", async () => {
    const context = await contextOf(listed);
    const kept = exchangeOf("retailers", { retailers: [] }, { headers: { "x-cache": "HIT" } });
    const sent: Request[] = [];
    const sendAtOnce: CheckContext["sendAtOnce"] = async (request) => {
      sent.push(request);
      return listed();
    };
    await provokedLimit({ ...context, exchanges: [kept], sendAtOnce });
    expect(new Set(sent.map(({ endpoint }) => endpoint))).toEqual(new Set(["batch"]));
  });

  test("takes 503 for a refusal only where the burst has many, not where the service fails at times", async () => {
    const every = async (nth: number) =>
      refusedOtherwise(
        await provokedLimit(await contextOf((_, count) => (count % nth === 0 ? unavailable() : listed()))),
      );
    expect(await every(10)).toBeUndefined();
    expect((await every(3))?.response.status).toBe(503);
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
    const { refusal, wave } = await provokedLimit(
      await contextOf((_, count) => (count % 7 === 0 ? broke : refused())),
    );
    expect(refusal?.response.status).toBe(429);
    expect(wave.primary?.length).toBeGreaterThan(inWave / 2);
    expect(wave.sameOrg?.length).toBeGreaterThan(inWave / 2);
  });

  test("throws the reason when no response arrives", async () => {
    const spent = new NotJudged({ code: "budget-spent", subject: "requests", expected: 100 });
    await expect(provokedLimit(await contextOf((_, count) => (count > 100 ? spent : listed())))).rejects.toBe(
      spent,
    );
  });

  test("sends with all keys in turn, each of them first and last", async () => {
    const callers: Caller[] = [];
    const context = await contextOf((caller) => {
      callers.push(caller);
      return refused();
    });
    const { wave } = await provokedLimit(context);
    expect(wave.primary).toHaveLength(inWave);
    expect(wave.sameOrg).toHaveLength(inWave);
    // The primary key in its other header comes between the two.
    expect(
      callers
        .slice(-3 * inWave)
        .slice(0, 6)
        .map((caller) => caller[0]),
    ).toStrictEqual([..."ppsspp"]);
  });

  test("sends the wave again while the limit does not hold", async () => {
    const waves = (held: number) => burstRequests + held * (aroundWave / 4 + 2 * inWave);
    const context = await contextOf((_, count) =>
      count === burstRequests || count > waves(2) ? refused() : listed(),
    );
    const { wave } = await provokedLimit(context);
    expect(wave.primary?.every(isRefusal)).toBe(true);
    expect(context.sent()).toBe(waves(3));
  });

  test.each(["Authorization", "X-Api-Key"] as const)(
    "tries the key in the header other than %s",
    async (used) => {
      const headers: Request["keyHeader"][] = [];
      const { wave } = await provokedLimit({
        ...(await contextOf(refused)),
        async sendAtOnce({ caller, keyHeader }) {
          if (caller === "primary") headers.push(keyHeader);
          const refusal = refused();
          return { ...refusal, request: { ...refusal.request, headers: { [used]: "key" } } };
        },
      });
      const other = used === "Authorization" ? "X-Api-Key" : "Authorization";
      expect(new Set(headers)).toEqual(new Set(["either", other]));
      expect(wave.otherHeader).toHaveLength(headers.filter((header) => header === other).length);
    },
  );

  test("sends what the checks announce", async () => {
    const context = await contextOf((_, count) => (count === burstRequests ? refused() : listed()), stubKeys);
    await provokedLimit(context);
    const most = limits.checks.reduce((sum, { requests }) => sum + requests, 0);
    // There is none after the wait without Retry-After.
    expect(context.sent()).toBe(most - 1);
    expect(most).toBe(burstRequests + aroundWave + 3 * inWaves + 1);
  });
});

describe("requests that are neither accepted nor refused by the limit leave it open whether it applies to them", () => {
  const run = async (name: string, respond: Parameters<typeof contextOf>[0]) => {
    const check = limits.checks.find(({ id }) => id === `limits.per-organization/${name}`);
    return await check?.run(await contextOf(respond, stubKeys));
  };

  test.each([
    ["keys-share", "sameOrg"],
    ["other-untouched", "otherOrg"],
  ])("%s: with the first of them", async (name, subject) => {
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
        code: "limit-unclear",
        subject,
        actual: 504,
        seen: { count: 0, total: count },
      },
      exchange: { response: { status: 504 } },
    });
    expect(count).toBeGreaterThan(2);
  });

  test("other-untouched: where the limit opened before they were sent, so that the first were accepted too", async () => {
    const respond = (_: Caller, count: number) => (count < 130 ? refused() : listed());
    await expect(run("other-untouched", respond)).rejects.toMatchObject({
      finding: { code: "limit-unclear" },
    });
  });

  test.each([
    ["keys-share", "sameOrg"],
    ["other-untouched", "otherOrg"],
  ])("%s: without any response", async (name, subject) => {
    const broke = new NotJudged({ code: "no-answer", subject: "reset" });
    await expect(run(name, (caller) => (caller === subject ? broke : refused()))).rejects.toMatchObject({
      finding: { code: "limit-unclear", subject, seen: { count: 0, total: 0 } },
    });
  });
});

const answers = (accepted: number, sent = inWave) =>
  Array.from({ length: sent }, (_, index) => (index < accepted ? listed() : refused()));

test.each([
  ["all of both refused", 0, 0, "shared"],
  ["refused as often", 2, 3, "shared"],
  ["accepted once, by chance", 0, 1, "unclear"],
  ["accepted a little more often", 2, 6, "unclear"],
  ["the limit was hardly exceeded", 10, 4, "unclear"],
  ["both are accepted", 12, 12, "unclear"],
  ["a small limit of its own", 0, 6, "apart"],
  ["refused once", 2, 11, "apart"],
] as const)("others' requests, %s", (_name, own, others, expected) => {
  expect(sharing(answers(own), answers(others))).toBe(expected);
});

describe("whether a shared limit shows that two keys belong to one organization", () => {
  const limitOf = (primary: number, sameOrg: number, otherOrg: readonly Exchange[]): ProvokedLimit => ({
    refusal: refused(),
    sent: 0,
    perSecond: 0,
    responses: [],
    wave: { primary: answers(primary), sameOrg: answers(sameOrg), otherOrg },
  });
  const ofOneOrganization = limitOf(1, 1, answers(12));

  test.each<[string, ReturnType<typeof limitOf>, shares: boolean]>([
    ["refused together with the first, while the other organization is not", ofOneOrganization, true],
    ["hardly ever refused", limitOf(0, 12, answers(12)), false],
    ["refused like every key", limitOf(1, 1, answers(1)), false],
    ["refused, and no other organization's key to compare", limitOf(0, 0, []), false],
    ["refused, while no key was over its limit", limitOf(12, 12, answers(12)), false],
  ])("%s", (_name, limit, shares) => {
    expect(secondKeySharesLimit(limit)).toBe(shares);
  });

  const different = failed({ code: "status-differs", expected: 200, actual: 401 }, listed());
  const doubt = { code: "key-lists-differ", subject: "sameOrg" } as const;
  async function judged(key: KeyInRole, outcome: Outcome, limit?: ReturnType<typeof limitOf>) {
    const { fixtures: found } = await discovered(
      {},
      { keys: { primary: stubKeys.primary, sameOrg: stubKeys.sameOrg } },
    );
    const fixtures = { ...found, sameOrgKey: present(key) };
    const cached = <T>() => (limit === undefined ? undefined : (Promise.resolve(limit) as Promise<T>));
    return await ofSameOrganization(await stubContext(listed, { fixtures, cached }), outcome).catch(
      (error: unknown) => {
        if (error instanceof NotJudged) return error.finding;
        throw error;
      },
    );
  }

  test("a difference counts when the role of the key is certain, or the limit confirms it", async () => {
    expect(await judged({ role: "asNamed" }, different)).toBe(different);
    expect(await judged({ role: "unclear", doubt }, different)).toBe(different);
    expect(await judged({ role: "contradicted", doubt }, different, ofOneOrganization)).toBe(different);
  });

  test("otherwise it is not judged, for the reason of the doubt", async () => {
    expect(await judged({ role: "contradicted", doubt }, different)).toBe(doubt);
    expect(await judged({ role: "contradicted", doubt }, different, limitOf(0, 12, answers(12)))).toBe(doubt);
    const same = passed();
    expect(await judged({ role: "contradicted", doubt }, same)).toBe(same);
  });
});
