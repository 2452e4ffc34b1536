import type { Finding } from "../../../schemas/contracts/finding.ts";
import { type Exchange, keyHeadersIn } from "../../client/exchange.ts";
import { failed, type Outcome, passed, warning } from "../../client/outcome.ts";
import { retailers } from "../../client/requests.ts";
import { slugsIn } from "../../discovery/browsing.ts";
import { acrossAllRequests, type CheckContext } from "../check/check.ts";
import { section } from "../check/rows.ts";

/** Changes of a list that no grants and withdrawals within the minutes of a run explain. */
const leastChanges = 6;
/** Changes that a retailer which is disabled for a moment explains. */
const mostOfOne = 3;
/** Lists that are asked for when there are fewer, or when one came back after another. */
const leastLists = 8;
const listsToAdd = 40;
/**
 * While a grant reaches one instance after the other, lists come by turns too: they must still do so after this many of the added
 * lists, which is two seconds later.
 */
const listsUntilSettled = 13;
const pauseMilliseconds = 150;

/** Spec, GET /v1/retailers: the list is the live source of truth, which is one list. */
export default section(
  "retailers",
  [
    {
      id: "retailers.scope/one-list",
      title: "GET /retailers does not return different lists by turns",
      requests: leastLists,
      run: oneList,
    },
  ],
  acrossAllRequests,
);

/** Fails when lists came by turns and go on to do so. Only if one came back after another, more are asked for. */
async function oneList(context: CheckContext): Promise<Outcome> {
  const known = listsByKey(context);
  for (let count = known.flat().length; count < leastLists; count++) await context.ask(retailers());
  const [inTurn] = listsByKey(context).filter((lists) => changesIn(lists) > 1);
  if (inTurn === undefined)
    return passed({ code: "checked", seen: { count: listsByKey(context).flat().length, of: "responses" } });
  const [first] = inTurn as [Exchange];
  const { caller } = first;
  const [keyHeader = "either"] = keyHeadersIn(first);
  const added: Exchange[] = [];
  while (added.length < listsToAdd) {
    await context.sleep(pauseMilliseconds);
    added.push(await context.ask({ ...retailers(), caller, keyHeader }));
  }
  const all = [...inTurn, ...added.filter(isList)];
  const goOn = changesIn(all.slice(inTurn.length + listsUntilSettled)) > 0;
  const [finding, shown] = differenceIn(all);
  if (goOn && changesIn(all) >= leastChanges) return failed(finding, ...shown);
  return goOn && changesIn(all) > mostOfOne ? warning(finding, ...shown) : passed();
}

/** The lists that each key got in each header, which a list may depend on, in the order of the responses. */
function listsByKey({ exchanges, responders }: CheckContext): Exchange[][] {
  const lists = exchanges.filter((one) => isList(one) && !responders.areSilentOn(one));
  const inOrder = lists.toSorted((a, b) => a.number - b.number);
  return [...Map.groupBy(inOrder, (one) => `${one.caller} ${keyHeadersIn(one).join()}`).values()];
}

function isList({ endpoint, response }: Exchange): boolean {
  return endpoint === "retailers" && response.status === 200;
}

function textOf({ response }: Exchange): string {
  return JSON.stringify(slugsIn(response.json).toSorted());
}

function changesIn(lists: readonly Exchange[]): number {
  return lists.map(textOf).filter((text, at, all) => at > 0 && text !== all[at - 1]).length;
}

/** How the most frequent other list differs from the usual one, and both. */
function differenceIn(lists: readonly Exchange[]): [Finding, readonly Exchange[]] {
  const byList = [...Map.groupBy(lists, textOf).values()].toSorted((a, b) => b.length - a.length);
  const [usual, other] = byList.map(([first]) => first) as [Exchange, Exchange];
  const [usualSlugs, slugs] = [usual, other].map(({ response }) => new Set(slugsIn(response.json))) as [
    Set<string>,
    Set<string>,
  ];
  return [
    {
      code: "instances-differ",
      expected: [...usualSlugs.difference(slugs)],
      actual: [...slugs.difference(usualSlugs)],
      details: { counts: byList.map(({ length }) => length) },
      comparedWith: 1,
    },
    [other, usual],
  ];
}
