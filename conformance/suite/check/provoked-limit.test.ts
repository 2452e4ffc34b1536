import { describe, expect, test } from "vitest";
import { stubKeys } from "../../../test/support/stub-client.ts";
import { stubContext } from "../../../test/support/stub-context.ts";
import { usualDiscovery } from "../../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { BudgetSpent } from "../../client/no-response.ts";
import type { Request } from "../../client/requests.ts";
import type { Caller, Target } from "../../client/target.ts";
import { type KeyInRole, present } from "../../discovery/fixtures.ts";
import { failed, NotJudged, type Outcome, passed, reasonOf } from "../../requirements/outcome.ts";
import limits from "../limits.check.ts";
import type { CheckContext } from "./check.ts";
import {
  burstRequests,
  inWave,
  mostProvoking,
  ofSameOrganization,
  type ProvokedLimit,
  provokedLimit,
  refusedOtherwise,
  secondKeySharesLimit,
  sharing,
} from "./provoked-limit.ts";

const listed = () => exchangeOf("retailers", { retailers: [] });
const unavailable = () => errorOf(503, "unavailable", { endpoint: "retailers" });
const broke = new NotJudged({ code: "no-answer", subject: "reset" });
const refused = () => errorOf(429, "rate_limited", { endpoint: "retailers" });

/** A target with a second key, which responds to the requests of bursts by caller and number. */
async function contextOf(
  respond: (caller: Caller, count: number) => Exchange | Error,
  keys: Target["keys"] = { primary: stubKeys.primary, sameOrg: stubKeys.sameOrg },
): Promise<CheckContext & { sent: () => number }> {
  const { fixtures } = await usualDiscovery(keys);
  let sent = 0;
  const context = await stubContext(listed, {
    fixtures,
    sleep: async () => undefined,
    async sendAtOnce({ caller }) {
      const response = respond(caller, ++sent);
      if (response instanceof Error) throw response;
      return response;
    },
  });
  return { ...context, sent: () => sent };
}

describe("provoking the rate limit", () => {
  test.each([
    // The service fails at times.
    [10, undefined],
    [3, 503],
  ])("ends at its maximum where every %d. response is a 503, for a refusal: %s", async (nth, status) => {
    const context = await contextOf((_, count) => (count % nth === 0 ? unavailable() : listed()));
    const limit = await provokedLimit(context);
    expect(limit).toMatchObject({ refusal: undefined, sent: burstRequests });
    expect(refusedOtherwise(limit)?.response.status).toBe(status);
  });

  test.each<[name: string, code: string, ...(Exchange | NotJudged)[]]>([
    ["success", "accepted-after-wait", listed()],
    ["another refusal", "refused-after-wait", refused()],
    ["neither", "control-failed", errorOf(500, "internal_error", { endpoint: "retailers" })],
    ["success after a broken connection", "accepted-after-wait", broke, listed()],
  ])("after the wait, %s: %s", async (_name, code, ...later) => {
    const [refusal, rest] = [errorOf(429, "rate_limited", { headers: { "retry-after": "1" } }), [...later]];
    let isLater = false;
    const context = await contextOf(() => (isLater ? (rest.shift() ?? listed()) : refusal));
    const sleep: CheckContext["sleep"] = async (_, reason) => {
      isLater ||= reason === "announced";
    };
    const check = limits.checks.find(({ id }) => id === "limits.honest-wait/accepted-again");
    const finding = await check?.run({ ...context, sleep }).then(({ findings }) => findings[0], reasonOf);
    expect(finding?.code).toBe(code);
  });

  test.each([
    ["no response of several arrives", broke, Number.POSITIVE_INFINITY],
    ["the budget keeps one request back", new BudgetSpent(100), 101],
  ])("throws the reason when %s", async (_name, reason, last) => {
    const context = await contextOf((_, count) => (count > 100 && count <= last ? reason : listed()));
    await expect(provokedLimit(context)).rejects.toBe(reason);
  });

  test.each(["Authorization", "X-Api-Key"] as const)(
    "sends with all keys in turn, none twice before the others, and with %s in the other header too",
    async (used) => {
      const sent: Request[] = [];
      const { wave } = await provokedLimit({
        ...(await contextOf(refused)),
        async sendAtOnce(request) {
          sent.push(request);
          return { ...refused(), request: { ...refused().request, headers: { [used]: "key" } } };
        },
      });
      const other = used === "Authorization" ? "X-Api-Key" : "Authorization";
      const turns = sent.slice(-3 * inWave).map((one) => (one.keyHeader === "either" ? one.caller : other));
      for (let turn = 0; turn < inWave; turn++)
        expect(new Set(turns.slice(3 * turn, 3 * turn + 3))).toEqual(new Set(["primary", other, "sameOrg"]));
      expect(Object.values(wave).map(({ length }) => length)).toEqual([inWave, inWave, inWave, 0]);
    },
  );

  test("sends what the checks announce, and the wave again while the limit does not hold", async () => {
    const context = await contextOf((_, count) => (count === burstRequests ? refused() : listed()), stubKeys);
    await provokedLimit(context);
    // Before it, three are sent at the usual pace. Without Retry-After, there is none after a wait.
    expect(context.sent()).toBe(mostProvoking - 8);
    for (const { requests } of limits.checks) expect(requests).toBe(mostProvoking);
  });
});

const failing = () => errorOf(504, "gateway_timeout");

