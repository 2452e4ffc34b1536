import { describe, expect, test } from "vitest";
import { stubTarget } from "../../test/support/stub-client.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import type { Caller } from "../client/target.ts";
import {
  decideRoles,
  type Reach,
  type RetailerList,
  type RetailerLists,
  requestLists,
  WrongKeyRoles,
} from "./key-roles.ts";

const listing = (...slugs: string[]): RetailerList => ({ status: 200, slugs });
const ours = listing("acme", "bolt");
const oursInOtherOrder = listing("bolt", "acme");
const theirs = listing("acme", "zeta");
const third = listing("acme");
const refused401: RetailerList = { status: 401 };
const refused403: RetailerList = { status: 403 };
const unreadable: RetailerList = { status: 404 };
const silent: RetailerList = { cause: { code: "no-answer", subject: "reset" } };
const all: Reach = { got: 2, refused: 0 };
const none: Reach = { got: 0, refused: 2 };

function rolesOf(
  seconds: Pick<RetailerLists, "sameOrg" | "otherOrg">,
  reaches: Parameters<typeof decideRoles>[1] = {},
  primary: RetailerList = ours,
  primaryAgain = primary,
) {
  const short = (key: ReturnType<typeof decideRoles>["sameOrgKey"]) =>
    key.present
      ? key.value.role === "asNamed"
        ? "as named"
        : `${key.value.role === "unclear" ? "does not show" : "speaks against"}: ${key.value.doubt.code}`
      : `absent: ${key.missing.code}`;
  try {
    const { sameOrgKey, otherOrgKey } = decideRoles({ primary, primaryAgain, ...seconds }, reaches);
    return [short(sameOrgKey), short(otherOrgKey)];
  } catch (error) {
    if (error instanceof WrongKeyRoles) return ["wrong roles", `odd: ${error.odd}`];
    throw error;
  }
}

describe("roles from the retailer lists", () => {
  test.each<[string, Pick<RetailerLists, "sameOrg" | "otherOrg">, [sameOrg: string, otherOrg: string]]>([
    ["keys in their roles", { sameOrg: oursInOtherOrder, otherOrg: theirs }, ["as named", "as named"]],
    ["no second key", {}, ["absent: no-same-org-key", "absent: no-other-org-key"]],
    ["the two second keys exchanged", { sameOrg: theirs, otherOrg: ours }, ["wrong roles", "odd: sameOrg"]],
    [
      "the primary key exchanged with the other organization's",
      { sameOrg: theirs, otherOrg: theirs },
      ["wrong roles", "odd: primary"],
    ],
    // Two organizations may be granted the same retailers.
    [
      "all keys see the same",
      { sameOrg: ours, otherOrg: ours },
      ["does not show: key-role-unclear", "does not show: key-role-unclear"],
    ],
    [
      "the other organization's key sees the same",
      { otherOrg: ours },
      ["absent: no-same-org-key", "does not show: key-role-unclear"],
    ],
    [
      "the other organization's key sees others",
      { otherOrg: theirs },
      ["absent: no-same-org-key", "as named"],
    ],
    [
      "the second key sees the same, without an other organization's key",
      { sameOrg: ours },
      ["does not show: key-role-unclear", "absent: no-other-org-key"],
    ],
    [
      "the second key sees others, without an other organization's key",
      { sameOrg: theirs },
      ["speaks against: key-lists-differ", "absent: no-other-org-key"],
    ],
    [
      "three different lists",
      { sameOrg: third, otherOrg: theirs },
      ["speaks against: key-lists-differ", "as named"],
    ],
    ["an organization without retailers", { sameOrg: ours, otherOrg: listing() }, ["as named", "as named"]],
    [
      "a second key that is refused",
      { sameOrg: refused401, otherOrg: theirs },
      ["absent: key-refused", "as named"],
    ],
    [
      "both refused",
      { sameOrg: refused403, otherOrg: refused401 },
      ["absent: key-refused", "absent: key-refused"],
    ],
    [
      "the second key sees others, and the other organization's key is refused",
      { sameOrg: theirs, otherOrg: refused401 },
      ["speaks against: key-lists-differ", "absent: key-refused"],
    ],
    ["no response", { sameOrg: silent, otherOrg: silent }, ["absent: no-answer", "absent: no-answer"]],
  ])("%s", (_name, lists, roles) => {
    expect(rolesOf(lists)).toEqual(roles);
  });

  test("a retailer that is added meanwhile makes no difference", () => {
    const before = listing("acme");
    expect(rolesOf({ sameOrg: ours, otherOrg: theirs }, {}, before, ours)).toEqual(["as named", "as named"]);
    expect(rolesOf({ sameOrg: before, otherOrg: ours }, {}, before, ours)).toEqual([
      "does not show: key-role-unclear",
      "does not show: key-role-unclear",
    ]);
  });
});

