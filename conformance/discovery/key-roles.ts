import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import { counted, grouped } from "../../schemas/words/format.ts";
import type { Exchange } from "../client/exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byId, retailers } from "../client/requests.ts";
import type { Caller, KeyRole, KeyVariables, Target } from "../client/target.ts";
import { slugsIn } from "../response/readers.ts";
import { CannotJudge } from "./first-contact.ts";
import {
  absent,
  attempt,
  type Fixture,
  type Fixtures,
  type KeyInRole,
  type ProductFixture,
  present,
} from "./fixtures.ts";

type SecondRole = Exclude<KeyRole, "primary">;

/** What a key sees of the target. */
export interface KeyView {
  /** The status of GET /retailers. Missing when there was no response; `cause` says why. */
  readonly status?: number;
  readonly cause?: Finding;
  /** Missing when the body has no readable list. */
  readonly slugs?: readonly string[];
  /** Where lists do not suffice: whether a second key finds, or is refused, a product of the primary key. */
  readonly finds?: boolean | undefined;
}

export type KeyViews = Readonly<Partial<Record<SecondRole, KeyView>>> & { readonly primary: KeyView };

/** The roles of the second keys, as far as they can be determined. */
type KeyRoles = Pick<Fixtures, "sameOrgKey" | "otherOrgKey">;

/**
 * Keys are in the wrong variables: the second key of the organization sees other retailers than the primary
 * key, and the other organization's key sees the same as one of the two.
 */
export class WrongKeyRoles extends CannotJudge {}

/**
 * Requests the retailers with every key; once more where lists of one organization differ, since access may
 * change.
 * @param first The response to the primary key, which was requested before. A gateway may have given it.
 */
export async function requestLists(
  client: PoliteClient,
  { keys }: Target,
  first: Exchange,
): Promise<KeyViews> {
  const listOf = (caller: KeyRole) =>
    attempt<KeyView>(
      async () => viewIn(await client.ask({ ...retailers(), caller })),
      (cause) => ({ cause }),
    );
  const request = async (primary?: KeyView): Promise<KeyViews> => ({
    primary: primary ?? (await listOf("primary")),
    ...(keys.sameOrg !== undefined && { sameOrg: await listOf("sameOrg") }),
    ...(keys.otherOrg !== undefined && { otherOrg: await listOf("otherOrg") }),
  });
  const known = viewIn(first);
  const views = await request(known.slugs && known);
  return areSame(views.sameOrg, views.primary) === false ? await request() : views;
}

function viewIn({ response: { status, json } }: Exchange): KeyView {
  const list = isObject(json) ? json.retailers : undefined;
  const slugs = slugsIn(json);
  const isReadable = status === 200 && Array.isArray(list) && (slugs.length > 0 || list.length === 0);
  return { status, ...(isReadable && { slugs }) };
}

/**
 * The role of each key by what it sees (spec, Authentication: "keys are scoped to one organization"). Two
 * organizations may have the same retailers, so equal lists prove nothing by themselves.
 * @param products of the primary key: where the lists do not suffice, a second key looks one up
 * @throws WrongKeyRoles when the lists of three keys show that two are exchanged
 */
export async function rolesOfKeys(
  client: PoliteClient,
  views: KeyViews,
  products: readonly ProductFixture[],
  { keyVariables, keyNames = keyVariables }: Target,
): Promise<KeyRoles> {
  const seen: Partial<Record<SecondRole, KeyView>> = {};
  for (const caller of ["sameOrg", "otherOrg"] as const) {
    const view = views[caller];
    const same = areSame(view, views.primary);
    if (view === undefined || view.cause !== undefined || same === true) continue;
    const product = products.find(({ retailer }) => view.slugs?.includes(retailer) !== true);
    if (product === undefined || (caller === "otherOrg" && same === false)) continue;
    const request = byId(product.retailer, product.productId);
    const lookUp = async () => {
      if ((await client.ask(request)).response.status !== 200) return undefined;
      const { status } = (await client.ask({ ...request, caller })).response;
      return status < 500 ? status === 200 : undefined;
    };
    seen[caller] = { ...view, finds: await attempt(lookUp, () => undefined) };
  }
  return decideRoles({ ...views, ...seen }, keyNames);
}

