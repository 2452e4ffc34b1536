import { keyHeaders, mostBatchItems } from "../schemas/api.ts";
import { bodyOf, type ClientExchange, waitOf } from "./exchange.ts";
import { identifierOf, itemsOf, kindOf, modesOf, parametersOf, parsedObject, targetOf } from "./request.ts";
import type { SituationId } from "./situations.ts";
import type { ClientTask, LookupTask, TaskName } from "./task.ts";

// What decides each requirement on clients: the requests alone, their times, bytes, headers and order.

/** Everything that was seen of a client. */
export interface ClientRun {
  readonly exchanges: readonly ClientExchange[];
  readonly tasks: readonly ClientTask[];
  /** The key that the client was given. */
  readonly key: string;
  /** Length of the run in milliseconds. */
  readonly duration: number;
  /** Longest time for which the observer itself stood still, in milliseconds: its clock may be late by as much. */
  readonly lag: number;
  /** Whether the client ended by itself, so that what it did not send it did not want to send. */
  readonly endedByItself: boolean;
}

/** What was seen, as data. `exchanges` are the indexes of the ones that show it. */
export type ClientFinding = (
  | {
      readonly code: "sent-too-early";
      readonly seconds: number;
      readonly afterMilliseconds: number;
      readonly same: boolean;
    }
  | { readonly code: "not-sent-again"; readonly status: number }
  | { readonly code: "cursor-changed"; readonly sent: string; readonly given: string | undefined }
  | { readonly code: "walk-stopped"; readonly category: string; readonly products: number }
  | { readonly code: "asked-after-the-end"; readonly category: string }
  | { readonly code: "retailers-not-listed"; readonly slug: string }
  | { readonly code: "retailer-has-left"; readonly slug: string }
  | {
      readonly code: "message-matters";
      readonly status: number;
      readonly repeated: "usual" | "other" | "neither";
    }
  | {
      readonly code: "stopped-after";
      readonly situation: SituationId;
      readonly task: TaskName;
      readonly done: number;
      readonly of: number;
    }
  | { readonly code: "several-identifiers"; readonly names: readonly string[] }
  | { readonly code: "batch-too-large"; readonly items: number }
  | { readonly code: "no-key" }
  | { readonly code: "key-outside-headers"; readonly where: "path" | "query" | "body" }
  | { readonly code: "browser-headers"; readonly names: readonly string[] }
  | { readonly code: "body-not-json"; readonly contentType: string | undefined }
  | { readonly code: "repeated-refusal"; readonly status: number; readonly times: number }
  | { readonly code: "polled"; readonly times: number; readonly everyMilliseconds: number }
) & {
  readonly exchanges: readonly number[];
  /** How often it was seen, of how many chances. */
  readonly times: number;
  readonly of: number;
};

/** What an observation says of a run. */
export interface Observed {
  /** Requests in which it could have shown. None: it was not judged. */
  readonly chances: number;
  readonly findings: readonly ClientFinding[];
}

export interface ClientObservation {
  /** `<requirement>/<name>` */
  readonly id: string;
  /** What the client does, when all is well. */
  readonly title: string;
  /** A finding is a warning only: no sentence of the spec demands it. */
  readonly warns?: true;
  /** The tasks that give it a chance. */
  readonly tasks: readonly TaskName[];
  readonly look: (run: ClientRun) => Observed;
}

/** A client cannot have sent a request earlier than this before it was seen, and clocks tick in milliseconds. */
const clockMilliseconds = 20;
/** A request that another worker had begun when the refusal came may still arrive within this time. */
const underWayMilliseconds = 500;

