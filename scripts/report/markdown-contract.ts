import type { Results } from "../../schemas/types.ts";
import { rest } from "./markdown-findings.ts";
import { code, prose, table } from "./markdown-text.ts";

const mostRows = 50;

/** How the contract differs from the baseline; the harmless changes are only counted. */
export function renderDrift(drift: Results["drift"]): string[] {
  if (drift === undefined) return [];
  const title = `### Contract drift since ${code(drift.since)}`;
  const told = [
    ...drift.changes.filter(({ rank }) => rank === "breaking"),
    ...drift.changes.filter(({ rank }) => rank === "notable"),
  ];
  const harmless = drift.changes.length - told.length;
  const remark = harmless > 0 ? `${harmless} harmless.` : undefined;
  if (told.length === 0) return [title, remark ?? "None."];
  const rows = told
    .slice(0, mostRows)
    .map(({ rank, statement, rule }) => [
      rank === "breaking" ? `**${rank}**` : rank,
      prose(statement, 600),
      code(rule),
    ]);
  return [
    title,
    table(["rank", "change", "rule"], rows),
    ...rest(told.length - rows.length, "change"),
    ...(remark === undefined ? [] : [remark]),
  ];
}

/** Each waiver and what became of it; those that fail the run first. */
export function renderWaivers(waivers: Results["waivers"] = []): string[] {
  if (waivers.length === 0) return [];
  const order = ["expired", "stale", "active", "unused"] as const;
  const sorted = order.flatMap((state) => waivers.filter((one) => one.state === state));
  const rows = sorted.slice(0, mostRows).map(({ waiver, state, mend }) => {
    const { id, reason, owner, ticket, expires } = waiver;
    const bad = state === "expired" || state === "stale";
    const why = mend === undefined ? prose(reason) : `${prose(reason)}<br>${prose(mend)}`;
    return [bad ? `**${state}**` : state, code(id), code(expires), code(owner), code(ticket), why];
  });
  return [
    "### Waivers",
    table(["state", "waived", "until", "owner", "ticket", "reason"], rows),
    ...rest(sorted.length - rows.length, "waiver"),
  ];
}