describe("roles from the products that the keys can look up", () => {
  const unlisted = { sameOrg: unreadable, otherOrg: unreadable };
  test.each<[string, ...Parameters<typeof rolesOf>, string[]]>([
    [
      "a list that lacks products that its key gets is wrong, not the key",
      { sameOrg: third, otherOrg: theirs },
      { sameOrg: all },
      ours,
      ours,
      ["as named", "as named"],
    ],
    [
      "a key that lists less and gets less",
      { sameOrg: third, otherOrg: theirs },
      { sameOrg: none },
      ours,
      ours,
      ["speaks against: key-lists-differ", "as named"],
    ],
    [
      "a key that is only refused the list is not invalid",
      { sameOrg: refused403, otherOrg: theirs },
      { sameOrg: all },
      ours,
      ours,
      ["does not show: key-role-unclear", "as named"],
    ],
    [
      "no list can be read, and all get the same",
      unlisted,
      { sameOrg: all, otherOrg: all },
      unreadable,
      unreadable,
      ["does not show: key-role-unclear", "does not show: key-role-unclear"],
    ],
    [
      "no list can be read, and the second keys get nothing",
      unlisted,
      { sameOrg: none, otherOrg: none },
      unreadable,
      unreadable,
      ["speaks against: key-lists-differ", "as named"],
    ],
    [
      "no list can be read, and no product is known",
      unlisted,
      {},
      unreadable,
      unreadable,
      ["does not show: key-role-unclear", "does not show: key-role-unclear"],
    ],
  ])("%s", (_name, lists, reaches, primary, again, roles) => {
    expect(rolesOf(lists, reaches, primary, again)).toEqual(roles);
  });
});

describe("different lists are requested again", () => {
  /** A client whose target returns these lists to each caller in turn; the last one repeats. */
  function listing(lists: Readonly<Partial<Record<Caller, readonly (readonly string[])[]>>>) {
    const asked: Caller[] = [];
    const client: Pick<PoliteClient, "ask"> = {
      ask: async ({ caller }) => {
        const turn = asked.filter((one) => one === caller).length;
        asked.push(caller);
        const slugs = lists[caller]?.[turn] ?? lists[caller]?.at(-1) ?? [];
        return exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) }, { caller });
      },
    };
    return { client: client as PoliteClient, asked };
  }
  const target = stubTarget("http://stub.example/v1");

  test("until the second key sees a new retailer as well", async () => {
    const own = [["a", "b"]];
    const { client, asked } = listing({ primary: own, sameOrg: [["a"], ["a", "b"]], otherOrg: [["z"]] });
    const lists = await requestLists(client, target);
    expect(lists.sameOrg?.slugs).toEqual(["a", "b"]);
    expect(asked.filter((caller) => caller === "sameOrg")).toHaveLength(2);
  });

  test("when a retailer is added in between", async () => {
    const { client } = listing({ primary: [["a"], ["a", "b"]], sameOrg: [["a", "b"]], otherOrg: [["z"]] });
    const { primary, primaryAgain } = await requestLists(client, target);
    expect([primary.slugs, primaryAgain.slugs]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("up to three times", async () => {
    const { client, asked } = listing({ primary: [["a"]], sameOrg: [["b"]], otherOrg: [["a"]] });
    await requestLists(client, target);
    expect(asked.filter((caller) => caller === "sameOrg")).toHaveLength(3);
  });

  test("but not for a list that was requested before", async () => {
    const { client, asked } = listing({ primary: [["a"]], otherOrg: [["z"]] });
    const keys = { primary: "first", otherOrg: "other" };
    const first = exchangeOf("retailers", { retailers: [{ slug: "a" }] });
    const { primary } = await requestLists(client, { ...target, keys }, first);
    expect([primary.slugs, asked]).toEqual([["a"], ["otherOrg", "primary"]]);
    // A gateway may respond to the first request.
    const busy = exchangeOf("retailers", undefined, { text: "<p>Busy" });
    await requestLists(client, { ...target, keys }, busy);
    expect(asked.slice(2)).toEqual(["primary", "otherOrg", "primary"]);
  });

  test("but not with a single key", async () => {
    const { client, asked } = listing({ primary: [["a"]] });
    await requestLists(client, { ...target, keys: { primary: "first" } });
    expect(asked).toEqual(["primary"]);
  });
});
