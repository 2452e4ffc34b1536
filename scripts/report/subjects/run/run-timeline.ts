import type { RequestsOverTime } from "../../../../schemas/contracts/results.ts";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { clip, counted, grouped, statusName } from "../../../../schemas/words/format.ts";
import type { SectionBlock, TimelineEvent, TimelineLane, TimelineMark } from "../../document.ts";
import { durationText } from "../../text.ts";
import { elapsed } from "../../timeline.ts";
import { verdictTones } from "../../tones.ts";
import type { Report } from "./run-report.ts";

/** The time line of a run: its sections with their checks, its requests, waits and retries, its load. */
export function timelineSection(report: Report): SectionBlock {
  const { results } = report;
  const { startedAt, finishedAt, requests } = results;
  const start = Date.parse(startedAt);
  const after = (time: string) => Math.max(0, Date.parse(time) - start);
  const lanes = [
    ...checkLanes(report, after),
    exchangeLane(report, after),
    ...(requests.overTime === undefined ? [] : requestLanes(requests.overTime, after)),
    loadLane(report, after),
  ];
  const marks = firstFailure(report, after);
  // One bar says nothing.
  const isBare = results.requirements.length === 0 && report.load.length < 2;
  return {
    kind: "section",
    only: ["html"],
    id: "time",
    title: "Time line",
    blocks: [
      {
        kind: "timeline",
        name: "Time line of the run",
        startedAt,
        milliseconds: Math.max(1, Date.parse(finishedAt) - start),
        lanes: isBare ? [] : lanes,
        marks,
      },
    ],
  };
}

type After = (time: string) => number;

interface TimedCheck extends TimelineEvent {
  readonly section: string;
}

/** The sections of the spec, and the checks. */
function checkLanes({ sections }: Report, after: After): TimelineLane[] {
  const checks = sections.flatMap(({ name: section, requirements }) =>
    requirements.flatMap(({ id, checks: own }) =>
      own.flatMap(({ title, verdict, startedAt, milliseconds = 0 }): TimedCheck[] => {
        if (startedAt === undefined) return [];
        const text = `${section}: ${title}: ${verdictLabels[verdict]}`;
        const tone = verdictTones[verdict];
        return [{ at: after(startedAt), milliseconds, kind: "part", tone, text, to: `#${id}`, section }];
      }),
    ),
  );
  return [
    { name: "Sections", events: spansOfSections(checks) },
    { name: "Checks", events: checks },
  ];
}

/** Checks of a section less than this share of the run apart are drawn as one. */
const nearby = 0.02;

/** The times in which checks of each section ran. */
function spansOfSections(checks: readonly TimedCheck[]): TimelineEvent[] {
  const end = (one: TimelineEvent) => one.at + one.milliseconds;
  const gap = nearby * Math.max(0, ...checks.map(end));
  return [...Map.groupBy(checks, ({ section }) => section)].flatMap(([section, own]) => {
    const spans: TimedCheck[][] = [];
    for (const check of own.toSorted((a, b) => a.at - b.at)) {
      const span = spans.at(-1);
      if (span === undefined || check.at > Math.max(...span.map(end)) + gap) spans.push([check]);
      else span.push(check);
    }
    return spans.map((span): TimelineEvent => {
      const at = Math.min(...span.map((one) => one.at));
      const bad = span.find(({ tone }) => tone === "bad");
      return {
        at,
        milliseconds: Math.max(...span.map(end)) - at,
        kind: "part",
        tone: bad === undefined ? "good" : "bad",
        text: `${section}, ${counted(span.length, "check")}`,
        label: section.replace(/^.*: /, ""),
        to: bad?.to ?? "#coverage",
      };
    });
  });
}

/** Exchanges of findings that the time line shows, each with its phases. */
const mostExchanges = 200;