test.each<[string, subject: Caller | "any", other: (count: number) => Exchange | NotJudged, finding: object]>(
  [
    ["keys-share", "sameOrg", failing, { actual: 504, seen: { count: 0 } }],
    ["other-untouched", "otherOrg", failing, { actual: 504, seen: { count: 0 } }],
    ["keys-share", "sameOrg", () => broke, { seen: { count: 0, total: 0 } }],
    // The limit opened before they were sent, so that the first were accepted too.
    ["other-untouched", "any", (count) => (count < 130 ? refused() : listed()), {}],
  ],
)("%s of %s is left open by other responses than 200 and 429", async (name, subject, other, finding) => {
  const isOfSubject = (caller: Caller) => subject === "any" || caller === subject;
  const context = await contextOf(
    (caller, count) => (isOfSubject(caller) ? other(count) : refused()),
    stubKeys,
  );
  const check = limits.checks.find(({ id }) => id === `limits.per-organization/${name}`);
  await expect(check?.run(context)).rejects.toMatchObject({ finding: { code: "limit-unclear", ...finding } });
});

// A service that is some times as fast as its limit accepts requests at a steady beat.
test.each([2, 2.5, 3, 3.5, 4, 5])("keys share a limit that accepts every %d. request", async (nth) => {
  const isAccepted = (count: number) => Math.floor(count / nth) > Math.floor((count - 1) / nth);
  for (let phase = 0; phase < nth; phase += 0.25) {
    const context = await contextOf((_, count) => (isAccepted(count + phase) ? listed() : refused()));
    for (const { id, run } of limits.checks.filter((one) => /(keys|headers)-share/.test(one.id)))
      expect((await run(context).catch(() => undefined))?.kind, `${id}, ${phase}`).not.toBe("fail");
  }
});

// The burst and the wave are 174 requests; after them the other organization is asked alone.
test.each<[name: string, other: (isAlone: boolean, nth: number) => Exchange, kind: string]>([
  ["is refused together with the first", (isAlone) => (isAlone ? listed() : refused()), "fail"],
  ["is refused alone, too: its own traffic fills its limit", () => refused(), "limit-unclear"],
  ["has a limit of two at once of its own", (_, nth) => (nth < 3 ? listed() : refused()), "pass"],
])("the other organization %s", async (_name, other, kind) => {
  let nth = 0;
  const respond = (caller: Caller, count: number) =>
    caller === "otherOrg" ? other(count > 174, ++nth) : refused();
  const context = await contextOf(respond, stubKeys);
  const check = limits.checks.find(({ id }) => id === "limits.per-organization/other-untouched");
  const judged = check?.run(context).then((outcome) => outcome.kind);
  expect(await judged?.catch((error: unknown) => reasonOf(error)?.code)).toBe(kind);
});

const { primary, sameOrg, otherOrg } = stubKeys;

test.each<[keys: string, Target["keys"], name: string, end: string]>([
  ["all keys", stubKeys, "other-untouched", "pass"],
  ["all keys", stubKeys, "keys-share", "pass"],
  ["two keys of one", { primary, sameOrg }, "other-untouched", "no-other-org-key"],
  // Keys in the wrong variables must never make the service fail.
  [
    "one of the first as that of another",
    { primary, otherOrg: sameOrg },
    "other-untouched",
    "key-role-unclear",
  ],
  ["one of another as a second one", { primary, sameOrg: otherOrg }, "keys-share", "key-lists-differ"],
])(
  "each organization has a limit, and the variables have %s, %j: %s is %s",
  async (_keys, keys, name, end) => {
    const isOther = (caller: Caller) => caller !== "nobody" && keys[caller] === otherOrg;
    const context = await contextOf((caller) => (isOther(caller) ? listed() : refused()), keys);
    const check = limits.checks.find(({ id }) => id === `limits.per-organization/${name}`);
    const judged = check?.run(context).then(({ kind }) => kind);
    expect(await judged?.catch((error: unknown) => reasonOf(error)?.code)).toBe(end);
  },
);

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
    wave: { primary: answers(primary), otherHeaders: [], sameOrg: answers(sameOrg), otherOrg },
  });
  const ofOneOrganization = limitOf(1, 1, answers(12));

  test.each<[string, ProvokedLimit, shares: boolean]>([
    ["refused together with the first, while the other organization is not", ofOneOrganization, true],
    ["hardly ever refused", limitOf(0, 12, answers(12)), false],
    ["refused like every key", limitOf(1, 1, answers(1)), false],
    ["refused, and no other organization's key to compare", limitOf(0, 0, []), false],
    ["refused, while no key was over its limit", limitOf(12, 12, answers(12)), false],
  ])("%s", (_name, limit, shares) => {
    expect(secondKeySharesLimit(limit)).toBe(shares);
  });

  const [different, same] = [failed({ code: "status-differs", expected: 200, actual: 401 }), passed()];
  const doubt = { code: "key-lists-differ", subject: "sameOrg" } as const;
  const contradicted = { role: "contradicted", doubt } as const;

  test.each<[string, KeyInRole, Outcome, ProvokedLimit | undefined, expected: unknown]>([
    ["counts when the role of the key is certain", { role: "asNamed" }, different, undefined, different],
    ["counts when it is unclear", { role: "unclear", doubt }, different, undefined, different],
    ["counts when the limit confirms it", contradicted, different, ofOneOrganization, different],
    ["is not judged otherwise", contradicted, different, undefined, doubt],
    ["is not judged where the limit does not", contradicted, different, limitOf(0, 12, answers(12)), doubt],
    ["that is none needs no certainty", contradicted, same, undefined, same],
  ])("a difference %s", async (_name, key, outcome, limit, expected) => {
    const { fixtures } = await usualDiscovery();
    const context = await stubContext(listed, {
      fixtures: { ...fixtures, sameOrgKey: present(key) },
      cached: <T>() => (limit === undefined ? undefined : Promise.resolve(limit as T)),
    });
    expect(await ofSameOrganization(context, outcome).catch(reasonOf)).toBe(expected);
  });
});
