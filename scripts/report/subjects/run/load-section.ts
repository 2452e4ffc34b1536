import type { LoadResult, RateLimitResult } from "../../../../schemas/contracts/load-result.ts";
import {
  capitalized,
  duration,
  figure,
  grouped,
  milliseconds,
  percent,
  perSecond,
} from "../../../../schemas/words/format.ts";
import { burstText } from "../../../../schemas/words/load.ts";
import { shownPercentiles } from "../../../load/latencies.ts";
import {
  type Blocks,
  type Card,
  type Fact,
  type FoldBlock,
  line,
  only,
  onlyText,
  type ParagraphBlock,
  paragraph,
  type SectionBlock,
  type TableBlock,
  type Text,
  type TextPart,
} from "../../document.ts";
import {
  type EndpointRow,
  isLatency,
  isOver,
  latencyText,
  limitText,
  type ShownThreshold,
  shortLimit,
  tallyText,
} from "./endpoint-rows.ts";
import { loadCharts } from "./load-charts.ts";
import { excerptOf } from "./places.ts";
import type { ShownLoad } from "./shown-load.ts";

/** Number of reasons in Markdown. */
const mostReasons = 10;

/** The load runs, each with its figures, reasons, endpoints and evidence. */
export function loadSection(load: readonly ShownLoad[], isAlone: boolean): SectionBlock {
  const blocks = load.map((one, index) => loadRunSection(one, index, isAlone));
  return {
    kind: "section",
    id: "load",
    title: onlyText(["markdown", "html"], "Load"),
    count: load.length,
    blocks,
  };
}

/** A load run. Beside conformance, one that passed is folded on a page. */
export function loadRunSection(load: ShownLoad, index: number, isAlone = true): SectionBlock {
  const { result, name, label, tone, reasons, notes, thresholds } = load;
  const summary = { link: `load/${result.scenario}`, to: `load/${result.scenario}/summary.json` };
  const waived = thresholds.flatMap(({ name: limited, figures: measured, threshold: { waiver } }) =>
    waiver === undefined
      ? []
      : [`${limited}: ${measured}; waived until ${waiver.expires}, ${waiver.ticket}.`],
  );
  return {
    kind: "section",
    id: `load-${index}`,
    title: line`${{ tone, label }} ${name}`,
    blocks: [
      paragraph({ own: `${measured(load)}.` }),
      { kind: "list", items: hasCard(result) ? [] : reasons, most: { shown: mostReasons, one: "reason" } },
      { ...endpointTable(load), only: ["console", "markdown"] },
      { kind: "list", items: [...notes, ...waived] },
      {
        kind: "fold",
        only: ["html"],
        title: "Endpoints and charts",
        open: isAlone || result.verdict !== "pass",
        blocks: [
          endpointTable(load),
          result.rateLimit === undefined ? undefined : rateLimitSection(result.rateLimit),
          ...loadCharts(load),
          dashboardLine(result),
          limitsFold(load),
          conditionsFold(result),
          paragraph(line`The summary of k6, with every metric, is in ${summary} in the run's folder.`),
        ],
      },
      ...invalidBlocks(load, index, isAlone),
    ],
  };
}