export const observations: readonly ClientObservation[] = [
  {
    id: "limits.respect/waits",
    title: "After a 429, no request is sent before the seconds of Retry-After are over",
    tasks: ["look-up", "walk", "batch", "keep-looking-up"],
    look: requestsDuringWaits,
  },
  {
    id: "limits.respect/goes-on",
    title: "A refused request is sent again after the wait",
    tasks: ["look-up", "walk", "batch"],
    look: refusalsWithoutRepetition,
  },
  {
    id: "page.opaque-cursor/unchanged",
    title: "Each cursor is one that a page gave, byte for byte",
    tasks: ["walk"],
    look: changedCursors,
  },
  {
    id: "query.follow-cursor/to-the-end",
    title: "A walk follows next_cursor until it is empty, past short and empty pages",
    tasks: ["walk"],
    look: stoppedWalks,
  },
  {
    id: "query.follow-cursor/stops",
    title: "A walk ends at the empty next_cursor",
    tasks: ["walk"],
    look: walksBeyondTheEnd,
  },
  {
    id: "retailer.no-hard-coding/listed",
    title: "Retailers are taken from the list of the service",
    tasks: ["search-retailers"],
    look: unlistedRetailers,
  },
  {
    id: "retailer.no-hard-coding/after-leaving",
    title: "A retailer that has left is searched no more",
    tasks: ["search-retailers"],
    look: retailersThatLeft,
  },
  {
    id: "errors.branch-on-code/same-behaviour",
    title: "Errors with the same code are treated alike, whatever their message",
    tasks: ["look-up"],
    look: behaviourByMessage,
  },
  {
    id: "errors.branch-on-code/goes-on",
    title: "An error whose message has another wording does not stop the client",
    tasks: ["look-up"],
    look: stopsAfter(["message-changed"]),
  },
  {
    id: "errors.final-refusals/not-repeated",
    title: "A request that 400, 401, 403 or 404 refused is not sent again unchanged",
    warns: true,
    tasks: ["look-up", "search-retailers"],
    look: repeatedRefusals,
  },
  {
    id: "product.tolerant-reader/goes-on",
    title: "Products with fewer or with other fields do not stop the client",
    tasks: ["look-up", "walk"],
    look: stopsAfter(["fields-omitted", "fields-missing", "fields-added"]),
  },
  {
    id: "query.one-identifier/one",
    title: "Each request has exactly one of url, gtin and category",
    tasks: ["look-up", "walk"],
    look: severalIdentifiers,
  },
  {
    id: "batch.most-items/at-most-50",
    title: `No batch has more than ${mostBatchItems} items`,
    tasks: ["batch"],
    look: largeBatches,
  },
  {
    id: "authentication.key-in-header/sent",
    title: "Each request has the key in one of the two headers",
    tasks: ["list-retailers"],
    look: requestsWithoutKey,
  },
  {
    id: "authentication.key-in-header/nowhere-else",
    title: "The key is in no URL and in no body",
    tasks: ["list-retailers"],
    look: keysOutsideHeaders,
  },
  {
    id: "service.server-side-only/no-browser",
    title: "No request has the headers of a web page in a browser",
    tasks: ["list-retailers"],
    look: browserRequests,
  },
  {
    id: "service.json-requests/body",
    title: "The body of a batch is JSON, and its Content-Type says so",
    tasks: ["batch"],
    look: bodiesThatAreNotJson,
  },
  {
    id: "service.freshness/no-polling",
    title: "Nothing is requested again and again at a fixed interval",
    warns: true,
    tasks: ["look-up"],
    look: polling,
  },
];

const single = (exchange: ClientExchange, of: number) => ({ exchanges: [exchange.index], times: 1, of });

/** One finding for all that differ in the requests that show them only: the first few stand for the others. */
function merged<F extends ClientFinding>(findings: readonly F[], of: number): readonly F[] {
  const [first] = findings;
  if (first === undefined) return [];
  return [
    {
      ...first,
      exchanges: findings.flatMap(({ exchanges }) => exchanges).slice(0, 6),
      times: findings.length,
      of,
    },
  ];
}

function requestsDuringWaits({ exchanges, lag }: ClientRun): Observed {
  const refused = exchanges.filter((exchange) => waitOf(exchange) !== undefined);
  const findings = exchanges.flatMap((exchange): ClientFinding[] => {
    // The refusal whose wait lasts longest is the one that the request comes too early for.
    const early = refused
      .filter((refusal) => isTooEarly(exchange, refusal, lag))
      .toSorted((a, b) => waitEnd(b) - waitEnd(a));
    const [refusal] = early;
    if (refusal === undefined) return [];
    const same = targetOf(refusal) === targetOf(exchange);
    return [
      {
        code: "sent-too-early",
        seconds: waitOf(refusal) ?? 0,
        afterMilliseconds: Math.round(exchange.at - refusal.end),
        same,
        exchanges: [refusal.index, exchange.index],
        times: 1,
        of: refused.length,
      },
    ];
  });
  return { chances: refused.length, findings: merged(findings, refused.length) };
}

const waitEnd = (refusal: ClientExchange): number => refusal.end + (waitOf(refusal) ?? 0) * 1000;

