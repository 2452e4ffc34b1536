import type { Evidence, RequirementResult, Results } from "../../../schemas/types.ts";
import { anchor } from "./anchor.ts";
import { fitExchanges } from "./fit-exchanges.ts";
import type { ChartData, PageData, RowCheck } from "./page-data.ts";
import { toldChecks } from "./sort-requirements.ts";
import { clip } from "./visible-text.ts";

/** What a slot is for: a finding's exchanges come before those of what passed. */
type Need = "finding" | "passed";

/** Collects, while the page is rendered, what its script will build on demand. */
export class Embedding {
  /** The longest text of a finding, shorter the more findings there are. */
  readonly textLimit: number;
  /** The longest sentence in a row of the coverage. */
  readonly rowLimit: number;
  readonly #slots: { readonly evidence: readonly Evidence[]; readonly need: Need }[] = [];
  readonly #rows: Record<string, readonly RowCheck[]> = {};

  /** @param scale From 1 down to 0: how much of the usual length texts may have. */
  constructor({ requirements }: Pick<Results, "requirements">, scale = 1) {
    const findings = requirements.reduce((sum, requirement) => sum + toldChecks(requirement).length, 0);
    const most = Math.max(findings, requirements.length, 1);
    this.textLimit = Math.max(40, scale * Math.max(200, Math.min(1500, Math.floor(1_500_000 / most))));
    this.rowLimit = Math.max(20, scale * Math.max(60, Math.min(400, Math.floor(300_000 / most))));
  }

  /** A place for exchanges; undefined when there are none. */
  slot(evidence: readonly Evidence[], need: Need = "finding"): number | undefined {
    return evidence.length === 0 ? undefined : this.#slots.push({ evidence, need }) - 1;
  }

  /** The checks of a requirement that has no card; returns the name that the page's script finds them by. */
  row({ id, checks, verdict }: RequirementResult): string {
    const name = anchor(id);
    const need = verdict === "inconclusive" ? "finding" : "passed";
    this.#rows[name] = checks.map((check) => {
      const slot = this.slot(check.evidence, need);
      return {
        id: check.id,
        title: clip(check.title, this.textLimit),
        verdict: check.verdict,
        reason: clip(check.reason, this.textLimit),
        ...(slot === undefined ? {} : { slot }),
      };
    });
    return name;
  }

  /** All of it, with the exchanges in so many bytes of JSON; `cutAt` when findings' bodies were cut to fit. */
  data(bytes: number, load: readonly ChartData[]): { data: PageData; cutAt: number | undefined } {
    const of = (need: Need): (readonly Evidence[])[] =>
      this.#slots.map((slot) => (slot.need === need ? slot.evidence : []));
    const findings = fitExchanges(of("finding"), bytes);
    const passed = fitExchanges(of("passed"), bytes - findings.bytes);
    const offset = findings.exchanges.length;
    const slots = findings.slots.map((places, index) => [
      ...places,
      ...(passed.slots[index] ?? []).map((place) => place + offset),
    ]);
    const exchanges = [...findings.exchanges, ...passed.exchanges];
    return { data: { exchanges, slots, rows: this.#rows, load }, cutAt: findings.cutAt };
  }
}
