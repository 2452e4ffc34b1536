import type { Drift, Results, WaiverResult } from "../../schemas/types.ts";
import { minute } from "./html/words.ts";
import { printable, wrap } from "./lines.ts";
import type { ConsoleStyle } from "./style.ts";

/** How the contract differs from the baseline: what breaks clients first; harmless changes are only counted. */
export function renderDrift(drift: Results["drift"], style: ConsoleStyle): string[] {
  if (drift === undefined) return [];
  const of = (rank: Drift["rank"]) => drift.changes.filter((change) => change.rank === rank);
  const harmless = of("harmless").length;
  const counted = harmless === 0 ? [] : [style.faint(`  ${harmless} harmless`)];
  const lines = [
    ...of("breaking").flatMap((change) => driftLines(change, style.bad, style)),
    ...of("notable").flatMap((change) => driftLines(change, style.unsure, style)),
    ...counted,
  ];
  return [style.strong(`Drift since ${minute(drift.since)}`), ...(lines.length === 0 ? ["  none"] : lines)];
}

function driftLines(
  { rank, statement, rule }: Drift,
  paint: (text: string) => string,
  style: ConsoleStyle,
): string[] {
  const [first = "", ...rest] = wrap(printable(`${rank}: ${statement} (${rule})`), {
    width: style.width,
    indent: "  ",
  });
  return [first.replace(rank, paint(rank)), ...rest];
}

/** Each waiver and what became of it: those that fail the run first, with the mend. */
export function renderWaivers(waivers: Results["waivers"], style: ConsoleStyle): string[] {
  if (waivers === undefined || waivers.length === 0) return [];
  const order = ["expired", "stale", "active", "unused"] as const satisfies readonly WaiverResult["state"][];
  const sorted = order.flatMap((state) => waivers.filter((one) => one.state === state));
  return [style.strong("Waivers"), ...sorted.flatMap((one) => waiverLines(one, style))];
}

function waiverLines({ waiver, state, mend }: WaiverResult, style: ConsoleStyle): string[] {
  const { id, expires, owner, ticket, reason } = waiver;
  const paint = { expired: style.bad, stale: style.bad, active: style.unsure, unused: style.faint }[state];
  const says = `${state}: ${id}, until ${expires}, ${owner}, ${ticket}: ${reason}`;
  const [first = "", ...rest] = wrap(printable(says), { width: style.width, indent: "  " });
  const mendLines = mend === undefined ? [] : wrap(printable(mend), { width: style.width, indent: "    " });
  return [first.replace(state, paint(state)), ...rest, ...mendLines];
}