function isTooEarly(exchange: ClientExchange, refusal: ClientExchange, lag: number): boolean {
  if (exchange.process !== refusal.process || exchange.at <= refusal.end) return false;
  if (exchange.at >= waitEnd(refusal) - clockMilliseconds) return false;
  // A connection that was opened before the refusal brings a request that had begun before it, when it brings its first one.
  if (exchange.isFirstOnConnection && exchange.connectedAt <= refusal.end) return false;
  const knewOfIt =
    targetOf(exchange) === targetOf(refusal) &&
    (exchange.connectedAt > refusal.end || isSameConnection(exchange, refusal));
  return knewOfIt || exchange.at > refusal.end + underWayMilliseconds + lag;
}

const isSameConnection = (a: ClientExchange, b: ClientExchange): boolean =>
  a.request.connection !== undefined && a.request.connection.id === b.request.connection?.id;

function refusalsWithoutRepetition({ exchanges, duration, endedByItself }: ClientRun): Observed {
  const refused = exchanges.filter((exchange) => waitOf(exchange) !== undefined);
  const hadTime = (refusal: ClientExchange) => endedByItself || duration > waitEnd(refusal) + 10_000;
  const findings = refused
    .filter((refusal) => hadTime(refusal) && !exchanges.some((later) => isRepetition(later, refusal)))
    .map(
      (refusal): ClientFinding => ({
        code: "not-sent-again",
        status: 429,
        ...single(refusal, refused.length),
      }),
    );
  return { chances: refused.length, findings: merged(findings, refused.length) };
}

/** Whether a later request asks for what an earlier one asked for: of a batch, for one of its items. */
function isRepetition(later: ClientExchange, earlier: ClientExchange): boolean {
  if (later.index <= earlier.index) return false;
  if (targetOf(later) === targetOf(earlier)) return true;
  if (kindOf(earlier) !== "batch") return false;
  const items = new Set((itemsOf(earlier.request) ?? []).map((item) => JSON.stringify(item)));
  return (itemsOf(later.request) ?? []).some((item) => items.has(JSON.stringify(item)));
}

interface SeenPage {
  readonly exchange: ClientExchange;
  readonly category: string;
  readonly cursor: string | undefined;
  /** Undefined unless the response is a page. */
  readonly next: string | undefined;
  readonly products: number;
}

function pagesOf(exchanges: readonly ClientExchange[]): SeenPage[] {
  return exchanges
    .filter((exchange) => kindOf(exchange) === "category-page")
    .map((exchange) => {
      const parameters = parametersOf(exchange);
      const body = exchange.response.status === 200 ? bodyOf(exchange) : undefined;
      const meta = body?.meta;
      const next =
        typeof meta === "object" && meta !== null && "next_cursor" in meta ? meta.next_cursor : undefined;
      return {
        exchange,
        category: parameters.get("category") ?? "",
        cursor: parameters.get("cursor") ?? undefined,
        next: typeof next === "string" ? next : undefined,
        products: Array.isArray(body?.products) ? body.products.length : 0,
      };
    });
}

function changedCursors({ exchanges }: ClientRun): Observed {
  const pages = pagesOf(exchanges);
  const given = (before: SeenPage) =>
    pages.filter((page) => page.exchange.index < before.exchange.index && page.category === before.category);
  const sent = pages.filter(({ cursor }) => cursor !== undefined && cursor !== "");
  const findings = sent
    .filter((page) => !given(page).some(({ next }) => next === page.cursor))
    .map((page): ClientFinding => {
      const last = given(page).findLast(({ next }) => next !== undefined && next !== "");
      return {
        code: "cursor-changed",
        sent: page.cursor ?? "",
        given: last?.next,
        ...single(page.exchange, sent.length),
      };
    });
  return { chances: sent.length, findings: merged(findings, sent.length) };
}

function stoppedWalks({ exchanges, tasks, endedByItself, duration }: ClientRun): Observed {
  const task = tasks.find((one) => one.do === "walk");
  const pages = pagesOf(exchanges).filter(({ category }) => category === task?.category);
  const withMore = pages.filter(({ next }) => next !== undefined && next !== "");
  const last = pages.at(-1);
  // A walk that was given up at an error is judged where errors are; so is one whose cursor was changed.
  if (last?.next === undefined) return { chances: last === undefined ? 0 : withMore.length, findings: [] };
  const hadTime = endedByItself || duration > last.exchange.end + 10_000;
  // What stopped the whole client is judged with its cause.
  const isLastOfAll = exchanges.at(-1) === last.exchange;
  const hasOtherReason = isLastOfAll && otherReasons.includes(last.exchange.situation);
  const isStopped = hadTime && last.next !== "" && !hasOtherReason;
  const finding: ClientFinding = {
    code: "walk-stopped",
    category: last.category,
    products: last.products,
    ...single(last.exchange, pages.length),
  };
  return { chances: withMore.length, findings: isStopped ? [finding] : [] };
}

