import {
  requirements as allRequirements,
  type Requirement,
} from "../../../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../../../conformance/requirements/requirement.ts";
import { counted } from "../../../../schemas/words/format.ts";
import { type FoldBlock, type LabelledRow, paragraph, type SectionBlock } from "../../document.ts";
import { verdictTones } from "../../tones.ts";
import { requirementRow, statementText } from "./judged.ts";
import type { ReportSection } from "./requirements.ts";
import type { Report } from "./run-report.ts";

/**
 * The requirements in the order of the spec, each with its verdict, for the page. Those that no check can judge from
 * outside have the reason. Requirements without a card open to their checks.
 */
export function coverageSection(report: Report): SectionBlock {
  const { results, sections: all, failed, counts } = report;
  // Of a run of the whole suite, a requirement without a result is one that cannot be judged.
  const isWhole = results.scope === undefined;
  const folds = all.map((section) => sectionFold(section, isWhole));
  return {
    kind: "section",
    only: ["html"],
    id: "coverage",
    title: "Coverage of the spec",
    count: results.requirements.length,
    blocks: [
      unjudgeable(report) && paragraph({ faint: unjudgeable(report) }),
      // What failed stands above: the rest is one line then.
      ...(failed.length === 0 ? folds : [{ kind: "fold", title: { own: counts }, blocks: folds } as const]),
    ],
  };
}

/** Statements of the spec that no check of a service judges, in a run of the whole suite; else empty. */
export function unjudgeable({ results: { scope, requirements } }: Pick<Report, "results">): string {
  if (scope !== undefined || requirements.length === 0) return "";
  const judged = new Set(requirements.map(({ id }) => id));
  const { length } = allRequirements.filter(
    ({ id, treatment }) => !judged.has(id) && treatment.kind !== "judged",
  );
  return length === 0
    ? ""
    : `${counted(length, "more statement")} of the spec ${length === 1 ? "is not judged here: it binds clients, or leaves" : "are not judged here: they bind clients, or leave"} open what is right.`;
}

const order: readonly string[] = allRequirements.map(({ id }) => id);

function sectionFold({ name, requirements, counts, text }: ReportSection, isWhole: boolean): FoldBlock {
  const judged = new Set(requirements.map(({ id }) => id));
  const outside = isWhole
    ? allRequirements.filter(
        (one) =>
          sections[sectionOf(one.id)] === name && !judged.has(one.id) && one.treatment.kind !== "judged",
      )
    : [];
  const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  const rows = [
    ...requirements.map((one) => ({ at: place(one.id), row: requirementRow(one) })),
    ...outside.map((one) => ({ at: place(one.id), row: outsideRow(one) })),
  ].toSorted((one, other) => one.at - other.at);
  return {
    kind: "fold",
    filtered: true,
    tone: verdictTones[counts[0]?.[0] ?? "notApplicable"],
    title: name,
    aside: { own: text },
    blocks: [{ kind: "rows", rows: rows.map(({ row }) => row) }],
  };
}

/** A requirement that no check judges, with the reason. */
function outsideRow({ id, quote, statement, treatment }: Requirement): LabelledRow {
  const why =
    treatment.kind === "excluded"
      ? treatment.why
      : treatment.kind === "gap"
        ? `The specification does not show ${treatment.what}.`
        : "It binds clients: `shelfcheck client` judges it.";
  return {
    tone: "plain",
    label: "not judged here",
    text: statementText({ id, quote, statement: `${statement} ${why}` }),
  };
}
