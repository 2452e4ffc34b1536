import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byId, retailers } from "../client/requests.ts";
import type { KeyRole, Target } from "../client/target.ts";
import { slugsIn } from "../response/readers.ts";
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

/** Roles of a second key. */
type SecondRole = Exclude<KeyRole, "primary">;

/** The response to GET /retailers with one key. */
export interface RetailerList {
  /** Missing when there was no response; `cause` says why. */
  readonly status?: number;
  readonly cause?: Finding;
  /** Missing when the body has no readable list. */
  readonly slugs?: readonly string[];
}

/** The retailer list of each configured key. */
export type RetailerLists = Readonly<Partial<Record<SecondRole, RetailerList>>> & {
  readonly primary: RetailerList;
};

/** For a second key, whether it finds a product that the first one finds by id, or is refused it. */
type Found = "found" | "refused" | undefined;
export type Reach = Readonly<Partial<Record<SecondRole, Found>>>;

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

/**
 * Requests the retailers with every configured key. Access may change meanwhile: lists of one organization that differ are
 * requested once more.
 * @param first The response to the primary key, which was requested before. A gateway may have given it.
 */
export async function requestLists(
  client: PoliteClient,
  { keys }: Target,
  first: Exchange,
): Promise<RetailerLists> {
  const known = listIn(first);
  const request = async (primary?: RetailerList): Promise<RetailerLists> => ({
    primary: primary ?? (await listOf(client, "primary")),
    ...(keys.sameOrg !== undefined && { sameOrg: await listOf(client, "sameOrg") }),
    ...(keys.otherOrg !== undefined && { otherOrg: await listOf(client, "otherOrg") }),
  });
  const lists = await request(known.slugs === undefined ? undefined : known);
  return isSame(lists.sameOrg, lists.primary) === false ? await request() : lists;
}

async function listOf(client: PoliteClient, caller: KeyRole): Promise<RetailerList> {
  return await attempt<RetailerList>(
    async () => listIn(await client.ask({ ...retailers(), caller })),
    (cause) => ({ cause }),
  );
}

function listIn({ response: { status, json } }: Exchange): RetailerList {
  const list = isObject(json) ? json.retailers : undefined;
  const slugs = slugsIn(json);
  const isReadable = status === 200 && Array.isArray(list) && (slugs.length > 0 || list.length === 0);
  return { status, ...(isReadable && { slugs }) };
}

/**
 * Determines the role of each key from what it sees (spec, Authentication: "keys are scoped to one organization").
 * Two organizations may be granted the same retailers, so equal lists prove nothing by themselves.
 *
 * @param products products of the primary key: where the lists do not suffice, a second key looks one up
 * @throws WrongKeyRoles when the lists of three keys show that two are exchanged
 */
export async function rolesOfKeys(
  client: PoliteClient,
  lists: RetailerLists,
  products: readonly ProductFixture[],
): Promise<KeyRoles> {
  const isOpen = {
    sameOrg: isSame(lists.sameOrg, lists.primary) !== true,
    otherOrg: isSame(lists.otherOrg, lists.primary) === undefined,
  };
  async function reachOf(caller: SecondRole): Promise<Found> {
    const list = lists[caller];
    if (list === undefined || list.cause !== undefined || !isOpen[caller]) return undefined;
    const product = products.find(({ retailer }) => list.slugs?.includes(retailer) !== true);
    return product && (await lookedUp(client, caller, product));
  }
  return decideRoles(lists, { sameOrg: await reachOf("sameOrg"), otherOrg: await reachOf("otherOrg") });
}

async function lookedUp(
  client: PoliteClient,
  caller: SecondRole,
  { retailer, productId }: ProductFixture,
): Promise<Found> {
  const request = byId(retailer, productId);
  const lookUp = async () => {
    if ((await client.ask(request)).response.status !== 200) return undefined;
    const { status } = (await client.ask({ ...request, caller })).response;
    if (status === 200) return "found";
    return status < 500 ? "refused" : undefined;
  };
  return await attempt(lookUp, () => undefined);
}

/**
 * Decides the roles for `rolesOfKeys`, without requests.
 *
 * @throws WrongKeyRoles
 */
export function decideRoles(lists: RetailerLists, reach: Reach): KeyRoles {
  const { primary, sameOrg, otherOrg } = lists;
  const seesSame = (role: SecondRole) =>
    isSame(lists[role], primary) ?? (reach[role] === "refused" ? false : undefined);
  // A key that finds what its list leaves out is right, and the list is wrong.
  const isContradicted = seesSame("sameOrg") === false && reach.sameOrg !== "found";
  if (isContradicted && sameOrg?.slugs !== undefined && otherOrg?.slugs !== undefined) {
    const all = { primary: primary.slugs ?? [], sameOrg: sameOrg.slugs, otherOrg: otherOrg.slugs };
    if (isSame(otherOrg, primary) === true) throw new WrongKeyRoles("sameOrg", all);
    if (isSame(sameOrg, otherOrg) === true) throw new WrongKeyRoles("primary", all);
  }
  // If the two organizations have different lists, an equal one shows the same organization.
  const isShown = isSame(sameOrg, primary) === true && isSame(otherOrg, primary) === false;
  const isRight = isShown || (isSame(sameOrg, primary) === false && reach.sameOrg === "found");
  const sameOrgKey = isContradicted ? contradicted(primary, sameOrg) : isRight ? asNamed : unclear("sameOrg");
  const otherOrgKey = seesSame("otherOrg") === false ? asNamed : unclear("otherOrg");
  return {
    sameOrgKey: unusableKey("sameOrg", lists, reach) ?? sameOrgKey,
    otherOrgKey: unusableKey("otherOrg", lists, reach) ?? otherOrgKey,
  };
}

const asNamed = present<KeyInRole>({ role: "asNamed" });

function unclear(subject: SecondRole): Fixture<KeyInRole> {
  return present({ role: "unclear", doubt: { code: "key-role-unclear", subject } });
}

function contradicted({ slugs: own }: RetailerList, { slugs: seen }: RetailerList = {}): Fixture<KeyInRole> {
  const details =
    own && seen
      ? {
          lacks: own.filter((slug) => !seen.includes(slug)),
          more: seen.filter((slug) => !own.includes(slug)),
        }
      : undefined;
  return present({ role: "contradicted", doubt: { code: "key-lists-differ", subject: "sameOrg", details } });
}

/** Why a key is unusable: it is not set, its list could not be requested, or it is refused everywhere. */
function unusableKey(subject: SecondRole, lists: RetailerLists, reach: Reach): Fixture<never> | undefined {
  const list = lists[subject];
  if (list === undefined) return subject === "sameOrg" ? noSameOrgKey : noOtherOrgKey;
  const { status: actual, cause } = list;
  if (cause !== undefined) return absent(cause);
  const isRefused = (actual === 401 || actual === 403) && reach[subject] !== "found";
  return isRefused ? absent({ code: "key-refused", endpoint: "retailers", subject, actual }) : undefined;
}

/** Whether two lists have the same slugs; undefined when there is nothing to compare. */
function isSame(one: RetailerList | undefined, other: RetailerList | undefined): boolean | undefined {
  if (one?.slugs === undefined || other?.slugs === undefined) return undefined;
  return new Set(one.slugs).symmetricDifference(new Set(other.slugs)).size === 0;
}