const otherReasons: readonly (SituationId | undefined)[] = ["fields-omitted", "fields-added"];

function walksBeyondTheEnd({ exchanges }: ClientRun): Observed {
  const pages = pagesOf(exchanges);
  const ends = pages.filter(({ next }) => next === "");
  const findings = ends.flatMap((end): ClientFinding[] => {
    const beyond = pages.find(
      ({ exchange, category, cursor }) =>
        exchange.index > end.exchange.index && category === end.category && cursor === "",
    );
    if (beyond === undefined) return [];
    return [{ code: "asked-after-the-end", category: end.category, ...single(beyond.exchange, ends.length) }];
  });
  return { chances: ends.length, findings: merged(findings, ends.length) };
}

/** Searches of the task that names a GTIN: the only ones whose retailers the client chooses. */
function searchesOf({
  exchanges,
  tasks,
}: ClientRun): { readonly exchange: ClientExchange; readonly slug: string }[] {
  const task = tasks.find((one) => one.do === "search-retailers");
  return exchanges.flatMap((exchange) => {
    const parameters = parametersOf(exchange);
    const slug = parameters.get("retailer");
    return slug !== null && task !== undefined && parameters.get("gtin") === task.gtin
      ? [{ exchange, slug }]
      : [];
  });
}

/** The requests that are not repeated because a task asks for rounds. */
function unsearched(run: ClientRun): readonly ClientExchange[] {
  const searches = new Set(searchesOf(run).map(({ exchange }) => exchange));
  return run.exchanges.filter((exchange) => !searches.has(exchange));
}

function listedIn(exchange: ClientExchange): readonly string[] {
  const list = kindOf(exchange) === "retailers" ? bodyOf(exchange)?.retailers : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) =>
    typeof entry === "object" && entry !== null && "slug" in entry && typeof entry.slug === "string"
      ? [entry.slug]
      : [],
  );
}

function unlistedRetailers(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const findings = searches
    .filter(({ exchange, slug }) =>
      run.exchanges.every((earlier) => earlier.index >= exchange.index || !listedIn(earlier).includes(slug)),
    )
    .map(
      ({ exchange, slug }): ClientFinding => ({
        code: "retailers-not-listed",
        slug,
        ...single(exchange, searches.length),
      }),
    );
  return { chances: searches.length, findings: merged(findings, searches.length) };
}

function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const refused = searches.filter(({ exchange }) => exchange.situation === "retailer-left");
  const listed = run.exchanges.filter((exchange) => exchange.situation === "retailers-changed");
  const [first, ...later] = refused;
  const again =
    first === undefined ? undefined : later.find(({ exchange }) => exchange.index > first.exchange.index);
  const hasLeft = refused.length > 0 || listed.length > 0;
  if (again === undefined) return { chances: hasLeft ? searches.length : 0, findings: [] };
  return {
    chances: searches.length,
    findings: [
      {
        code: "retailer-has-left",
        slug: again.slug,
        exchanges: refused.slice(0, 6).map(({ exchange }) => exchange.index),
        times: refused.length,
        of: searches.length,
      },
    ],
  };
}

function behaviourByMessage(run: ClientRun): Observed {
  const { exchanges } = run;
  const errors = unsearched(run).filter(({ response: { status } }) => status === 404 || status === 429);
  const findings = [...Map.groupBy(errors, ({ response: { status } }) => status)].flatMap(([status, all]) => {
    const firstOfEach = all.filter(
      (one) => !all.some((other) => other.index < one.index && targetOf(other) === targetOf(one)),
    );
    const { usual = [], other = [] } = Object.groupBy(firstOfEach, (one) =>
      one.isReworded ? "other" : "usual",
    );
    if (usual.length < 2 || other.length < 2) return [];
    const isRepeated = (one: ClientExchange) => exchanges.some((later) => isRepetition(later, one));
    const [ofUsual, ofOther] = [usual.map(isRepeated), other.map(isRepeated)];
    const areAlike = (answers: readonly boolean[]) => new Set(answers).size === 1;
    if (!areAlike(ofUsual) || !areAlike(ofOther) || ofUsual[0] === ofOther[0]) return [];
    const finding: ClientFinding = {
      code: "message-matters",
      status,
      repeated: ofUsual[0] === true ? "usual" : "other",
      exchanges: [...usual, ...other].slice(0, 4).map(({ index }) => index),
      times: other.length,
      of: firstOfEach.length,
    };
    return [finding];
  });
  return { chances: errors.filter(({ isReworded }) => isReworded).length, findings };
}

