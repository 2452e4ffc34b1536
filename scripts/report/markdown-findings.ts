import type { CheckResult, RequirementResult } from "../../schemas/types.ts";
import { renderExchange } from "./exchange-text.ts";
import { toldChecks } from "./html/sort-requirements.ts";
import { clip } from "./html/visible-text.ts";
import { counted, verdictWords } from "./html/words.ts";
import { code, fenced, folded, prose, table } from "./markdown-text.ts";
import { unjudgedCauses } from "./unjudged.ts";

const mostRows = 50;
const mostExchanges = 10;
const exchangeLength = 6000;
/** Most ids named for one reason. */
const mostIds = 30;

/** A table of what broke, then the exchange that shows it for the first few. */
export function renderBroken(broken: readonly RequirementResult[]): string[] {
  if (broken.length === 0) return [];
  return [
    "### What broke",
    ...findingTable(broken),
    ...broken.slice(0, mostExchanges).flatMap(exchangeBlocks),
  ];
}

/** Warnings and what is waived, folded away. */
export function renderWorthALook(requirements: readonly RequirementResult[]): string[] {
  if (requirements.length === 0) return [];
  return [
    folded(`${counted(requirements.length, "requirement")} worth a look`, ...findingTable(requirements)),
  ];
}

/** What could not be judged, by the cause: that is what someone can mend. */
export function renderUnjudged(unjudged: readonly RequirementResult[]): string[] {
  if (unjudged.length === 0) return [];
  const causes = unjudgedCauses(unjudged);
  const lines = causes.slice(0, mostRows).map(({ cause, requirements, also }) => {
    const group = [...requirements, ...also];
    const ids = group.slice(0, mostIds).map(({ id }) => code(id));
    return `- ${prose(cause, 600)}<br>${ids.join(", ")}${more(group.length - ids.length)}`;
  });
  return ["### Could not be judged", lines.join("\n"), ...rest(causes.length - lines.length, "cause")];
}

function findingTable(requirements: readonly RequirementResult[]): string[] {
  const rows = requirements.slice(0, mostRows).map((requirement) => {
    const { id, section, level, statement, verdict } = requirement;
    const place = `${code(id)}<br>${prose(section)}, ${level.toUpperCase()}`;
    return [place, verdictWords[verdict], prose(statement), says(requirement)];
  });
  return [
    table(["requirement", "", "the spec", "seen"], rows),
    ...rest(requirements.length - rows.length, "requirement"),
  ];
}

function says(requirement: RequirementResult): string {
  const checks = toldChecks(requirement);
  if (checks.length === 0) return prose(requirement.reason);
  return checks.slice(0, 5).map(sentence).join("<br>") + more(checks.length - 5);
}

function sentence({ title, reason, occurrences = 1, flaky = false, waiver }: CheckResult): string {
  const often = occurrences > 1 ? ` (seen ${occurrences} times)` : "";
  const waived =
    waiver === undefined ? "" : ` Waived until ${prose(waiver.expires)}, ${code(waiver.ticket, 100)}.`;
  return `${prose(title)}: ${prose(reason)}${often}${flaky ? " (flaky)" : ""}${waived}`;
}

function exchangeBlocks(requirement: RequirementResult): string[] {
  const [exchange] = toldChecks(requirement).flatMap(({ evidence }) => evidence);
  if (exchange === undefined) return [];
  return [
    code(requirement.id),
    folded("Request, answer, curl", fenced(clip(renderExchange(exchange), exchangeLength))),
  ];
}

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : "";
}

/** Says how many of a list were left off here. */
export function rest(count: number, what: string): string[] {
  return count > 0 ? [`And ${counted(count, `more ${what}`)}: see \`report.html\`.`] : [];
}
