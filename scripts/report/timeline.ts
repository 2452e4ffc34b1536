import { clip, figure } from "../../schemas/words/format.ts";
import type { TimelineBlock, TimelineEvent, TimelineLane } from "./document.ts";
import type { Tone } from "./tones.ts";

// What all faces of a time line have in common.

/** Names of the kinds, for a legend, in the order in which they cover each other on a strip: the last is on top. */
export const eventKinds = {
  required: "wait required by Retry-After",
  kept: "waited",
  part: "part of the run",
  request: "requests",
  retry: "retries",
} as const satisfies Record<TimelineEvent["kind"], string>;

const order = Object.keys(eventKinds);

/** A time after the start: `0.42 s`, `1 min 5 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${figure(Number(seconds.toFixed(seconds < 10 ? 2 : 1)))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** `08:00:01.25` in UTC, for a time after the start. */
export function clockAt({ startedAt }: Pick<TimelineBlock, "startedAt">, at: number, digits = 0): string {
  const iso = new Date(Date.parse(startedAt) + at).toISOString();
  return iso.slice(11, digits === 0 ? 19 : 20 + digits);
}

const tickSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000,
];
const mostTicks = 6;

/** Round times on the axis. */
export function ticksOf({ milliseconds }: Pick<TimelineBlock, "milliseconds">): number[] {
  const step = tickSteps.find((one) => milliseconds / one <= mostTicks) ?? milliseconds;
  return Array.from({ length: Math.floor(milliseconds / step) + 1 }, (_, nth) => nth * step);
}

/** The events of a lane in as few rows as possible without two that overlap; counts share one row. */
export function rowsOf({ events }: TimelineLane): TimelineEvent[][] {
  const rows: TimelineEvent[][] = [];
  const drawn = events.filter(({ level }) => level === undefined).toSorted((a, b) => a.at - b.at);
  for (const event of drawn) {
    const free = rows.find((row) => {
      const last = row.at(-1);
      return last === undefined || last.at + last.milliseconds <= event.at;
    });
    if (free === undefined) rows.push([event]);
    else free.push(event);
  }
  const counts = events.filter(({ level }) => level !== undefined);
  return counts.length === 0 ? rows : [counts, ...rows];
}

/** Whether bars of a lane have their names on them, and so need the height of a line. */
export function isLabelled({ events }: TimelineLane): boolean {
  return events.some(({ label }) => label !== undefined);
}

/** The lanes as lines of text: a name and a strip of characters, with the axis above. */
export function timelineStrips(block: TimelineBlock, width: number): { text: string; tone?: Tone }[] {
  const lanes = block.lanes.filter(({ events }) => events.length > 0);
  const longest = Math.min(28, Math.max(...lanes.map(({ name }) => name.length)));
  const cells = Math.max(20, width - longest - 2);
  const end = elapsed(block.milliseconds);
  const head = `${" ".repeat(longest + 2)}0 s${end.padStart(cells - 3)}`;
  const marks = (block.marks ?? []).map(({ at, label, tone }) => ({
    text: `${" ".repeat(longest + 2 + cellAt(block, at, cells))}▼ ${label}, ${elapsed(at)}`,
    tone,
  }));
  return [
    { text: head },
    ...marks.map((mark) => ({ ...mark, text: fitted(mark.text, longest + 2 + cells) })),
    ...lanes.map((lane) => ({
      text: `${clip(lane.name.replaceAll(/\s+/g, " "), longest).padEnd(longest)}  ${stripOf(lane, block, cells)}`,
      ...(lane.events.some(({ tone }) => tone === "bad") ? { tone: "bad" as const } : {}),
    })),
  ];
}

/** Begins further left where the text would not fit. */
function fitted(text: string, width: number): string {
  return text.length <= width ? text : text.trimStart().padStart(width);
}

function cellAt({ milliseconds }: TimelineBlock, at: number, cells: number): number {
  return Math.min(cells - 1, Math.max(0, Math.floor((at / Math.max(1, milliseconds)) * cells)));
}

const levels = [..."▁▂▃▄▅▆▇█"];
const signs = { part: "━", request: "█", retry: "↻", required: "░", kept: "▓" } as const;

function stripOf({ events }: TimelineLane, block: TimelineBlock, cells: number): string {
  const strip = Array<string>(cells).fill(" ");
  for (const event of events.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))) {
    const last = cellAt(block, event.at + Math.max(0, event.milliseconds - 1), cells);
    for (let cell = cellAt(block, event.at, cells); cell <= last; cell++)
      if (strip[cell] !== "✕") strip[cell] = signOf(event);
  }
  return strip.join("").trimEnd();
}

function signOf({ kind, tone, level }: TimelineEvent): string {
  if (tone === "bad") return "✕";
  if (level === undefined) return signs[kind];
  return levels[Math.round(level * (levels.length - 1))] ?? signs[kind];
}
