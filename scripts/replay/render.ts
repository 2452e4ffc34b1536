import { type ConsoleStyle, printable, wrap } from "../report/terminal.ts";
import type { Replay, ReplayedRequest } from "./replay.ts";

/** A replay as text for a terminal. */
export function renderReplay({ id, verdict, checks, requests }: Replay, style: ConsoleStyle): string {
  const paint = {
    fixed: style.good,
    holds: style.good,
    "still failing": style.bad,
    "could not tell": style.unsure,
  }[verdict];
  const lines = [
    `${paint(style.strong(verdict.toUpperCase()))}: ${id}`,
    ...checks.flatMap(({ id: check, title, before, now, reason }) => [
      ...wrap(`${check}: ${before} then, ${now} now`, { width: style.width, indent: "  " }),
      ...wrap(printable(reason === "" ? title : `${title}: ${reason}`), {
        width: style.width,
        indent: "    ",
      }),
    ]),
    ...(requests.length === 0 ? [] : ["The requests of the evidence, then and now"]),
    ...requests.flatMap((request) => renderRequest(request, style)),
  ];
  return `${lines.join("\n")}\n`;
}

function renderRequest(
  { method, url, curl, before, now, reason }: ReplayedRequest,
  style: ConsoleStyle,
): string[] {
  const answer = now === undefined ? `not asked again: ${reason ?? "unknown"}` : `${before} then, ${now} now`;
  return [
    ...wrap(printable(`${method} ${url}: ${answer}`), { width: style.width, indent: "  " }),
    // One line, however long: a command that is broken up cannot be copied.
    ...(curl === undefined ? [] : [style.faint(`    ${printable(curl)}`)]),
  ];
}
