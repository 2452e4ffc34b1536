import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { counted } from "../../schemas/words/format.ts";
import { type ConsoleStyle, printable, prose, wrap } from "../report/terminal.ts";
import {
  byConcern,
  type Replay,
  type ReplayedCheck,
  type ReplayedRequest,
  type ReplayVerdict,
  type Unclear,
} from "./replay.ts";

export function renderReplay({ id, verdict, checks, requests }: Replay, style: ConsoleStyle): string {
  const lines = [
    `${paintOf(verdict, style)(style.strong(verdict.toUpperCase()))}: ${id}`,
    ...checks.flatMap((check) => renderCheck(check, style)),
    ...(requests.length === 0 ? [] : ["Requests of the evidence, before and now"]),
    ...requests.flatMap((request) => renderRequest(request, style)),
  ];
  return `${lines.join("\n")}\n`;
}

/** A replay of all findings of a run as text: counts, then a line for each check, the worst first. */
export function renderReplayOfRun({ id: run, checks }: Replay, style: ConsoleStyle): string {
  const counts = byConcern.flatMap((verdict) => {
    const count = checks.filter((check) => check.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const verdictRoom = Math.max(...byConcern.map((verdict) => verdict.length));
  const room = Math.max(...checks.map(({ id }) => id.length));
  const sorted = byConcern.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
  const unclear = new Set(sorted.flatMap((check) => check.unclear ?? []));
  return `${[
    ...wrap(
      `${style.strong(counted(checks.length, "check"))} of ${printable(run)}: ${counts.join(", ")}`,
      style,
    ),
    ...sorted.map(({ id, verdict, before, now, unclear: why }) => {
      const is = paintOf(verdict, style)(verdict.padEnd(verdictRoom));
      const after = why === undefined ? `${verdictLabels[now]} now` : unclearLabels[why];
      return `  ${is}  ${id.padEnd(room)}  ${verdictLabels[before]} before, ${after}`;
    }),
    ...[...unclear].flatMap((why) => wrap(`${unclearLabels[why]}: ${unclearWords[why]}`, style)),
    ...(sorted.every(({ verdict }) => verdict === "fixed")
      ? []
      : wrap(
          `To see the requests and responses of one: npx shelfcheck replay ${printable(run)} ${sorted[0]?.id}`,
          style,
        )),
  ].join("\n")}\n`;
}

function paintOf(verdict: ReplayVerdict, { good, bad, unsure }: ConsoleStyle): (text: string) => string {
  return { fixed: good, passed: good, "still failing": bad, "could not tell": unsure }[verdict];
}

function renderCheck(
  { id, title, before, now, findings, unclear }: ReplayedCheck,
  { width }: ConsoleStyle,
): string[] {
  const reason = unclear === undefined ? findings.map(({ message }) => message) : [unclearWords[unclear]];
  return [
    ...wrap(`${id}: ${verdictLabels[before]} before, ${verdictLabels[now]} now`, { width, indent: "  " }),
    ...[reason.length === 0 ? `${title}.` : `${title}:`, ...reason].flatMap((line, at) =>
      wrap(prose(line), { width, indent: at === 0 ? "    " : "      " }),
    ),
  ];
}

const unclearLabels = {
  "same status": "same status now",
  "different responses": "different responses now",
  "other fault": "another fault now",
  "came and went": "passed now, as at times before",
  "wait not exercised": "the wait was tested later than before",
  "not sent": "not sent again",
  "target gone": "the target stopped responding",
} as const satisfies Record<Unclear, string>;

const unclearWords = {
  "same status":
    "The check passes now, with other products, but the request that failed returns the same status as before. Run conformance again.",
  "different responses":
    "The requests of the evidence get different responses now, so they prove nothing. Run conformance again.",
  "other fault":
    "The check passes, but the responses to the requests of its evidence violate a rule that they met before, or that the run did not judge. Run conformance again.",
  "came and went":
    "The check failed only in some attempts of that run too, so one that passes proves nothing. Run conformance several times.",
  "wait not exercised":
    "The request after the wait is accepted now, but it came later after the first refusal than the one that was refused before. Replay again, with little else running on this machine.",
  "not sent":
    "The check passes now, with other products, but the request that failed could not be sent. Run conformance again.",
  "target gone":
    "The target stopped responding as the service before the end, so checks that passed prove nothing. Replay again when it is back.",
} as const satisfies Record<Unclear, string>;

function renderRequest(request: ReplayedRequest, style: ConsoleStyle): string[] {
  const { method, url, before } = request;
  const outcome = "notSent" in request ? reasonOf(request) : `${before} before, ${request.now} now`;
  return [
    ...wrap(printable(`${method} ${url}: ${outcome}`), { width: style.width, indent: "  " }),
    // On one line, so that the command can be copied.
    ...("notSent" in request ? [] : [style.faint(`    ${printable(request.curl)}`)]),
  ];
}

function reasonOf(request: Extract<ReplayedRequest, { notSent: string }>): string {
  switch (request.notSent) {
    case "other address":
      return `not sent, as its address differs from ${request.address}`;
    case "key not set":
      return `not sent, ${request.variable} is not set`;
    case "key not cut":
      return `not sent, as the key in ${request.variable} is too short to be cut`;
    case "no response":
      return "no response to judge";
    default:
      return request satisfies never;
  }
}
