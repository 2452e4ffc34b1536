import { describe, expect, test } from "vitest";
import { requirementOf, requirements } from "../../conformance/requirements/all.ts";
import type { ClientTask } from "../contract/tasks.ts";
import { type ClientExchange, readRequest, readResponse } from "../lab/exchange.ts";
import type { ClientRun, Observed } from "./observation.ts";
import { observations } from "./observations.ts";

// What the programs of test/acceptance/clients.acceptance.ts, which has one for each observation, do not show: the nearest run
// that breaks nothing.

const key = "sk_test_client";

interface Sent {
  readonly at?: number;
  readonly method?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>> | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status?: number;
  readonly wait?: number;
  readonly response?: unknown;
  readonly connection?: number;
  readonly situations?: ClientExchange["situations"];
}

function exchangeOf(sent: Sent, index: number): ClientExchange {
  const { at = index * 10, method = "GET", path = "/v1/retailers", query = "", status = 200, wait } = sent;
  const { connection = 1, situations = [] } = sent;
  const text = sent.body === undefined ? "" : JSON.stringify(sent.body);
  const request = {
    method,
    path,
    query: typeof query === "string" ? query : new URLSearchParams(query).toString(),
    headers: {
      "x-api-key": key,
      ...(text !== "" && { "content-type": "application/json" }),
      ...sent.headers,
    },
    body: Buffer.from(text),
    connection: { id: connection, openedAt: 0 },
  };
  const response = readResponse({
    status: wait === undefined ? status : 429,
    headers: wait === undefined ? {} : { "retry-after": String(wait) },
    body: Buffer.from(JSON.stringify(sent.response ?? {})),
  });
  return { ...readRequest(request), ...response, index, at, end: at + 1, connectedAt: 0, situations };
}

const tasks: readonly ClientTask[] = [
  {
    do: "look-up",
    products: ["1", "2", "3"].map((id) => ({ by: "id", retailer: "acme", product_id: id })),
  },
  { do: "walk", category: "books" },
  { do: "batch", items: [{ retailer: "acme", product_id: "1" }] },
  { do: "search-retailers", gtin: "4006381333931", rounds: 4 },
];

function look(id: string, sent: readonly Sent[], change: Partial<ClientRun> = {}): Observed {
  const found = observations.find((observation) => observation.id === id);
  if (found === undefined) throw new Error(`there is no observation ${id}`);
  const exchanges = sent.map(exchangeOf);
  return found.look({ exchanges, tasks, key, stalls: [], ended: "done", workers: 1, ...change });
}

const lookup = (id: string, more: Sent = {}): Sent => ({ path: `/v1/products/acme/${id}`, ...more });
const page = (cursor: string, next: string, count = 1, more: Sent = {}): Sent => ({
  path: "/v1/products",
  query: { category: "books", ...(cursor !== "" && { cursor }) },
  response: { products: Array.from({ length: count }, () => ({})), meta: { next_cursor: next, count } },
  ...more,
});
const search = (slug: string, more: Sent = {}): Sent => ({
  path: "/v1/products",
  query: { gtin: "4006381333931", retailer: slug },
  ...more,
});
const list = (slugs: readonly string[], more: Sent = {}): Sent => ({
  response: { retailers: slugs.map((slug) => ({ slug })) },
  ...more,
});
const batch = (items: number, more: Sent = {}): Sent => ({
  method: "POST",
  path: "/v1/products/batch-lookup",
  body: { items: Array.from({ length: items }, (_, at) => ({ retailer: "acme", product_id: String(at) })) },
  ...more,
});
const unknown = (id: string, isReworded: boolean): Sent =>
  lookup(id, { status: 404, situations: isReworded ? ["message-changed"] : [] });

const left = search("acme", { status: 403, situations: ["retailer-left"] });

interface Row {
  readonly broken: readonly Sent[];
  readonly careful: readonly Sent[];
}

