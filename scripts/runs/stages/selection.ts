import { sections } from "../../../conformance/requirements/requirement.ts";
import {
  covers,
  type Listed,
  listChecks,
  namesOf,
  requestsOf,
  type Selection,
  selectChecks,
} from "../../../conformance/suite/all.ts";
import { counted, grouped } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { UsageError } from "../../errors.ts";

/**
 * The checks and rules that are selected.
 *
 * @param from Where each list comes from, for messages.
 * @throws UsageError for an unknown name, and for an empty selection.
 */
export function selectListed(
  selection: Selection,
  from: Readonly<Record<keyof Selection, string>> = { only: "--only", skip: "--skip" },
): Listed[] {
  // Only requirements with checks can be selected.
  const all = listChecks();
  const named = (["only", "skip"] as const).flatMap((list) =>
    selection[list].map((name) => ({ name, where: `${from[list]} ${name}` })),
  );
  const unknown = named.find(({ name }) => !all.some((check) => covers(name, check)));
  if (unknown !== undefined)
    throw new UsageError({
      what: "There is no check with this id, nor a requirement or section that has checks",
      where: unknown.where,
      fix: didYouMean(unknown.name, namesOf(all)),
    });
  const selected = selectChecks(all, selection);
  if (selected.length > 0) return selected;
  throw new UsageError({
    what: "Nothing is selected",
    where: named.map(({ where }) => where).join(" "),
    fix: "Change one of them: together they exclude every check.",
  });
}

/** Number of requests that discovery usually sends at most. */
const discoveryRequests = 60;

/** The plan as data: the checks with the most requests that each sends. @throws as selectListed */
export function conformancePlan(selection: Selection, maxSeconds: number) {
  const checks = selectListed(selection);
  const { polite, bursts } = requestsOf(checks);
  return { checks, requests: polite + bursts, discoveryRequests, maxSeconds };
}

/** The plan as text: the checks by section, with the most requests that each sends without retries. */
export function renderConformancePlan({ checks, maxSeconds }: ReturnType<typeof conformancePlan>): string {
  const { polite, bursts } = requestsOf(checks);
  const atLimit = `At the end, at most ${grouped(bursts)} more to exceed the rate limit, once for all checks of it, and the waits after Retry-After.`;
  const lines = [...Map.groupBy(checks, ({ section }) => section)].flatMap(([section, own]) => [
    "",
    `${section}: ${sections[section]}`,
    ...own.map(({ id, title, requests }) => `  ${String(requests).padStart(4)}  ${id}\n       ${title}`),
  ]);
  return [
    `${counted(checks.length, "check")}, at most ${counted(polite, "request")}, and usually at most ${discoveryRequests} before them to discover the target.`,
    ...(bursts === 0 ? [] : [atLimit]),
    `It ends after at most ${grouped(maxSeconds)} s (--max-time): what is not judged by then is not judged.`,
    "A failed request is repeated, and so is a check that fails. The walk of a category is made once for all checks that need it. Checks with 0 requests examine every response of the run.",
    ...lines,
    "",
  ].join("\n");
}