/** A client with several workers sends a little more after the response that stops it. */
const lastResponses = 3;
/** Situations that need nothing from a client but to go on. */
const needNothing: readonly SituationId[] = ["fields-omitted", "fields-added", "message-changed"];

/** Tells whether the client stopped in the middle of a task, and what it met last was one of these. */
function stopsAfter(blamed: readonly SituationId[]): ClientObservation["look"] {
  return ({ exchanges, tasks, endedByItself, duration }) => {
    const chances = exchanges.filter(
      ({ situation }) => situation !== undefined && blamed.includes(situation),
    );
    const last = exchanges.slice(-lastResponses);
    const isCause = ({ situation }: ClientExchange) =>
      situation !== undefined && needNothing.includes(situation);
    // What the catalog leaves out by itself explains a stop only where nothing was played.
    const cause = last.findLast(isCause) ?? last.findLast(({ situation }) => situation === "fields-missing");
    const hadTime = endedByItself || duration > (exchanges.at(-1)?.end ?? 0) + 10_000;
    // Only the task to which the response belongs can have been stopped by it.
    const unfinished = tasks
      .filter((task) => cause !== undefined && isPartOf(cause, task))
      .map((task) => progressOf(task, exchanges))
      .find(({ done, of }) => done > 0 && done < of);
    // A failure after which nothing was sent again explains the stop as well.
    const gaveUp = last.some(
      (one) =>
        [429, 502, 504].includes(one.response.status) && !exchanges.some((later) => isRepetition(later, one)),
    );
    if (
      !hadTime ||
      gaveUp ||
      cause?.situation === undefined ||
      !blamed.includes(cause.situation) ||
      !unfinished
    )
      return { chances: chances.length, findings: [] };
    const { situation, index } = cause;
    return {
      chances: chances.length,
      findings: [{ code: "stopped-after", situation, ...unfinished, exchanges: [index], times: 1 }],
    };
  };
}

/** Whether a request is for a task that has an end. */
function isPartOf(exchange: ClientExchange, task: ClientTask): boolean {
  if (task.do === "walk") return parametersOf(exchange).get("category") === task.category;
  return task.do === "look-up" && task.products.some((product) => isLookupOf(exchange, product));
}

/** How much of a task has been requested. */
function progressOf(
  task: ClientTask,
  exchanges: readonly ClientExchange[],
): { readonly task: TaskName; readonly done: number; readonly of: number } {
  switch (task.do) {
    case "look-up": {
      const done = task.products.filter((product) => exchanges.some((one) => isLookupOf(one, product)));
      return { task: task.do, done: done.length, of: task.products.length };
    }
    case "walk": {
      const pages = pagesOf(exchanges).filter(({ category }) => category === task.category);
      const isDone = pages.some(({ next }) => next === "");
      return { task: task.do, done: pages.length, of: isDone ? pages.length : pages.length + 1 };
    }
    default:
      return { task: task.do, done: 0, of: 0 };
  }
}

function isLookupOf(exchange: ClientExchange, product: LookupTask): boolean {
  if (product.by === "id") {
    const sent = identifierOf(exchange);
    return sent?.retailer === product.retailer && sent.productId === product.product_id;
  }
  const parameters = parametersOf(exchange);
  return product.by === "url"
    ? parameters.get("url") === product.url
    : parameters.get("gtin") === product.gtin;
}

function repeatedRefusals(run: ClientRun): Observed {
  const refused = unsearched(run).filter(({ response: { status } }) => [400, 401, 403, 404].includes(status));
  const repeated = [...Map.groupBy(refused, targetOf).values()].filter((group) => group.length > 1);
  const findings = repeated.map((group): ClientFinding => {
    const [first] = group;
    return {
      code: "repeated-refusal",
      status: first?.response.status ?? 0,
      times: group.length,
      of: refused.length,
      exchanges: group.slice(0, 4).map(({ index }) => index),
    };
  });
  return { chances: refused.length, findings: findings.slice(0, 1) };
}

function severalIdentifiers({ exchanges }: ClientRun): Observed {
  const queries = exchanges.filter(({ request: { path } }) => path === "/v1/products");
  const findings = queries
    .map((exchange) => ({ exchange, names: modesOf(exchange) }))
    .filter(({ names }) => names.length > 1)
    .map(
      ({ exchange, names }): ClientFinding => ({
        code: "several-identifiers",
        names,
        ...single(exchange, queries.length),
      }),
    );
  return { chances: queries.length, findings: merged(findings, queries.length) };
}