function exchangeLane({ failed, warned, waived }: Report, after: After): TimelineLane {
  const shown = [failed, warned, waived]
    .flat()
    .flatMap(({ id, verdict, reported }) =>
      reported.flatMap(({ evidence }) => evidence.map((exchange) => ({ id, verdict, exchange }))),
    );
  return {
    name: "Exchanges of findings",
    events: shown.slice(0, mostExchanges).flatMap(({ id, verdict, exchange }): TimelineEvent[] => {
      const { request, response, startedAt } = exchange;
      if (startedAt === undefined) return [];
      const text = `${request.method} ${clip(request.url, 80)}: ${statusName(response.status)}, ${durationText(response)}`;
      return [
        {
          at: after(startedAt),
          milliseconds: response.milliseconds,
          kind: "request",
          tone: verdictTones[verdict],
          text,
          to: `#${id}`,
        },
      ];
    }),
  };
}

/** The height of a period is the root of its number of requests, so that a burst does not hide the others. */
function requestLanes(over: RequestsOverTime, after: After): TimelineLane[] {
  const start = after(over.startedAt);
  const most = Math.max(1, ...over.sent);
  const period = { milliseconds: over.milliseconds };
  const at = (nth: number) => start + nth * over.milliseconds;
  return [
    {
      name: "Requests",
      events: over.sent.flatMap((sent, nth): TimelineEvent[] => {
        if (sent === 0) return [];
        const failed = over.failed[nth] ?? 0;
        const text = [
          counted(sent, "request"),
          ...(failed === 0 ? [] : [`${grouped(failed)} failed (5xx or no response)`]),
        ];
        return [
          {
            at: at(nth),
            ...period,
            kind: "request",
            level: Math.sqrt(sent / most),
            text: text.join(", "),
            tone: failed === 0 ? undefined : "bad",
          },
        ];
      }),
    },
    {
      name: "429 responses and retries",
      events: over.sent.flatMap((_, nth): TimelineEvent[] => {
        const [refused = 0, retried = 0] = [over.refused[nth], over.retried[nth]];
        return [
          ...(refused === 0
            ? []
            : [
                {
                  at: at(nth),
                  ...period,
                  kind: "request" as const,
                  tone: "unsure" as const,
                  text: counted(refused, "429 response"),
                },
              ]),
          ...(retried === 0
            ? []
            : [
                {
                  at: at(nth),
                  ...period,
                  kind: "retry" as const,
                  text: counted(retried, "retry", "retries"),
                },
              ]),
        ];
      }),
    },
    {
      name: "Waits after 429",
      events: over.waits.flatMap(({ startedAt, milliseconds, kept }): TimelineEvent[] => [
        {
          at: after(startedAt),
          milliseconds,
          kind: "required",
          text: `Retry-After requires ${elapsed(milliseconds)}`,
        },
        ...(kept === undefined
          ? []
          : [
              {
                at: after(startedAt),
                milliseconds: kept,
                kind: "kept" as const,
                text: `the next request left after ${elapsed(kept)}`,
              },
            ]),
      ]),
    },
  ];
}

function loadLane({ load }: Report, after: After): TimelineLane {
  return {
    name: "Load",
    events: load.flatMap(({ name, label, tone, result: { startedAt, seconds } }, nth): TimelineEvent[] =>
      startedAt === undefined || seconds === undefined
        ? []
        : [
            {
              at: after(startedAt),
              milliseconds: 1000 * seconds,
              kind: "part",
              tone,
              text: `${name}: ${label}`,
              to: `#load-${nth}`,
            },
          ],
    ),
  };
}

/** The earliest exchange that shows a failure. */
function firstFailure({ failed }: Report, after: After): TimelineMark[] {
  const shown = failed.flatMap(({ id, reported }) =>
    reported.flatMap(({ evidence }) =>
      evidence.flatMap(({ startedAt }) => (startedAt === undefined ? [] : [{ id, at: after(startedAt) }])),
    ),
  );
  const [first] = shown.toSorted((a, b) => a.at - b.at);
  return first === undefined
    ? []
    : [{ at: first.at, tone: "bad", label: "First failure", to: `#${first.id}` }];
}
