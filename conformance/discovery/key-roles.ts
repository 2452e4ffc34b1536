import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byId, retailers } from "../client/requests.ts";
import type { KeyRole, Target } from "../client/target.ts";
import { slugsIn } from "./browsing.ts";
import {
  absent,
  attempt,
  type Fixture,
  type KeyInRole,
  noOtherOrgKey,
  noSameOrgKey,
  type ProductFixture,
  present,
} from "./fixtures.ts";
import { oneOfEachRetailerFirst } from "./identifiers.ts";

/** Roles of a second key. */
export type SecondRole = Exclude<KeyRole, "primary">;

/** The response to GET /retailers with one key. */
export interface RetailerList {
  /** Missing when there was no response; `cause` says why. */
  readonly status?: number;
  readonly cause?: Finding;
  /** Missing when the body has no readable list. */
  readonly slugs?: readonly string[];
}

/** The retailer lists of all configured keys, requested in turn. */
export interface RetailerLists {
  readonly primary: RetailerList;
  /** Requested again after the other keys' lists. */
  readonly primaryAgain: RetailerList;
  readonly sameOrg?: RetailerList;
  readonly otherOrg?: RetailerList;
}

/** How many of the products that the primary key finds by id a second key finds, and how many it is refused. */
export interface Reach {
  readonly got: number;
  readonly refused: number;
}

/** The roles of the second keys, as far as they can be determined. */
export interface KeyRoles {
  readonly sameOrgKey: Fixture<KeyInRole>;
  readonly otherOrgKey: Fixture<KeyInRole>;
}

/**
 * The keys are in the wrong variables: the second key of the organization sees other retailers than the primary key,
 * and the other organization's key sees the same as one of the two.
 */
export class WrongKeyRoles extends Error {
  override readonly name = "WrongKeyRoles";
  /** The key that does not belong to the same organization as the other two. */
  readonly odd: KeyRole;
  readonly lists: Readonly<Record<KeyRole, readonly string[]>>;

  constructor(odd: KeyRole, lists: Readonly<Record<KeyRole, readonly string[]>>) {
    super(`the keys are not in the roles that they are named for; the odd one is ${odd}`);
    this.odd = odd;
    this.lists = lists;
  }
}

const secondRoles = ["sameOrg", "otherOrg"] as const satisfies readonly SecondRole[];
// Access may change during the run, so differing lists are requested again before they count.
const rounds = 3;
const productsToTry = 3;

/**
 * Requests the retailers with every configured key; again when lists of one organization differ or change.
 * @param first The primary key's list, if it was requested before.
 */
export async function requestLists(
  client: PoliteClient,
  { keys }: Target,
  first?: Exchange,
): Promise<RetailerLists> {
  const requestInTurn = async (primary: RetailerList): Promise<RetailerLists> => {
    const seconds: Partial<Record<SecondRole, RetailerList>> = {};
    for (const role of secondRoles) if (keys[role] !== undefined) seconds[role] = await listOf(client, role);
    const primaryAgain = Object.keys(seconds).length === 0 ? primary : await listOf(client, "primary");
    return { primary, ...seconds, primaryAgain };
  };
  const known = first && listIn(first);
  let lists = await requestInTurn(known?.slugs === undefined ? await listOf(client, "primary") : known);
  for (let round = 1; round < rounds && !isSettled(lists); round++)
    lists = await requestInTurn(lists.primaryAgain);
  return lists;
}

function isSettled({ primary, primaryAgain, sameOrg }: RetailerLists): boolean {
  const isStable = primary.slugs === undefined || isSameList(primary, primaryAgain) !== false;
  return isStable && (sameOrg === undefined || isSameList(sameOrg, primary, primaryAgain) !== false);
}

async function listOf(client: PoliteClient, caller: KeyRole): Promise<RetailerList> {
  return await attempt<RetailerList>(
    async () => listIn(await client.ask({ ...retailers(), caller })),
    (cause) => ({ cause }),
  );
}

function listIn({ response: { status, json } }: Exchange): RetailerList {
  const list = isObject(json) ? json.retailers : undefined;
  if (status !== 200 || !Array.isArray(list)) return { status };
  const slugs = slugsIn(json);
  return list.length > 0 && slugs.length === 0 ? { status } : { status, slugs };
}

/**
 * Determines the role of each key from what it sees (spec, Authentication: "keys are scoped to one organization").
 * Two organizations may be granted the same retailers, so equal lists prove nothing by themselves.
 *
 * @param products products of the primary key: where the lists do not suffice, the second keys look some of them up
 * @throws WrongKeyRoles when the lists of three keys show that two are exchanged
 */
export async function rolesOfKeys(
  client: PoliteClient,
  lists: RetailerLists,
  products: () => Promise<readonly ProductFixture[]>,
): Promise<KeyRoles> {
  const reaches: Partial<Record<SecondRole, Reach>> = {};
  for (const role of secondRoles) {
    const list = lists[role];
    if (list === undefined || list.cause !== undefined) continue;
    const isSame = isSameList(list, lists.primary, lists.primaryAgain);
    if (isSame === true || (isSame === false && role === "otherOrg")) continue;
    const missing = (await products()).filter(({ retailer }) => list.slugs?.includes(retailer) !== true);
    reaches[role] = await reachOf(client, role, missing);
  }
  return decideRoles(lists, reaches);
}

