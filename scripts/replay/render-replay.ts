import { verdictLabels } from "../../schemas/verdicts.ts";
import type { WordsContext } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { type ConsoleStyle, printable, wrap } from "../report/terminal.ts";
import type { Replay, ReplayedCheck, ReplayedRequest } from "./replay.ts";

/** A replay as text for a terminal. */
export function renderReplay(
  { id, verdict, checks, requests }: Replay,
  style: ConsoleStyle,
  context: WordsContext,
): string {
  const paint = {
    fixed: style.good,
    passed: style.good,
    "still failing": style.bad,
    "not judged": style.unsure,
  }[verdict];
  const lines = [
    `${paint(style.strong(verdict.toUpperCase()))}: ${id}`,
    ...checks.flatMap((check) => renderCheck(check, style, context)),
    ...(requests.length === 0 ? [] : ["Requests of the evidence, then and now"]),
    ...requests.flatMap((request) => renderRequest(request, style)),
  ];
  return `${lines.join("\n")}\n`;
}

function renderCheck(
  { id, title, before, now, findings, notExercised }: ReplayedCheck,
  { width }: ConsoleStyle,
  context: WordsContext,
): string[] {
  const texts = findings.map((finding) => findingText(finding, context));
  const reason = notExercised === true ? [evidenceChanged] : texts;
  return [
    ...wrap(`${id}: ${verdictLabels[before]} then, ${verdictLabels[now]} now`, { width, indent: "  " }),
    ...wrap(printable([`${title}.`, ...reason].join(" ")), { width, indent: "    " }),
  ];
}

const evidenceChanged =
  "The requests of the evidence get other responses now, so they show nothing about it. Run conformance again.";

function renderRequest(request: ReplayedRequest, style: ConsoleStyle): string[] {
  const { method, url, before } = request;
  const outcome = "notSent" in request ? reasonOf(request) : `${before} then, ${request.now} now`;
  return [
    ...wrap(printable(`${method} ${url}: ${outcome}`), { width: style.width, indent: "  " }),
    // One line, however long: a command that is broken up cannot be copied.
    ...("notSent" in request ? [] : [style.faint(`    ${printable(request.curl)}`)]),
  ];
}

function reasonOf(request: Extract<ReplayedRequest, { notSent: string }>): string {
  switch (request.notSent) {
    case "other address":
      return `not sent, it went to another address than ${request.address}`;
    case "key not set":
      return `not sent, ${request.variable} is not set`;
    case "no response":
      return "no response that can be judged";
    default:
      return request satisfies never;
  }
}