const rows: Readonly<Record<string, Row>> = {
  "errors.patient-retries/gives-up": {
    broken: Array.from({ length: 20 }, () => lookup("1", { status: 502, situations: ["lasting-failure"] })),
    careful: Array.from({ length: 5 }, () => lookup("1", { status: 502, situations: ["lasting-failure"] })),
  },
  "retailer.no-hard-coding/after-leaving": {
    broken: [search("northwind-fresh"), left, search("northwind-fresh"), left],
    // An old list that is kept for rounds, and a search that was under way.
    careful: [left, left, left, search("northwind-fresh"), left, search("other")],
  },
  "batch.most-items/at-most-50": { broken: [batch(51)], careful: [batch(50)] },
  "service.request-content-type/batch": {
    broken: [batch(1, { headers: { "content-type": "text/plain" } })],
    careful: [batch(1, { headers: { "content-type": "application/json; charset=utf-8" } })],
  },
};

test("every requirement that binds clients has an observation, and every observation belongs to one", () => {
  const binding = requirements.filter(({ treatment }) => treatment.kind === "client").map(({ id }) => id);
  expect([...new Set(observations.map(({ id }) => requirementOf(id)))].toSorted()).toEqual(
    binding.toSorted(),
  );
});

describe("each observation", () => {
  test.for(Object.entries(rows))("%s finds what is broken, and only that", ([id, { broken, careful }]) => {
    expect(look(id, broken).finding).toBeDefined();
    expect(look(id, careful).finding).toBeUndefined();
    expect(look(id, careful).chances).toBeGreaterThan(0);
  });

  test.for(observations.map(({ id }) => id))("%s judges nothing without a request", (id) => {
    expect(look(id, [])).toEqual({ chances: 0 });
  });
});

const isFound = (id: string, sent: readonly Sent[], change?: Partial<ClientRun>) =>
  look(id, sent, change).finding !== undefined;
const stopped = { ended: "stopped" } as const;

describe("a wait", () => {
  const id = "limits.respect/waits";
  const refused = lookup("1", { at: 0, wait: 2 });
  const elsewhere = (one: string, at: number) => lookup(one, { at, connection: 2 });
  /** Refused for the rest of the wait. */
  const limited = (one: string, at: number, more: Sent = {}) =>
    lookup(one, { at, wait: 2, situations: ["still-limited"], ...more });
  const goesOn = [refused, limited("2", 3), limited("3", 6), limited("4", 9)];
  const queue = [refused, limited("2", 3), limited("3", 206), limited("4", 409)];
  const burst = [refused, ...["2", "3", "4"].map((one, place) => elsewhere(one, 400 * place + 300))];
  const turns = (count: number) => [
    refused,
    limited("1", 300, { connection: 2 }),
    ...Array.from({ length: count }, (_, place) => lookup("2", { at: 5000 + place * 10 })),
  ];
  const workers = { workers: 2 };
  const stall = (from: number, to: number) => ({ stalls: [{ from, to }] });

  test.each<[what: string, isBroken: boolean, sent: readonly Sent[], change?: Partial<ClientRun>]>([
    ["the same on another connection, in the grace", false, [refused, elsewhere("1", 300)]],
    ["another on another connection, after the grace", true, [refused, elsewhere("2", 1500)]],
    [
      "equal requests of two workers, each sent again after the wait",
      false,
      [refused, limited("1", 2, { connection: 2 }), lookup("1", { at: 2010 }), elsewhere("1", 2011)],
    ],
    ["one after another: it goes on", true, goesOn],
    [
      "one after another: it goes on with another task, and stops",
      true,
      [...goesOn, page("", "", 1, { at: 12, wait: 2 })],
      stopped,
    ],
    ["one after another: it repeats one", true, [refused, limited("1", 3)]],
    ["one after another: one more", false, [refused, limited("2", 3)]],
    [
      "two connections, one more of each",
      false,
      [refused, limited("2", 1, { connection: 2 }), limited("3", 6)],
    ],
    ["the queue of a client that stops", false, queue, stopped],
    ["the queue of one that does not", true, queue],
    ["the queue of a client that stops, which repeats one", true, [...queue, limited("2", 600)], stopped],
    ["by turns over two connections, in few requests", false, turns(10)],
    ["by turns over two connections, in many requests", true, turns(40)],
    ["a burst that a slow machine sends", false, burst],
    ["a repetition after it", true, [...burst, elsewhere("2", 1300)]],
    ["the observer stood still before", false, [refused, elsewhere("2", 1500)], stall(100, 700)],
    ["the observer stood still later", true, [refused, elsewhere("2", 1500)], stall(5000, 9000)],
    ["processes that share nothing, each with a connection", false, [refused, elsewhere("2", 1500)], workers],
    ["one of them on its connection", true, [refused, lookup("2", { at: 1500 })], workers],
  ])("%s: %s", (_what, isBroken, sent, change) => {
    expect(isFound(id, sent, change)).toBe(isBroken);
  });

  test("is told with the time after the refusal; a connection for each request of a process is not judged", () => {
    const details = { seconds: 2, afterMilliseconds: 1499, same: true };
    const again = [refused, elsewhere("1", 1500)];
    expect(look(id, again).finding).toMatchObject({ code: "sent-too-early", details });
    expect(look(id, again, workers)).toEqual({ chances: 0 });
  });
});