/** Decides the roles for `rolesOfKeys`, without requests. @throws WrongKeyRoles */
export function decideRoles(views: KeyViews, names: KeyVariables): KeyRoles {
  const { primary, sameOrg, otherOrg } = views;
  const [sameList, otherList] = [areSame(sameOrg, primary), areSame(otherOrg, primary)];
  // A key that finds what its list leaves out is right, and the list is wrong.
  const isContradicted = sameOrg?.finds !== true && (sameList ?? sameOrg?.finds) === false;
  if (isContradicted && sameOrg?.slugs !== undefined && otherOrg?.slugs !== undefined) {
    const all = { primary: primary.slugs ?? [], sameOrg: sameOrg.slugs, otherOrg: otherOrg.slugs };
    if (otherList === true) throw wrongRoles("sameOrg", all, names);
    if (areSame(sameOrg, otherOrg) === true) throw wrongRoles("primary", all, names);
  }
  // If the two organizations have different lists, an equal one shows the same organization.
  const isShown = sameList === true ? otherList === false : sameList === false;
  const sameRole = isContradicted
    ? contradicted(primary, sameOrg)
    : isShown
      ? asNamed
      : unclear("sameOrg", views);
  const otherRole = (otherList ?? otherOrg?.finds) === false ? asNamed : unclear("otherOrg", views);
  return {
    sameOrgKey: unusable("sameOrg", sameOrg) ?? sameRole,
    otherOrgKey: unusable("otherOrg", otherOrg) ?? otherRole,
  };
}

/** @param odd The key that does not belong to the same organization as the other two. */
function wrongRoles(
  odd: "primary" | "sameOrg",
  lists: Readonly<Record<KeyRole, readonly string[]>>,
  { primary, sameOrg, otherOrg }: KeyVariables,
): WrongKeyRoles {
  const [one, two, oddOne] = odd === "primary" ? [sameOrg, otherOrg, primary] : [primary, otherOrg, sameOrg];
  const [same, other] = [new Set(lists.otherOrg), new Set(lists[odd])];
  const shared = same.intersection(other).size;
  return new WrongKeyRoles({
    what: "The keys do not match their roles",
    where: `${one} and ${two} see the same ${counted(same.size, "retailer")}, ${oddOne} sees ${grouped(other.size)}, ${grouped(shared)} of them the same`,
    fix: `Swap the values of ${oddOne} and ${otherOrg}. If each key is in the right one, the service gives keys of one organization different lists: unset ${otherOrg} to judge everything else.`,
  });
}

/** Whether two lists have the same slugs; undefined when there is nothing to compare. */
function areSame(one: KeyView | undefined, other: KeyView | undefined): boolean | undefined {
  if (one?.slugs === undefined || other?.slugs === undefined) return undefined;
  return new Set(one.slugs).symmetricDifference(new Set(other.slugs)).size === 0;
}

const asNamed = present<KeyInRole>({ role: "asNamed" });

function unclear(subject: SecondRole, views: KeyViews): Fixture<KeyInRole> {
  const lists = (["primary", subject] as const).map((caller) => slugsOf(caller, views[caller] ?? {}));
  const [unlisted] = lists.flatMap((list) => (list.present ? [] : [list.missing]));
  return present({ role: "unclear", doubt: unlisted ?? { code: "key-role-unclear", subject } });
}

/** The retailers that a key sees, or why none are known. */
export function slugsOf(
  subject: Caller,
  { status = 0, cause, slugs = [] }: KeyView,
): Fixture<readonly string[]> {
  if (slugs.length > 0) return present(slugs);
  return absent(cause ?? { code: "no-retailer", endpoint: "retailers", subject, actual: status });
}

function contradicted({ slugs: own }: KeyView, { slugs: seen }: KeyView = {}): Fixture<KeyInRole> {
  const details = own &&
    seen && {
      lacks: own.filter((slug) => !seen.includes(slug)),
      more: seen.filter((slug) => !own.includes(slug)),
    };
  return present({ role: "contradicted", doubt: { code: "key-lists-differ", subject: "sameOrg", details } });
}

/** Why a key is unusable: there is none, its list could not be requested, or it is refused everywhere. */
function unusable(subject: SecondRole, view: KeyView | undefined): Fixture<never> | undefined {
  if (view === undefined)
    return absent({ code: subject === "sameOrg" ? "no-same-org-key" : "no-other-org-key" });
  const { status: actual, cause, finds } = view;
  if (cause !== undefined) return absent(cause);
  const isRefused = (actual === 401 || actual === 403) && finds !== true;
  return isRefused ? absent({ code: "key-refused", endpoint: "retailers", subject, actual }) : undefined;
}
