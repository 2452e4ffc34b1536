import { describe, expect, test } from "vitest";
import { stubTarget } from "../../test/support/stub-client.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import type { Caller } from "../client/target.ts";
import { decideRoles, type KeyView, type KeyViews, requestLists, WrongKeyRoles } from "./key-roles.ts";

const names = { primary: "A", sameOrg: "B", otherOrg: "C" };
const listing = (...slugs: string[]): KeyView => ({ status: 200, slugs });
const ours = listing("acme", "bolt");
const inOtherOrder = listing("bolt", "acme");
const theirs = listing("acme", "zeta");
const third = listing("acme");
const refused: KeyView = { status: 401 };
const unlisted: KeyView = { status: 403 };
const unreadable: KeyView = { status: 404 };
const silent: KeyView = { cause: { code: "no-answer", subject: "reset" } };

const finding = (view: KeyView): KeyView => ({ ...view, finds: true });
const denied = (view: KeyView): KeyView => ({ ...view, finds: false });

function rolesOf(views: Partial<KeyViews>) {
  const short = (key: ReturnType<typeof decideRoles>["sameOrgKey"]) => {
    if (!key.present) return key.missing.code;
    return key.value.role === "asNamed" ? "as named" : `${key.value.role}: ${key.value.doubt.code}`;
  };
  try {
    const { sameOrgKey, otherOrgKey } = decideRoles({ primary: ours, ...views }, names);
    return [short(sameOrgKey), short(otherOrgKey)];
  } catch (error) {
    if (error instanceof WrongKeyRoles) return error.problem.where.split(" see ", 1);
    throw error;
  }
}

const unclear = "unclear: key-role-unclear";
const unknown = "unclear: no-retailer";
const contradicted = "contradicted: key-lists-differ";

test.each<[string, Partial<KeyViews>, [sameOrgOrAlike: string, otherOrg?: string]]>([
  ["keys in their roles", { sameOrg: inOtherOrder, otherOrg: theirs }, ["as named", "as named"]],
  ["no second key", {}, ["no-same-org-key", "no-other-org-key"]],
  ["the two second keys exchanged", { sameOrg: theirs, otherOrg: ours }, ["A and C"]],
  ["the primary key and the other one's", { sameOrg: theirs, otherOrg: theirs }, ["B and C"]],
  // Two organizations may be granted the same retailers.
  ["all keys see the same", { sameOrg: ours, otherOrg: ours }, [unclear, unclear]],
  ["only another key, which sees the same", { otherOrg: ours }, ["no-same-org-key", unclear]],
  ["only another key, which sees others", { otherOrg: theirs }, ["no-same-org-key", "as named"]],
  ["only a second key, which sees the same", { sameOrg: ours }, [unclear, "no-other-org-key"]],
  ["only a second key, which sees others", { sameOrg: theirs }, [contradicted, "no-other-org-key"]],
  ["three lists", { sameOrg: third, otherOrg: theirs }, [contradicted, "as named"]],
  ["no retailers", { sameOrg: ours, otherOrg: listing() }, ["as named", "as named"]],
  ["a second key that is refused", { sameOrg: refused, otherOrg: theirs }, ["key-refused", "as named"]],
  ["both refused", { sameOrg: unlisted, otherOrg: refused }, ["key-refused", "key-refused"]],
  ["others, and one refused", { sameOrg: theirs, otherOrg: refused }, [contradicted, "key-refused"]],
  ["no response", { sameOrg: silent, otherOrg: silent }, ["no-answer", "no-answer"]],
  [
    "a list that lacks a product that its key finds is wrong, not the key",
    { sameOrg: finding(third), otherOrg: theirs },
    ["as named", "as named"],
  ],
  [
    "a key that lists less and finds less",
    { sameOrg: denied(third), otherOrg: theirs },
    [contradicted, "as named"],
  ],
  [
    "a key that is only refused the list is not invalid",
    { sameOrg: finding(unlisted), otherOrg: theirs },
    [unknown, "as named"],
  ],
  [
    "no list can be read, and all find the same",
    { primary: unreadable, sameOrg: finding(unreadable), otherOrg: finding(unreadable) },
    [unknown, unknown],
  ],
  [
    "no list can be read, and the second keys find nothing",
    { primary: unreadable, sameOrg: denied(unreadable), otherOrg: denied(unreadable) },
    [contradicted, "as named"],
  ],
  [
    "no list can be read, and no product is known",
    { primary: unreadable, sameOrg: unreadable, otherOrg: unreadable },
    [unknown, unknown],
  ],
])("%s", (_name, views, roles) => {
  expect(rolesOf(views)).toEqual(roles);
});

describe("lists are requested", () => {
  /** A client whose target returns these lists to each caller in turn; the last one repeats. */
  function returning(lists: Readonly<Partial<Record<Caller, readonly (readonly string[])[]>>>) {
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

  test("once more when those of one organization differ, since a retailer may be granted in between", async () => {
    const lists = { primary: [["a"], ["a", "b"]], sameOrg: [["a", "b"]], otherOrg: [["z"]] };
    const { client, asked } = returning(lists);
    // A gateway may have responded to the first request.
    const busy = exchangeOf("retailers", undefined, { text: "<p>Busy" });
    const { primary, sameOrg } = await requestLists(client, target, busy);
    expect([primary.slugs, sameOrg?.slugs]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(asked).toHaveLength(6);
    const always = returning({ primary: [["a"]], sameOrg: [["b"]], otherOrg: [["a"]] });
    await requestLists(always.client, target, busy);
    expect(always.asked).toHaveLength(6);
  });

  test("but not a list that was requested before", async () => {
    const { client, asked } = returning({ primary: [["a"]], otherOrg: [["z"]] });
    const keys = { primary: "first", otherOrg: "other" };
    const first = exchangeOf("retailers", { retailers: [{ slug: "a" }] });
    const { primary } = await requestLists(client, { ...target, keys }, first);
    expect([primary.slugs, asked]).toEqual([["a"], ["otherOrg"]]);
  });
});