/** The figures of a load run in one line. */
function measured({ result, figures }: ShownLoad): string {
  const { count, rate: perSec = 0 } = result.metrics.http_reqs ?? {};
  if (count === undefined) return "No requests";
  // k6 counts the rate over its own time; a run also takes that of starting and ending it.
  const seconds = perSec > 0 ? count / perSec : result.seconds;
  const { sent, rate, median, p95, p99, failed, limit, refused, checked } = figures;
  return [
    `${sent}${seconds === undefined ? "" : ` in ${duration(seconds)}`}`,
    rate,
    median && `p50 ${median}`,
    p95 && `p95 ${p95}`,
    p99 && `p99 ${p99}`,
    failed && `${failed} failed`,
    limit,
    `429 responses: ${refused}`,
    checked,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** Whether the run has a card under "Failed". */
function hasCard({ verdict }: Pick<LoadResult, "verdict">): boolean {
  return verdict === "fail";
}

/** A card for each failed load run, with its reasons. */
export function failedLoadCards(load: readonly ShownLoad[]): Card[] {
  return load.flatMap((one, index) => {
    const { result, id, name, label, tone, found, invalid } = one;
    if (!hasCard(result)) return [];
    const evidence: TextPart[] =
      invalid.length === 0 ? [] : [{ own: ", " }, { link: "evidence", to: `#load-${index}/invalid` }];
    return {
      tone,
      label,
      id,
      about: onlyText(["html"], [{ link: "table and charts", to: `#load-${index}` }, ...evidence]),
      title: line`Load: ${name}`,
      keys: { verdict: "fail", section: "Load" },
      findings: [{ id: `failed-load-${index}`, facts: found.map(reasonFact), exchanges: [] }],
    };
  });
}

/** A reason; on a page its fix stands below. */
function reasonFact({ text, fix }: ShownLoad["found"][number]): Fact {
  if (fix === undefined) return { text };
  return { text: [text, onlyText(["console", "markdown"], [{ own: " " }, fix])], where: [fix] };
}

const noLimit = "none set";

/** Endpoints, worst first: each with its nearest limit, on a page with all of them. */
function endpointTable({ endpoints }: ShownLoad): TableBlock {
  return {
    kind: "table",
    caption: "Latency, failed and invalid responses by endpoint, worst first",
    most: { shown: 50, one: "endpoint" },
    columns: [
      "endpoint",
      { head: "responses", only: ["html"] },
      ...shownPercentiles.map((percentile) => ({ head: { own: `p${percentile}` }, figure: true as const })),
      { head: "failed", only: ["markdown", "html"] },
      { head: "invalid", only: ["markdown", "html"] },
      "nearest limit",
    ],
    rows: endpoints.map((row) => {
      const [nearest] = row.limits;
      const latencies = shownPercentiles.map((percentile) => latencyText(row, percentile));
      const limit = nearest === undefined ? noLimit : limitText(nearest);
      const isExceeded = nearest !== undefined && isOver(nearest);
      const named = latencies.map((text, at) => `p${shownPercentiles[at]} ${text}`).join(", ");
      return {
        tone: isExceeded ? "bad" : undefined,
        cells: [
          row.name,
          { own: grouped(row.samples) },
          ...latencies.map((own, at) => latencyCell(own, `p${shownPercentiles[at]}`, row)),
          { own: tallyText(row.failed) },
          { own: tallyText(row.invalid) },
          [
            onlyText(["console"], { own: nearest === undefined ? noLimit : shortLimit(nearest) }),
            onlyText(
              ["markdown"],
              [...(isExceeded ? [{ strong: { own: "exceeded:" } }, { own: " " }] : []), limit],
            ),
            onlyText(["html"], {
              lines:
                nearest === undefined
                  ? [noLimit]
                  : row.limits.filter((one) => one === nearest || one.verdict !== "passed").map(limitLine),
            }),
          ],
        ],
        sentence: `${row.name}: ${named}; nearest limit: ${limit}`,
      };
    }),
  };
}

/** A latency; on a page marked if it crossed its limit. */
function latencyCell(own: string, statistic: string, { limits }: EndpointRow): Text {
  if (!limits.some((one) => isLatency(one, statistic) && isOver(one))) return { own };
  return [onlyText(["console", "markdown"], { own }), onlyText(["html"], { tone: "bad", label: own })];
}

/** A limit, with the measured value as a share of it, and its verdict unless it passed. */
function limitLine(limited: ShownThreshold): Text {
  const { ratio, verdict, isUnsure } = limited;
  const share =
    ratio === undefined
      ? ""
      : ratio > 1
        ? ` (${figure(ratio)} times)`
        : ` (${percent(Number(ratio.toPrecision(2)))} of it)`;
  return [
    limitText(limited),
    { own: share },
    ...(verdict === "passed" && !isUnsure ? [] : [{ own: " " }, verdictOf(limited)].flat()),
  ];
}

const tooFew = "too few responses";

/** The verdict of a limit, with its waiver. */
function verdictOf({ verdict, isUnsure, threshold: { waiver } }: ShownThreshold): TextPart[] {
  const label = verdict === "failed" ? "exceeded" : isUnsure ? tooFew : verdict;
  const chip = { tone: isUnsure ? "unsure" : thresholdTones[verdict], label } as const;
  return waiver === undefined
    ? [chip]
    : [chip, ` until ${waiver.expires} by ${waiver.owner}: ${waiver.reason}`];
}

/** The page of k6, which a run on this machine leaves; pods have none. */
function dashboardLine({ scenario, series, conditions }: LoadResult): ParagraphBlock | undefined {
  if (series === undefined || conditions?.k6 === undefined) return undefined;
  const to = `load/${scenario}/dashboard.html`;
  return paragraph(line`All metrics of k6 over time are in ${{ link: "its own dashboard", to }}.`);
}

/** Number of invalid responses with their place, and in total. */
const [mostPlaces, mostInvalid] = [3, 50];

/** Invalid responses; a console names the first, and shows its exchange unless conformance has shown some. */
function invalidBlocks({ invalid }: ShownLoad, load: number, isAlone: boolean): Blocks {
  const [first] = invalid;
  return [
    first === undefined
      ? undefined
      : only(["console"], paragraph(first.text), ...(isAlone ? exchangesOf(first) : [])),
    {
      kind: "section",
      only: ["html"],
      id: `load-${load}/invalid`,
      title: invalid.some(({ overlapping }) => overlapping !== undefined)
        ? "Responses of another organization, and invalid ones"
        : "Invalid responses",
      blocks: invalid.slice(0, mostInvalid).flatMap((one, at): Blocks => {
        const { text, expected, exchange } = one;
        const [excerpt] = exchange.response.excerpts ?? [];
        const isShown = excerpt !== undefined && at < mostPlaces;
        return [
          paragraph(text),
          { kind: "place", exchange, excerpt: isShown ? excerptOf(excerpt, expected) : undefined },
          ...exchangesOf(one),
        ];
      }),
    },
  ];
}

/** The exchange that a finding shows, and the one of another organization that overlapped with it. */
function exchangesOf({ exchange, overlapping }: ShownLoad["invalid"][number]): Blocks {
  return [
    { kind: "exchange", exchanges: [exchange] },
    ...(overlapping === undefined
      ? []
      : [
          paragraph("At the same time, with the key of the other organization:"),
          { kind: "exchange", exchanges: [overlapping] } as const,
        ]),
  ];
}

const judges = {
  target: "the target",
  run: "the run",
  search: "not judged: this profile looks for the limit",
} as const;
const thresholdTones = { passed: "good", failed: "bad", waived: "notice", "not judged": "unsure" } as const;

/** All limits, exceeded ones first. */
function limitsFold({ thresholds }: ShownLoad): FoldBlock {
  const hasPassed = ({ verdict, isUnsure }: ShownThreshold) => verdict === "passed" && !isUnsure;
  const rows = thresholds.toSorted((one, other) => Number(hasPassed(one)) - Number(hasPassed(other)));
  const passed = rows.filter(hasPassed).length;
  const few = rows.filter(({ isUnsure }) => isUnsure).length;
  const share = passed === rows.length ? `all ${rows.length} passed` : `${passed} of ${rows.length} passed`;
  return {
    kind: "fold",
    title: { own: `Limits: ${share}${few === 0 ? "" : `, ${few} with ${tooFew}`}` },
    blocks: [
      {
        kind: "table",
        caption: "Limits, exceeded ones first",
        columns: ["limit on", "measured and limit", "verdict", "judges"],
        rows: rows.map((one) => ({
          cells: [one.name, { own: one.figures }, verdictOf(one), { own: judges[one.threshold.guards] }],
        })),
      },
    ],
  };
}

/** What the figures depend on besides the service. */
function conditionsFold({ conditions }: LoadResult): FoldBlock | undefined {
  if (conditions === undefined) return undefined;
  const facts = Object.entries(conditions).map(([name, code]): [string, Text] => [name, { code }]);
  return {
    kind: "fold",
    title: "What these figures depend on besides the service",
    blocks: [{ kind: "facts", facts }],
  };
}

type ExpectedLimit = NonNullable<RateLimitResult["expected"]>[number];

const expectationLabels = {
  met: "met",
  excluded: "not met",
  open: "not judged",
} as const satisfies Record<ExpectedLimit["outcome"], string>;

function expectedText({ of, expected, outcome }: ExpectedLimit): string {
  const value = of === "perSecond" ? perSecond(expected) : `burst ${grouped(expected)}`;
  return `${value}: ${expectationLabels[outcome]}`;
}

/** Results of the rate-limit scenario. */
function rateLimitSection(result: RateLimitResult): SectionBlock {
  const {
    mode,
    limit,
    expected,
    highestRate,
    refusedShare,
    retryAfter,
    otherOrganization: other,
    polite,
  } = result;
  const rate = limit && `${perSecond(limit.perSecond)} (${figure(limit.low)} to ${figure(limit.high)})`;
  const facts = {
    Limit: rate ?? "none found",
    Kind: limit && kind(limit),
    Burst: limit && capitalized(burstText(limit)),
    Expected: expected?.map(expectedText).join("; "),
    "Highest rate reached": highestRate === undefined ? undefined : perSecond(highestRate),
    Refused: refusedShare === undefined ? undefined : percent(refusedShare),
    "Accepted after Retry-After":
      retryAfter && `${grouped(retryAfter.accepted)} of ${grouped(retryAfter.tried)}`,
    "Another organization meanwhile":
      other && `${grouped(other.refused)} of ${grouped(other.requests)} refused`,
    Accepted: polite && perSecond(polite.goodput),
    "Paced to": polite && perSecond(polite.paced),
    "Not sent because of the limit": polite && grouped(polite.unsent),
    Waits: polite && `${grouped(polite.waits)}, ${figure(polite.waitSeconds)} s in total`,
    "Refused again after a wait": polite && grouped(polite.refusedAgain),
    Recovery:
      polite?.recoveryMilliseconds === undefined ? undefined : milliseconds(polite.recoveryMilliseconds),
  };
  return {
    kind: "section",
    only: ["html"],
    title: { own: `Rate limit, ${mode === "probe" ? "probed" : "polite"}` },
    blocks: [
      {
        kind: "facts",
        facts: Object.entries(facts).map(([name, own]) => [name, own === undefined ? undefined : { own }]),
      },
    ],
  };
}

function kind({ kind: shape, windowSeconds }: NonNullable<RateLimitResult["limit"]>): string {
  if (shape === "bucket") return "bucket";
  return windowSeconds === undefined ? "window" : `window of ${figure(windowSeconds)} s`;
}
