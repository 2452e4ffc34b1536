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
export type Reach = { readonly [Role in SecondRole]?: "found" | "refused" | undefined };

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
 * @param first The primary key's list, if it was requested before.
 */
export async function requestLists(
  client: PoliteClient,
  { keys }: Target,
  first?: Exchange,
): Promise<RetailerLists> {
  const known = first && listIn(first);
  const request = async (primary?: RetailerList): Promise<RetailerLists> => ({
    primary: primary ?? (await listOf(client, "primary")),
    ...(keys.sameOrg !== undefined && { sameOrg: await listOf(client, "sameOrg") }),
    ...(keys.otherOrg !== undefined && { otherOrg: await listOf(client, "otherOrg") }),
  });
  const lists = await request(known?.slugs === undefined ? undefined : known);
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
  products: () => Promise<readonly ProductFixture[]>,
): Promise<KeyRoles> {
  const { primary, sameOrg, otherOrg } = lists;
  const isOpen = {
    sameOrg: isSame(sameOrg, primary) !== true,
    otherOrg: isSame(otherOrg, primary) === undefined,
  };
  const reach: { -readonly [Role in keyof Reach]: Reach[Role] } = {};
  for (const caller of ["sameOrg", "otherOrg"] as const) {
    const list = lists[caller];
    if (list === undefined || list.cause !== undefined || !isOpen[caller]) continue;
    const product = (await products()).find(({ retailer }) => list.slugs?.includes(retailer) !== true);
    if (product !== undefined) reach[caller] = await reachOf(client, caller, product);
  }
  return decideRoles(lists, reach);
}

async function reachOf(
  client: PoliteClient,
  caller: SecondRole,
  { retailer, productId }: ProductFixture,
): Promise<"found" | "refused" | undefined> {
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
  const sameOrgKey = secondKey(lists, reach.sameOrg);
  const isContradicted = sameOrgKey.present && sameOrgKey.value.role === "contradicted";
  if (isContradicted && sameOrg?.slugs !== undefined && otherOrg?.slugs !== undefined) {
    const all = { primary: primary.slugs ?? [], sameOrg: sameOrg.slugs, otherOrg: otherOrg.slugs };
    if (isSame(otherOrg, primary) === true) throw new WrongKeyRoles("sameOrg", all);
    if (isSame(sameOrg, otherOrg) === true) throw new WrongKeyRoles("primary", all);
  }
  return { sameOrgKey, otherOrgKey: otherKey(lists, reach.otherOrg) };
}

function secondKey(
  { primary, sameOrg: list, otherOrg }: RetailerLists,
  reach: Reach["sameOrg"],
): Fixture<KeyInRole> {
  if (list === undefined) return noSameOrgKey;
  const subject = "sameOrg";
  const unusable = unusableKey(subject, list, reach);
  if (unusable !== undefined) return unusable;
  const isOwn = isSame(list, primary);
  // If the two organizations have different lists, an equal one shows the same organization.
  if (isOwn === true && isSame(otherOrg, primary) === false) return asNamed;
  // A key that finds what its list leaves out is right, and the list is wrong.
  if (isOwn === false && reach === "found") return asNamed;
  const [own = [], slugs = []] = [primary.slugs, list.slugs];
  const details = {
    lacks: own.filter((slug) => !slugs.includes(slug)),
    more: slugs.filter((slug) => !own.includes(slug)),
  };
  if (isOwn === false)
    return present({ role: "contradicted", doubt: { code: "key-lists-differ", subject, details } });
  return isOwn === undefined && reach === "refused"
    ? present({ role: "contradicted", doubt: { code: "key-lists-differ", subject } })
    : unclear(subject);
}

function otherKey({ primary, otherOrg: list }: RetailerLists, reach: Reach["otherOrg"]): Fixture<KeyInRole> {
  if (list === undefined) return noOtherOrgKey;
  const subject = "otherOrg";
  const isOwn = isSame(list, primary);
  const isOther = isOwn === false || (isOwn === undefined && reach === "refused");
  return unusableKey(subject, list, reach) ?? (isOther ? asNamed : unclear(subject));
}

const asNamed = present<KeyInRole>({ role: "asNamed" });

function unclear(subject: SecondRole): Fixture<KeyInRole> {
  return present({ role: "unclear", doubt: { code: "key-role-unclear", subject } });
}

/** Why a key is unusable: it is refused everywhere, or its list could not be requested. */
function unusableKey(
  subject: SecondRole,
  { status: actual, cause }: RetailerList,
  reach: "found" | "refused" | undefined,
): Fixture<never> | undefined {
  if (cause !== undefined) return absent(cause);
  const isRefused = (actual === 401 || actual === 403) && reach !== "found";
  return isRefused ? absent({ code: "key-refused", endpoint: "retailers", subject, actual }) : undefined;
}

/** Whether two lists have the same slugs; undefined when there is nothing to compare. */
function isSame(one: RetailerList | undefined, other: RetailerList | undefined): boolean | undefined {
  if (one?.slugs === undefined || other?.slugs === undefined) return undefined;
  return new Set(one.slugs).symmetricDifference(new Set(other.slugs)).size === 0;
}
