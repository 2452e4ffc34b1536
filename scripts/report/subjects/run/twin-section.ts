import { counted, duration, grouped, milliseconds, percent } from "../../../../schemas/words/format.ts";
import { contractTable, shownChanges } from "../../../earlier/shown-changes.ts";
import type { TwinLatency, TwinResult } from "../../../twin/twin-result.ts";
import {
  twinDifferenceTexts,
  twinFailuresText,
  twinIntervalText,
  twinLabels,
  twinRequestName,
  twinUndecidedText,
} from "../../../twin/twin-words.ts";
import { type Blocks, line, only, paragraph, type SectionBlock, type TableBlock } from "../../document.ts";
import type { Tone } from "../../tones.ts";

const twinTones = {
  different: "bad",
  slower: "bad",
  inconclusive: "unsure",
  faster: "good",
  same: "good",
} as const satisfies Record<TwinResult["outcome"], Tone>;

/** Number of differences that Markdown lists. */
const mostDifferences = 30;
/** A difference that no response showed may still occur in fewer than 3 of n requests, with 95 % confidence. */
const boundOfNone = 3;

/** The target beside another deployment: responses, contract, latency. */
export function twinSection(twin: TwinResult | undefined): SectionBlock {
  const title = "Old against new";
  if (twin === undefined) return { kind: "section", title, blocks: [] };
  const { old, outcome, responses, latency, contract = [], requests, seconds, seed } = twin;
  const { differences } = responses;
  return {
    kind: "section",
    id: "twin",
    title,
    count: twinDifferenceTexts(differences).length,
    blocks: [
      paragraph(
        line`${{ tone: twinTones[outcome], label: twinLabels[outcome] }} ${{ own: "Compared with " }}${{ code: old.name }} at ${{ code: old.baseUrl }}, ${{ own: `${counted(requests.old, "request")} to it and ${grouped(requests.new)} to the target in ${duration(seconds)}, seed ${seed}.` }}`,
      ),
      { kind: "section", title: "Responses", blocks: responseBlocks(responses) },
      {
        kind: "section",
        title: "Contract",
        blocks: contract.length === 0 ? [paragraph("No change.")] : [contractTable(shownChanges(contract))],
      },
      {
        kind: "section",
        title: "Latency",
        blocks: [latencyTable(latency), paragraph({ faint: latencyNote(latency) })],
      },
    ],
  };
}

function responseBlocks({
  outcome,
  requests,
  pairs,
  differences,
  moved,
  ignored,
  passing,
  failures,
}: TwinResult["responses"]): Blocks {
  const compared = `${counted(requests, "different request")} compared, ${counted(pairs, "pair")} of responses`;
  const bound = `a difference in fewer than ${percent(boundOfNone / Math.max(boundOfNone, requests))} of the requests could still go unseen`;
  return [
    paragraph({
      own:
        outcome === "different"
          ? `${compared}: ${counted(twinDifferenceTexts(differences).length, "difference")}.`
          : outcome === "same"
            ? `${compared}: no difference (${bound}).`
            : `${compared}: not all requests could be compared in time.`,
    }),
    {
      kind: "list",
      only: ["console", "markdown"],
      items: twinDifferenceTexts(differences).map(({ text }) => text),
      most: { shown: mostDifferences, one: "difference" },
    },
    only(
      ["html"],
      ...twinDifferenceTexts(differences).map(({ text, example }) => ({
        kind: "fold" as const,
        title: text,
        blocks: [{ kind: "exchange" as const, exchanges: example.evidence }],
      })),
    ),
    moved.length > 0 &&
      paragraph(
        `Data of another time, which decides nothing: ${moved.map(({ path, count }) => `\`${path}\` in ${counted(count, "response")}`).join(", ")}. The products have another \`last_updated\`.`,
      ),
    ignored.length > 0 &&
      paragraph(
        `Ignored, because two responses of the old deployment differ there: ${ignored.map((path) => `\`${path}\``).join(", ")}.`,
      ),
    passing > 0 &&
      paragraph(
        `${counted(passing, "difference was", "differences were")} gone when the request was sent to both again, and ${passing === 1 ? "decides" : "decide"} nothing.`,
      ),
    failures.old.count + failures.new.count > 0 && paragraph(twinFailuresText(failures)),
  ];
}

function latencyTable(latency: readonly TwinLatency[]): TableBlock {
  return {
    kind: "table",
    caption: "Latency of both deployments, by kind of request",
    most: { shown: 20, one: "kind of request", many: "kinds of request" },
    columns: [
      "request",
      "verdict",
      { head: "old", figure: true },
      { head: "new", figure: true },
      { head: "change" },
      { head: "old against itself" },
      { head: "pairs", figure: true },
    ],
    rows: latency.map((one) => {
      const { request, outcome, pairs, old, new: now, control } = one;
      const [name, interval] = [twinRequestName(request), twinIntervalText(one)];
      const itself = control === undefined ? "" : twinIntervalText(control);
      const label = twinLabels[outcome];
      const missing = twinUndecidedText(one);
      const why = missing === undefined ? "" : ` (${missing})`;
      const [before, after] = [old, now].map((value) => (value === undefined ? "" : milliseconds(value)));
      return {
        cells: [
          name,
          [{ tone: twinTones[outcome], label }, { own: why }],
          { own: before ?? "" },
          { own: after ?? "" },
          { own: interval },
          { own: itself },
          { own: grouped(pairs) },
        ],
        sentence: `${name}: ${before} old, ${after} new, ${interval}, ${counted(pairs, "pair")}: ${label}${why}`,
      };
    }),
  };
}

/** What the outcomes mean, in one sentence. */
function latencyNote(latency: readonly TwinLatency[]): string {
  if (latency.length === 0) return "No latency was compared.";
  const shares = latency.map(({ smallest }) => smallest);
  const [least, most] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
  return `The smallest difference that counts is ${least === most ? least : `${least} to ${most}, by kind of request`}. Same: the interval rules out a difference that counts. Slower or faster: it rules out everything up to a quarter of one, also when all pairs of a second count as one.`;
}
