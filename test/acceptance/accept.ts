import { test } from "vitest";
import { missing } from "../support/gateway-programs.ts";
import { clusterSettings } from "./cluster-namespace.ts";
import {
  type AcceptanceRow,
  failureOf,
  mistakesIn,
  mostSeconds,
  type Necessity,
  nameOf,
  runRow,
} from "./row.ts";

interface Needed {
  readonly isThere: boolean;
  /** Whether CI must have it: a missing program fails the row there. Elsewhere it is skipped. */
  readonly isProgram: boolean;
  readonly fix: string;
}

function needed(need: Necessity): Needed {
  if (need === "mount") {
    const fix = "a small or read-only disk can be mounted only by root";
    return { isThere: process.getuid?.() === 0, isProgram: false, fix };
  }
  if (need === "cluster") {
    const fix =
      "no cluster: set KUBECONFIG, SHELFCHECK_CLUSTER_TARGET, SHELFCHECK_API_KEY and SHELFCHECK_CATEGORIES";
    const isThere = Object.values(clusterSettings).every((value) => value !== "");
    return { isThere, isProgram: false, fix };
  }
  const fix = missing(need);
  return { isThere: fix === undefined, isProgram: true, fix: fix ?? "" };
}

/**
 * Makes a test of each row.
 * @param atOnce Whether several of them run at the same time. Default: they do
 * @throws Error when two rows have the same name
 */
export function acceptRows(rows: readonly AcceptanceRow[], { atOnce = true } = {}): void {
  const names = rows.map(nameOf);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`two rows are named: ${twice}`);
  for (const need of new Set(rows.flatMap((row) => row.needs ?? []))) {
    const count = rows.filter((row) => row.needs?.includes(need)).length;
    const { isThere, fix } = needed(need);
    if (!isThere) process.stderr.write(`${count} ROWS CANNOT RUN: ${fix}\n`);
  }
  for (const row of rows) {
    const tags = row.inCi === true ? ["ci"] : [];
    test(nameOf(row), { concurrent: atOnce, tags }, async ({ signal, skip }) => {
      const need = row.needs?.map(needed).find(({ isThere }) => !isThere);
      if (need !== undefined) {
        if (need.isProgram && process.env.CI !== undefined) throw new Error(need.fix);
        skip(need.fix);
      }
      const outcome = await runRow(row, signal);
      const judged = process.env.CI === undefined ? row : withTwiceTheTime(row);
      if (mistakesIn(outcome, judged.expect).length > 0) throw new Error(failureOf(judged, outcome));
    });
  }
}

/** A machine that CI shares with others may be half as fast. */
function withTwiceTheTime(row: AcceptanceRow): AcceptanceRow {
  return { ...row, expect: { ...row.expect, seconds: 2 * (row.expect.seconds ?? mostSeconds) } };
}
