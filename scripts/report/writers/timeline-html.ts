import { capitalized, clip } from "../../../schemas/words/format.ts";
import type { TimelineBlock, TimelineEvent, TimelineLane } from "../document.ts";
import { clockAt, elapsed, eventKinds, isLabelled, rowsOf, ticksOf } from "../timeline.ts";
import { type Html, html } from "./markup.ts";

// SVG without a view box: its places are percentages, so text keeps its shape at every width, and no style attribute is
// needed, which the page's policy forbids.

const rowHeight = 6;
/** A run may have thousands of events. */
const longestText = 120;
const labelHeight = 14;
const countsHeight = 22;

/** The lanes of a time line. `page/timeline.ts` lets the reader walk through the events. */
export function timelineLanes(block: TimelineBlock): Html {
  const lanes = block.lanes.filter(({ events }) => events.length > 0);
  const kinds = new Set(lanes.flatMap(({ events }) => events.map(({ kind }) => kind)));
  const shown = (Object.keys(eventKinds) as TimelineEvent["kind"][]).filter((kind) => kinds.has(kind));
  return html`<figure class="timeline" data-timeline aria-label="${block.name}">
<div class="lanes">${axis(block)}${lanes.map((lane) => laneOf(lane, block))}</div>
<p class="at">${(block.marks ?? []).map(({ at, label, to }) => html`${label} after ${elapsed(at)}, at ${clockAt(block, at)} UTC. ${to === undefined ? undefined : html`<a href="${to}">Show it</a>`} `)}<span class="hint" hidden>Arrow keys, a click or a tap choose a bar; Page Down goes to the next failure.</span></p>
<figcaption>${shown.map((kind) => html`<span><svg class="key" width="18" height="10" aria-hidden="true"><rect class="${kind}" y="1" width="18" height="8"></rect></svg> ${eventKinds[kind]}</span> `)}</figcaption>
</figure>`;
}

function place({ milliseconds }: TimelineBlock, at: number): string {
  return `${((100 * at) / Math.max(1, milliseconds)).toFixed(2)}%`;
}

function axis(block: TimelineBlock): Html {
  const ticks = ticksOf(block);
  const last = ticks.length - 1;
  const marks = (block.marks ?? []).map(
    ({ at, label, tone }) =>
      html`<text class="mark ${tone}" x="${place(block, at)}" y="11" text-anchor="${at > block.milliseconds / 2 ? "end" : "start"}">${label}, ${elapsed(at)}</text>`,
  );
  const top = marks.length === 0 ? 0 : 16;
  return html`<span class="lane-name axis">UTC</span><svg class="axis" height="${top + 30}">${marks}${ticks.map(
    (at, nth) => {
      const anchor = nth === 0 ? "start" : at > 0.93 * block.milliseconds ? "end" : "middle";
      const lower = nth % 2 === 1 && nth !== last ? "minor" : "";
      return html`<g class="${lower}"><text x="${place(block, at)}" y="${top + 12}" text-anchor="${anchor}">${elapsed(at)}</text><text class="clock" x="${place(block, at)}" y="${top + 26}" text-anchor="${anchor}">${clockAt(block, at)}</text></g>`;
    },
  )}</svg>`;
}

function laneOf(lane: TimelineLane, block: TimelineBlock): Html {
  const rows = rowsOf(lane);
  const isCounted = lane.events.some(({ level }) => level !== undefined);
  const step = isLabelled(lane) ? labelHeight : rowHeight;
  const top = (nth: number) => (isCounted && nth > 0 ? countsHeight + (nth - 1) * step : nth * step);
  const height = Math.max(14, top(rows.length));
  const lines = [
    ...ticksOf(block).map((at) => ({ at, kind: "tick" })),
    ...(block.marks ?? []).map(({ at, tone }) => ({ at, kind: `mark ${tone}` })),
  ];
  return html`<span class="lane-name">${lane.name}</span><svg class="lane" height="${height}">${lines.map(({ at, kind }) => html`<line class="${kind}" x1="${place(block, at)}" x2="${place(block, at)}" y1="0" y2="${height}"></line>`)}${rows.map((row, nth) => row.map((event) => rect(event, block, { y: top(nth), height: isCounted && nth === 0 ? countsHeight : step - 1 })))}</svg>`;
}

/** Drawn at least this wide, in percent of the axis. */
const leastWidth = 0.25;
/** Narrower bars, in the same unit, have no name on them. */
const leastLabelled = 4;

function rect(
  { at, milliseconds, kind, tone = "plain", text, to, level, label }: TimelineEvent,
  block: TimelineBlock,
  { y, height }: { y: number; height: number },
): Html {
  const part = level === undefined ? height : Math.max(1, Math.round(level * height));
  const width = Math.max(leastWidth, (100 * milliseconds) / Math.max(1, block.milliseconds));
  const link = to === undefined ? undefined : html` data-to="${to}"`;
  const x = place(block, at);
  const bar = html`<rect class="${kind} ${tone}" data-at="${at}" data-long="${milliseconds}"${link} x="${x}" y="${y + height - part}" width="${width.toFixed(2)}%" height="${part}"><title>${eventTitle({ at, milliseconds, text }, block)}</title></rect>`;
  if (label === undefined || width < leastLabelled) return bar;
  // An inner SVG cuts the name off at the end of its bar.
  return html`${bar}<svg class="on-bar" x="${x}" y="${y}" width="${width.toFixed(2)}%" height="${height}"><text x="4" y="${height - 3}">${clip(label, longestText)}</text></svg>`;
}

function eventTitle(
  { at, milliseconds, text }: Pick<TimelineEvent, "at" | "milliseconds" | "text">,
  block: TimelineBlock,
): Html {
  const length = milliseconds === 0 ? "" : `, ${elapsed(milliseconds)}`;
  return html`${clockAt(block, at, 2)} UTC, after ${elapsed(at)}${length}: ${clip(text, longestText)}`;
}

/** The events in the order of time, for a table. */
export function timelineRows(block: TimelineBlock): { readonly cells: readonly string[] }[] {
  const events = block.lanes.flatMap(({ name, events: own }) => own.map((event) => ({ ...event, name })));
  return events
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, milliseconds, name, text }) => ({
      cells: [
        elapsed(at),
        clockAt(block, at, 2),
        milliseconds === 0 ? "" : elapsed(milliseconds),
        name,
        capitalized(clip(text, longestText)),
      ],
    }));
}
