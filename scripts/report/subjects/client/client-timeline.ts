import { endpointLabel } from "../../../../schemas/api.ts";
import type { SituationId } from "../../../../schemas/contracts/client-findings.ts";
import type { ClientRequest, ClientResults } from "../../../../schemas/contracts/client-results.ts";
import { given } from "../../../../schemas/json.ts";
import { situationWords } from "../../../../schemas/words/clients.ts";
import { counted } from "../../../../schemas/words/format.ts";
import type { TimelineBlock, TimelineEvent, TimelineLane } from "../../document.ts";
import type { Tone } from "../../tones.ts";

/** The time line of a client: what the service played, the requests of each process, the waits that were required and kept. */
export function clientTimeline(results: ClientResults): TimelineBlock {
  const { timeline, startedAt } = results;
  const blamed = blamedRequests(results);
  const requests = timeline.map((request, place) => ({ request, to: blamed.get(place) }));
  const processes = [...Map.groupBy(requests, ({ request }) => request.process ?? 0)].toSorted(
    ([a], [b]) => a - b,
  );
  const name = (of: string, process: number) => (processes.length < 2 ? of : `${of}, process ${process}`);
  return {
    kind: "timeline",
    name: "Time line of the client",
    startedAt,
    milliseconds: Math.max(1, ...timeline.map(({ end }) => end), ...waitsIn(timeline).map(endOf)),
    lanes: [
      { name: "Played", events: played(results) },
      ...processes.flatMap(([process, own]): TimelineLane[] => [
        { name: name("Requests", process), events: requestEvents(own) },
        { name: name("Waits", process), events: waitsIn(own.map(({ request }) => request)) },
      ]),
    ],
  };
}

/** The requirement of the finding that a request shows, as a place of the page. */
function blamedRequests({ requirements }: ClientResults): ReadonlyMap<number, string> {
  return new Map(
    requirements
      .filter(({ verdict }) => verdict === "fail" || verdict === "warn")
      .flatMap(({ id, checks }) =>
        checks.flatMap(({ findings }) =>
          findings.flatMap(({ details }) => {
            const places = (details as { readonly requests?: readonly number[] } | undefined)?.requests ?? [];
            return places.map((place) => [place, `#${id}`] as const);
          }),
        ),
      ),
  );
}

/** Whether a situation was played, and does not follow from the catalog or from what was played before. */
export function isPlayed(situation: SituationId): boolean {
  return situation !== "still-limited" && situation !== "fields-missing";
}

function played({ timeline, situations }: ClientResults): TimelineEvent[] {
  return situations.flatMap(({ situation, at }) => {
    const request = timeline[at];
    if (request === undefined || !isPlayed(situation)) return [];
    const milliseconds = request.end - request.at;
    return [{ at: request.at, milliseconds, kind: "part", text: situationWords[situation] }];
  });
}

interface Placed {
  readonly request: ClientRequest;
  readonly to: string | undefined;
}

function requestEvents(requests: readonly Placed[]): TimelineEvent[] {
  const seen = new Set<string>();
  return requests.map(({ request, to }): TimelineEvent => {
    const { at, end, method, target } = request;
    const name = `${method} ${target}`;
    const isAgain = seen.has(name);
    seen.add(name);
    return {
      at,
      milliseconds: Math.max(1, end - at),
      kind: isAgain ? "retry" : "request",
      tone: to === undefined ? toneOf(request) : "bad",
      text: requestText(request),
      ...given({ to }),
    };
  });
}

function toneOf({ status }: ClientRequest): Tone {
  if (status === 429 || status >= 500) return "unsure";
  return status >= 400 ? "notice" : "plain";
}

/** `Lookup by id: GET /v1/products/acme/1: 429, Retry-After: 2`. */
export function requestText({
  endpoint,
  method,
  target,
  status,
  retryAfter,
  items,
  products,
}: ClientRequest): string {
  const aside = [
    retryAfter === undefined ? "" : `, Retry-After: ${retryAfter}`,
    items === undefined ? "" : `, ${counted(items, "item")}`,
    products === undefined ? "" : `, ${counted(products, "product")}`,
  ];
  return `${endpointLabel(endpoint)}: ${method} ${target}: ${status}${aside.join("")}`;
}

const endOf = ({ at, milliseconds }: TimelineEvent) => at + milliseconds;

/** What Retry-After requires, and the time until the next request; waits that overlap are one. */
function waitsIn(requests: readonly ClientRequest[]): TimelineEvent[] {
  const waits: { at: number; until: number; next: number | undefined }[] = [];
  for (const request of requests) {
    const last = waits.at(-1);
    if (last !== undefined && last.next === undefined && request.at > last.at) last.next = request.at;
    if (request.retryAfter === undefined) continue;
    const until = request.end + request.retryAfter * 1000;
    if (last !== undefined && request.end < last.until) last.until = Math.max(last.until, until);
    else waits.push({ at: request.end, until, next: undefined });
  }
  return waits.flatMap(({ at, until, next }): TimelineEvent[] => [
    { at, milliseconds: until - at, kind: "required", text: "wait required by Retry-After" },
    ...(next === undefined
      ? []
      : [
          {
            at,
            milliseconds: next - at,
            kind: "kept" as const,
            tone: next < until ? ("bad" as const) : ("good" as const),
            text: next < until ? "wait until the next request: too short" : "wait until the next request",
          },
        ]),
  ]);
}