async function reachOf(
  client: PoliteClient,
  caller: SecondRole,
  products: readonly ProductFixture[],
): Promise<Reach> {
  const reach = { got: 0, refused: 0 };
  const lookUp = async () => {
    for (const { retailer, productId } of oneOfEachRetailerFirst(products).slice(0, productsToTry)) {
      const request = byId(retailer, productId);
      if ((await client.ask(request)).response.status !== 200) continue;
      const { status } = (await client.ask({ ...request, caller })).response;
      if (status === 200) reach.got++;
      else if (status < 500) reach.refused++;
    }
    return reach;
  };
  // The products looked up until no response came still count.
  return await attempt(lookUp, () => reach);
}

/**
 * Decides the roles for `rolesOfKeys`, without requests.
 *
 * @throws WrongKeyRoles
 */
export function decideRoles(
  lists: RetailerLists,
  reaches: Readonly<Partial<Record<SecondRole, Reach>>>,
): KeyRoles {
  const { primary, primaryAgain, sameOrg, otherOrg } = lists;
  const otherIsSame = otherOrg === undefined ? undefined : isSameList(otherOrg, primary, primaryAgain);
  const sameOrgKey = secondKey(lists, reaches.sameOrg, otherIsSame === false);
  if (
    sameOrgKey.present &&
    sameOrgKey.value.role === "contradicted" &&
    sameOrg !== undefined &&
    otherOrg?.slugs
  ) {
    const all = {
      primary: primaryAgain.slugs ?? [],
      sameOrg: sameOrg.slugs ?? [],
      otherOrg: otherOrg.slugs,
    };
    if (sameOrg.slugs !== undefined && otherIsSame === true) throw new WrongKeyRoles("sameOrg", all);
    if (isSameList(sameOrg, otherOrg) === true) throw new WrongKeyRoles("primary", all);
  }
  return { sameOrgKey, otherOrgKey: otherKey(otherOrg, otherIsSame, reaches.otherOrg) };
}

function secondKey(
  { primary, primaryAgain, sameOrg: list }: RetailerLists,
  reach: Reach | undefined,
  listsDiffer: boolean,
): Fixture<KeyInRole> {
  if (list === undefined) return noSameOrgKey;
  const unusable = unusableKey("sameOrg", list, reach);
  if (unusable !== undefined) return unusable;
  const subject = "sameOrg";
  const unclear: KeyInRole = { role: "unclear", doubt: { code: "key-role-unclear", subject } };
  switch (isSameList(list, primary, primaryAgain)) {
    case true:
      // If the two organizations have different lists, an equal list shows the same organization.
      return present<KeyInRole>(listsDiffer ? { role: "asNamed" } : unclear);
    case false: {
      // The key finds products that its list leaves out, so the list is wrong and not the key.
      if ((reach?.got ?? 0) > 0) return present<KeyInRole>({ role: "asNamed" });
      const own = primaryAgain.slugs ?? [];
      const { slugs = [] } = list;
      const details = {
        lacks: own.filter((slug) => !slugs.includes(slug)),
        more: slugs.filter((slug) => !own.includes(slug)),
      };
      return present<KeyInRole>({
        role: "contradicted",
        doubt: { code: "key-lists-differ", subject, details },
      });
    }
    case undefined:
      return present<KeyInRole>(
        (reach?.refused ?? 0) > 0
          ? { role: "contradicted", doubt: { code: "key-lists-differ", subject } }
          : unclear,
      );
  }
}

function otherKey(
  list: RetailerList | undefined,
  isSame: boolean | undefined,
  reach: Reach | undefined,
): Fixture<KeyInRole> {
  if (list === undefined) return noOtherOrgKey;
  const differs = isSame === false || (isSame === undefined && (reach?.refused ?? 0) > 0);
  return (
    unusableKey("otherOrg", list, reach) ??
    present<KeyInRole>(
      differs
        ? { role: "asNamed" }
        : { role: "unclear", doubt: { code: "key-role-unclear", subject: "otherOrg" } },
    )
  );
}

/** Why a key is unusable: it is refused everywhere, or its list could not be requested. */
function unusableKey(
  subject: SecondRole,
  { status: actual, cause }: RetailerList,
  reach: Reach | undefined,
): Fixture<never> | undefined {
  if (cause !== undefined) return absent(cause);
  const isRefused = (actual === 401 || actual === 403) && (reach?.got ?? 0) === 0;
  return isRefused ? absent({ code: "key-refused", endpoint: "retailers", subject, actual }) : undefined;
}

/** Whether a list equals one of several others; undefined when there is nothing to compare. */
function isSameList({ slugs: one }: RetailerList, ...others: readonly RetailerList[]): boolean | undefined {
  const known = others.flatMap(({ slugs }) => (slugs === undefined ? [] : [new Set(slugs)]));
  if (one === undefined || known.length === 0) return undefined;
  const set = new Set(one);
  return known.some((other) => set.symmetricDifference(other).size === 0);
}