test.each([
  [[0, 0.5], false],
  [[0, 2], false],
  [[0, 2, 4], true],
  [[0, 1500], true],
])("a refusal for good that is sent at %j on two connections is repeated: %s", (times, isRepeated) => {
  const sent = times.map((at, place) => ({ ...unknown("1", false), at, connection: place === 0 ? 1 : 2 }));
  expect(isFound("errors.final-refusals/not-repeated", sent)).toBe(isRepeated);
});

test.each([
  [3, 1, true],
  [2, 1, false],
  // Two workers that each do all tasks.
  [3, 2, false],
])("%i refusals that are each sent twice, beside products that are %i times: repeated %s", (...row) => {
  const [refusals, products, isRepeated] = row;
  const twice = (target: Sent, place: number) =>
    [0, 2].map((after) => ({ ...target, at: 10 * place + after }));
  const ids = ["1", "2", "3"];
  const refused = ids.slice(0, refusals).map((id) => unknown(id, false));
  const found = ids.flatMap((id) => new Array(products).fill(lookup(`found-${id}`)));
  const sent = [...refused.flatMap(twice), ...found.map((one, place) => ({ ...one, at: 29.5 + place }))];
  // Two under way at once: not a program of one request after the other.
  const other = { ...lookup("5", { connection: 2 }), at: 0.5 };
  expect(isFound("errors.final-refusals/not-repeated", [...sent, other])).toBe(isRepeated);
});

test("the retry of a 429 that met the second of two equal requests is no repetition of the first", () => {
  const [one, other] = [unknown("1", false), lookup("1", { connection: 2 })];
  const sent = [
    { ...one, at: 0 },
    { ...other, at: 0.5, wait: 2 },
    { ...other, at: 2010, status: 404 },
  ];
  expect(isFound("errors.final-refusals/not-repeated", sent)).toBe(false);
});

const emptyCursor = { ...page("", ""), query: "category=books&cursor=" };
const walk = [page("", "a"), page("a", "")];
const failing = lookup("1", { status: 502, situations: ["lasting-failure"] });
const toTheEnd = "query.follow-cursor/to-the-end";
const stops = "query.follow-cursor/stops";

test.each<[what: string, id: string, sent: readonly Sent[], isFound?: boolean]>([
  ["a walk that begins with an empty cursor, twice", stops, [emptyCursor, emptyCursor]],
  ["a walk twice", stops, [...walk, ...walk]],
  [
    "a walk again and again, which does not see the end",
    stops,
    Array.from({ length: 6 }, () => walk).flat(),
    true,
  ],
  ["a page that is read again after the end", toTheEnd, [...walk, page("", "a")]],
  [
    "empty parameters",
    "query.one-identifier/one",
    [{ path: "/v1/products", query: { gtin: "1", url: "", category: "" } }],
  ],
  [
    "the key in a cookie too",
    "authentication.key-in-header/nowhere-else",
    [{ headers: { cookie: `key=${key}` } }],
    true,
  ],
  [
    "a look whether the server is there, without a key",
    "authentication.key-in-header/sent",
    [{ path: "/", headers: { "x-api-key": "" } }],
  ],
])("%s", (_what, id, sent, isBroken = false) => {
  expect(isFound(id, sent)).toBe(isBroken);
});