const batchesOf = (exchanges: readonly ClientExchange[]) =>
  exchanges.filter((exchange) => kindOf(exchange) === "batch");

function largeBatches({ exchanges }: ClientRun): Observed {
  const batches = batchesOf(exchanges);
  const findings = batches
    .map((exchange) => ({ exchange, items: itemsOf(exchange.request)?.length ?? 0 }))
    .filter(({ items }) => items > mostBatchItems)
    .map(
      ({ exchange, items }): ClientFinding => ({
        code: "batch-too-large",
        items,
        ...single(exchange, batches.length),
      }),
    );
  return { chances: batches.length, findings: merged(findings, batches.length) };
}

const keyHeaderNames = Object.values(keyHeaders).map((name) => name.toLowerCase());

function requestsWithoutKey({ exchanges }: ClientRun): Observed {
  const findings = exchanges
    .filter(({ request: { headers } }) => keyHeaderNames.every((name) => (headers[name] ?? "") === ""))
    .map((exchange): ClientFinding => ({ code: "no-key", ...single(exchange, exchanges.length) }));
  return { chances: exchanges.length, findings: merged(findings, exchanges.length) };
}

function keysOutsideHeaders({ exchanges, key }: ClientRun): Observed {
  const findings = exchanges.flatMap((exchange): ClientFinding[] => {
    const { path, query, body } = exchange.request;
    const where = (
      [
        ["path", path],
        ["query", query],
        ["body", body.toString()],
      ] as const
    ).find(([, text]) => text.includes(key));
    return where === undefined
      ? []
      : [{ code: "key-outside-headers", where: where[0], ...single(exchange, exchanges.length) }];
  });
  return { chances: exchanges.length, findings: merged(findings, exchanges.length) };
}

/** Headers that only a page in a browser has. Node's fetch sends `sec-fetch-mode` too, so that one says nothing. */
const browserHeaders = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"];

function browserRequests({ exchanges }: ClientRun): Observed {
  const findings = exchanges
    .map((exchange) => ({
      exchange,
      names: browserHeaders.filter((name) => exchange.request.headers[name] !== undefined),
    }))
    .filter(({ names }) => names.length > 0)
    .map(
      ({ exchange, names }): ClientFinding => ({
        code: "browser-headers",
        names,
        ...single(exchange, exchanges.length),
      }),
    );
  return { chances: exchanges.length, findings: merged(findings, exchanges.length) };
}

function bodiesThatAreNotJson({ exchanges }: ClientRun): Observed {
  const batches = batchesOf(exchanges);
  const findings = batches
    .map((exchange) => ({ exchange, contentType: exchange.request.headers["content-type"] }))
    .filter(
      ({ exchange, contentType }) =>
        !/^application\/json *(?:;|$)/i.test(contentType ?? "") ||
        parsedObject(exchange.request.body) === undefined,
    )
    .map(
      ({ exchange, contentType }): ClientFinding => ({
        code: "body-not-json",
        contentType,
        ...single(exchange, batches.length),
      }),
    );
  return { chances: batches.length, findings: merged(findings, batches.length) };
}

/** Repetitions that no task asks for and no refusal explains: most of the gaps are within a tenth of their median. */
function polling(run: ClientRun): Observed {
  const kept = run.tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];
  const rounds = run.tasks.find((task) => task.do === "search-retailers")?.rounds ?? 0;
  const succeeded = unsearched(run).filter(
    (one) =>
      one.request.method === "GET" &&
      one.response.status === 200 &&
      !kept.some((product) => isLookupOf(one, product)),
  );
  const findings = [...Map.groupBy(succeeded, targetOf).values()].flatMap((group): ClientFinding[] => {
    const gaps = group.slice(1).map((one, at) => one.at - (group[at]?.at ?? 0));
    const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
    const regular = gaps.filter((gap) => Math.abs(gap - median) <= median / 10);
    if (gaps.length < 5 + rounds || median < 200 || regular.length < gaps.length * 0.7) return [];
    return [
      {
        code: "polled",
        times: group.length,
        of: succeeded.length,
        everyMilliseconds: Math.round(median),
        exchanges: group.slice(0, 4).map(({ index }) => index),
      },
    ];
  });
  return { chances: succeeded.length, findings: findings.slice(0, 1) };
}
