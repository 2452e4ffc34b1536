import type { CheckResult, Evidence, RequirementResult } from "../../schemas/types.ts";
import { printable, shorten, wrap } from "./lines.ts";
import type { ConsoleStyle } from "./style.ts";
import { unjudgedCauses } from "./unjudged.ts";

const bodyLength = 300;

/** One block for each requirement that failed, broke in our hands, or is worth a look; failures first. */
export function renderBroken(requirements: readonly RequirementResult[], style: ConsoleStyle): string[][] {
  const order = ["fail", "error", "warn"] as const;
  return order.flatMap((verdict) =>
    requirements
      .filter((requirement) => requirement.verdict === verdict)
      .map((requirement) => renderFinding(requirement, style)),
  );
}

function renderFinding(requirement: RequirementResult, style: ConsoleStyle): string[] {
  const { id, section, level, verdict, statement, reason, checks } = requirement;
  const label = { fail: "FAIL", error: "ERROR", warn: "WARN" }[verdict as "fail" | "error" | "warn"];
  const paint = verdict === "warn" ? style.unsure : style.bad;
  const [head = "", ...place] = wrap(`${label} ${id}: ${section}, ${level.toUpperCase()}`, style);
  const bad = checks.filter((check) => check.verdict === verdict);
  const told = bad.length === 0 ? [{ title: "", reason, evidence: [] }] : bad;
  return [
    head.replace(label, paint(style.strong(label))),
    ...place,
    ...wrap(printable(statement), { width: style.width, indent: "  " }),
    ...told.flatMap((check) => renderCheck(check, style)),
  ];
}

type Told = Pick<CheckResult, "title" | "reason" | "occurrences" | "evidence" | "waiver" | "flaky">;

function renderCheck(check: Told, style: ConsoleStyle): string[] {
  const { title, reason, occurrences = 1, evidence, waiver, flaky = false } = check;
  const often = occurrences > 1 ? ` (seen ${occurrences} times)` : "";
  const waived = waiver === undefined ? "" : ` (waived until ${waiver.expires}, ${waiver.ticket})`;
  const remarks = `${often}${flaky ? " (flaky: not each time)" : ""}${waived}`;
  const says = printable(title === "" ? reason : `${title}: ${reason}${remarks}`);
  const [first] = evidence;
  return [
    ...wrap(says, { width: style.width, indent: "  " }),
    ...(first === undefined ? [] : renderEvidence(first, style)),
  ];
}

/** One exchange: what was asked, what came, and the command that asks it again. */
export function renderEvidence({ request, response, curl }: Evidence, style: ConsoleStyle): string[] {
  const type = response.headers["content-type"] ?? "no content type";
  const asked = `> ${request.method} ${request.url}${request.body === undefined ? "" : ` ${shorten(request.body, bodyLength)}`}`;
  const answered = `< ${response.status} ${type} ${shorten(response.body, bodyLength)}`;
  const lines = [asked, answered].flatMap((line) =>
    wrap(printable(line), { width: style.width, indent: "    " }).map(style.faint),
  );
  // One line, however long: a command that is broken up cannot be copied.
  return [...lines, `    ${printable(curl)}`];
}

/** What could not be judged, by the cause: that is what someone can mend. */
export function renderUnjudged(requirements: readonly RequirementResult[], style: ConsoleStyle): string[][] {
  const unjudged = requirements.filter(({ verdict }) => verdict === "inconclusive");
  if (unjudged.length === 0) return [];
  const blocks = unjudgedCauses(unjudged).flatMap(({ cause, requirements: group, also }) => [
    ...wrap(printable(cause), { width: style.width, indent: "  " }),
    ...wrap([...group, ...also].map(({ id }) => id).join(", "), { width: style.width, indent: "    " }).map(
      style.faint,
    ),
  ]);
  return [[style.unsure(style.strong("Could not be judged")), ...blocks]];
}