test.each<[what: string, id: string, sent: readonly Sent[], change?: Partial<ClientRun>]>([
  [
    "a failure that ends before an endless client shows",
    "errors.patient-retries/gives-up",
    [failing, failing, lookup("1")],
  ],
  ["a walk that ends at an error", toTheEnd, [page("", "a"), page("a", "", 0, { wait: 1 })]],
  [
    "a walk that ends at other fields",
    toTheEnd,
    [page("", "a"), page("a", "b", 1, { situations: ["fields-added"] })],
  ],
  ["a stop in a walk", toTheEnd, [page("", "a")], stopped],
  ["a stop at a refusal", "limits.sent-again/after-the-wait", [lookup("1", { wait: 1 })], stopped],
  ["a stop in a wait", "limits.respect/waits", [lookup("1", { at: 0, wait: 2 })], stopped],
])("%s is not judged", (_what, id, sent, change) => {
  expect(look(id, sent, change)).toEqual({ chances: 0 });
});

test.each([
  ["gtin=4006381333931&retailer=maison%2520%2526%2520fils", "escaped-twice"],
  ["gtin=4006381333931&retailer=maison%20&%20fils", "not-escaped"],
  ["retailer=maison+%26+fils&gtin=4006381333931", undefined],
])("a slug from the list that was sent as %s is told as that, and not judged", (query, how) => {
  const sent = [list(["maison & fils"]), { path: "/v1/products", query }];
  const { chances, finding, reason } = look("retailer.no-hard-coding/listed", sent);
  expect({ chances, finding }).toEqual({ chances: how === undefined ? 1 : 0 });
  const details = { listed: "maison & fils", how };
  expect(reason).toEqual(how && expect.objectContaining({ details: expect.objectContaining(details) }));
});

test("a cursor that is sent with another category is told as the one that was given", () => {
  const details = { sent: "a", given: "a" };
  const query = { category: "toys", cursor: "a" };
  const sent = [page("", "a"), page("", "b"), { path: "/v1/products", query }];
  expect(look("page.opaque-cursor/unchanged", sent).finding).toMatchObject({ details });
});

describe("a client that goes on", () => {
  const met = ["fields-omitted", "fields-added"] as const;
  const odd = met.map((id, place) => lookup(String(place + 1), { situations: [id] }));
  const onlyLookUp = { tasks: tasks.slice(0, 1) };
  const tolerant = (sent: readonly Sent[], change: Partial<ClientRun> = {}) =>
    look("product.tolerant-reader/goes-on", sent, { ...onlyLookUp, ...change }).chances;

  test("passes what it met, and did all of its tasks after", () => {
    expect(tolerant([...odd, lookup("3")])).toBe(2);
    expect(tolerant([...odd.slice(0, 1), lookup("2"), lookup("3")])).toBe(0);
  });

  test("is not judged where it did less, ended with an error, or sent nothing after", () => {
    expect(tolerant([...odd, lookup("2")])).toBe(0);
    for (const status of [400, 429]) expect(tolerant([...odd, lookup("3", { status }), lookup("2")])).toBe(0);
    expect(tolerant([...odd, lookup("3")], stopped)).toBe(0);
    expect(tolerant([lookup("3"), ...odd])).toBe(0);
  });

  test("has met a changed message in a refusal with another wording", () => {
    const refused = lookup("1", { wait: 1, situations: ["wait-1", "message-changed"] });
    const sent = [refused, ...["1", "2", "3"].map((id) => lookup(id))];
    expect(look("error-body.wording/goes-on", sent, onlyLookUp).chances).toBe(1);
  });
});
