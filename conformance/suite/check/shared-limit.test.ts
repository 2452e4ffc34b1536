import { describe, expect, test } from "vitest";
import { stubKeys } from "../../../test/support/stub-client.ts";
import { stubContext } from "../../../test/support/stub-context.ts";
import { discovered } from "../../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import { failed, NotJudged, type Outcome, passed } from "../../client/outcome.ts";
import { type KeyInRole, present } from "../../discovery/fixtures.ts";
import { fisherTail, limitsApart, ofSameOrganization, secondKeySharesLimit } from "./shared-limit.ts";

const listed = () => exchangeOf("retailers", { retailers: [] });
const refused = () => errorOf(429, "rate_limited", { endpoint: "retailers" });

describe("whether a shared limit shows that two keys belong to one organization", () => {
  const answers = (accepted: number, sent: number) =>
    Array.from({ length: sent }, (_, index) => (index < accepted ? listed() : refused()));
  const limitOf = (
    primary: number,
    sameOrg: number,
    otherOrg: readonly [accepted: number, sent: number],
  ) => ({
    refusal: refused(),
    otherwise: undefined,
    sent: 0,
    perSecond: 0,
    primary: answers(primary, 24),
    otherHeader: answers(primary, 12),
    sameOrg: answers(sameOrg, 24),
    otherOrg: answers(...otherOrg),
    acceptedInBursts: 0,
    waitSeconds: 1,
    afterWait: undefined,
    lost: [],
    unanswered: 0,
    isKept: false,
  });
  const ofOneOrganization = limitOf(0, 1, [12, 12]);

  test.each<[string, ReturnType<typeof limitOf>, shares: boolean]>([
    ["refused together with the first, while the other organization is not", ofOneOrganization, true],
    ["hardly ever refused", limitOf(0, 24, [12, 12]), false],
    ["refused like every key", limitOf(1, 1, [1, 12]), false],
    ["refused, and no other organization's key to compare", limitOf(0, 0, [0, 0]), false],
    ["refused, while no key was over its limit", limitOf(24, 24, [12, 12]), false],
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
    expect(await judged({ role: "contradicted", doubt }, different, limitOf(0, 24, [12, 12]))).toBe(doubt);
    const same = passed();
    expect(await judged({ role: "contradicted", doubt }, same)).toBe(same);
  });
});

test.each([
  // A single acceptance is as likely for either key.
  [0, 1, 0.5],
  [0, 0, 1],
  [24, 24, 1],
  // Calculated by hand: one of C(48, 24) possibilities.
  [0, 24, 3.1e-14],
  [5, 24, 3.7e-9],
  [1, 6, 0.048],
])("chance of %i and %i accepted requests of 24 each", (one, other, chance) => {
  const tally = (accepted: number) => ({ accepted, sent: 24 });
  const found = fisherTail(tally(one), tally(other));
  expect(Math.abs(found - chance) / chance).toBeLessThan(0.2);
});

test.each([
  // A bucket that both share gives its few new tokens to any of them.
  ["all refused", 2, 0, "shared"],
  ["refused as often", 6, 3, "shared"],
  ["one accepted by chance, with none of the first", 0, 1, "unclear"],
  ["mostly refused, like the first", 1, 2, "unclear"],
  ["accepted a little more often", 7, 6, "unclear"],
  ["the limit was hardly exceeded", 20, 8, "unclear"],
  ["a small limit of its own", 0, 4, "apart"],
  ["refused once", 2, 11, "apart"],
] as const)("the other organization's requests, %s", (_name, own, other, expected) => {
  expect(limitsApart({ accepted: own, sent: 24 }, { accepted: other, sent: 12 }, other === 0)).toBe(expected);
});
