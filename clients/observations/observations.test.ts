import { describe, expect, test } from "vitest";
import { requirementOf, requirements } from "../../conformance/requirements/all.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { targetOf } from "../lab/exchange.ts";
import type { ClientTask } from "../lab/task.ts";
import type { ClientRun, Observed } from "./observation.ts";
import { observations } from "./observations.ts";

// Each observation on the smallest run that shows it, and on the nearest one that does not.

const key = "sk_test_client";

interface Sent {
  readonly at?: number;
  readonly method?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>> | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly text?: string;
  readonly status?: number;
  readonly wait?: number;
  readonly response?: unknown;
  readonly process?: number;
  readonly connection?: number;
  readonly connectedAt?: number;
  readonly isFirstOnConnection?: boolean;
  readonly situation?: ClientExchange["situation"];
  readonly isReworded?: boolean;
}

function exchangeOf(sent: Sent, index: number): ClientExchange {
  const { at = index * 10, method = "GET", path = "/v1/retailers", query = "", status = 200, wait } = sent;
  const {
    connection = 1,
    connectedAt = 0,
    situation,
    isReworded = false,
    isFirstOnConnection = false,
  } = sent;
  const text = sent.text ?? (sent.body === undefined ? "" : JSON.stringify(sent.body));
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
    connection: { id: connection, clientPort: 1, serverPort: 2, openedAt: connectedAt },
  };
  return {
    index,
    request,
    target: targetOf({ request }),
    response: {
      status: wait === undefined ? status : 429,
      headers: wait === undefined ? {} : { "retry-after": String(wait) },
      body: Buffer.from(JSON.stringify(sent.response ?? {})),
    },
    at,
    end: at + 1,
    process: sent.process ?? 7,
    connectedAt,
    isFirstOnConnection,
    situation,
    isReworded,
  };
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
  const duration = (exchanges.at(-1)?.end ?? 0) + 20_000;
  return found.look({ exchanges, tasks, key, duration, stalls: [], endedByItself: true, ...change });
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
const unknown = (id: string, isReworded: boolean): Sent => lookup(id, { status: 404, isReworded });

interface Row {
  readonly broken: readonly Sent[];
  readonly careful: readonly Sent[];
}

const rows: Readonly<Record<string, Row>> = {
  "errors.patient-retries/not-hammered": {
    broken: Array.from({ length: 20 }, () => lookup("1", { status: 502, situation: "lasting-failure" })),
    careful: Array.from({ length: 5 }, () => lookup("1", { status: 502, situation: "lasting-failure" })),
  },
  "limits.respect/waits": {
    broken: [lookup("1", { at: 0, wait: 2 }), lookup("1", { at: 1900 })],
    careful: [lookup("1", { at: 0, wait: 2 }), lookup("1", { at: 2002 })],
  },
  "limits.sent-again/after-the-wait": {
    broken: [lookup("1", { wait: 1 }), lookup("2")],
    careful: [lookup("1", { wait: 1 }), lookup("2"), lookup("1")],
  },
  "page.opaque-cursor/unchanged": {
    broken: [page("", "a+b"), page("a b", "")],
    careful: [page("", "a+b"), page("a+b", "")],
  },
  "query.follow-cursor/to-the-end": {
    broken: [page("", "a"), page("a", "b", 0)],
    careful: [page("", "a"), page("a", "b", 0), page("b", "")],
  },
  "query.follow-cursor/stops": {
    broken: [page("", ""), { ...page("", ""), query: "category=books&cursor=" }],
    careful: [page("", ""), page("", "")],
  },
  "retailer.no-hard-coding/listed": {
    broken: [list(["acme"]), search("other")],
    careful: [list(["acme"]), search("acme")],
  },
  "retailer.no-hard-coding/after-leaving": {
    broken: [
      search("acme"),
      ...[2, 3, 4].flatMap(() => [
        search("acme", { status: 403, situation: "retailer-left" }),
        search("other"),
      ]),
    ],
    careful: [
      search("acme"),
      // A list that is kept for a round more.
      ...[2, 3].flatMap(() => [search("acme", { status: 403, situation: "retailer-left" }), search("other")]),
      list(["other"]),
      search("other"),
    ],
  },
  "errors.branch-on-code/same-behaviour": {
    broken: [
      ...["1", "2"].map((id) => unknown(id, false)),
      ...["3", "4", "3", "4"].map((id) => unknown(id, true)),
    ],
    careful: [...["1", "2"].map((id) => unknown(id, false)), ...["3", "4"].map((id) => unknown(id, true))],
  },
  "error-body.wording/goes-on": {
    broken: [lookup("1", { status: 404, situation: "message-changed" })],
    careful: [lookup("1", { status: 404, situation: "message-changed" }), lookup("2"), lookup("3")],
  },
  "errors.final-refusals/not-repeated": {
    broken: [unknown("1", false), unknown("1", false)],
    careful: [unknown("1", false), unknown("2", false)],
  },
  "product.tolerant-reader/goes-on": {
    broken: [lookup("1"), lookup("2", { situation: "fields-omitted" })],
    careful: [lookup("1"), lookup("2", { situation: "fields-omitted" }), lookup("3")],
  },
  "query.one-identifier/one": {
    broken: [{ path: "/v1/products", query: { url: "https://a.example/1", gtin: "1" } }],
    careful: [{ path: "/v1/products", query: { gtin: "1" } }],
  },
  "batch.most-items/at-most-50": { broken: [batch(51)], careful: [batch(50)] },
  "authentication.key-in-header/sent": {
    broken: [{ headers: { "x-api-key": "" } }],
    careful: [{ headers: { "x-api-key": "", authorization: `Bearer ${key}` } }],
  },
  "authentication.key-in-header/nowhere-else": { broken: [{ query: { key } }], careful: [{}] },
  "service.server-side-only/no-browser": {
    broken: [{ headers: { origin: "https://shop.example" } }],
    // The fetch of Node sends this one.
    careful: [{ headers: { "sec-fetch-mode": "cors" } }],
  },
  "service.json-requests/body": {
    broken: [{ ...batch(1), text: "items=1" }],
    careful: [{ ...batch(1), text: "[1]" }],
  },
  "service.request-content-type/batch": {
    broken: [batch(1, { headers: { "content-type": "text/plain" } })],
    careful: [batch(1, { headers: { "content-type": "application/json; charset=utf-8" } })],
  },
  "service.freshness/no-polling": {
    broken: Array.from({ length: 10 }, (_, at) => lookup("9", { at: at * 1000 })),
    careful: Array.from({ length: 10 }, (_, at) => lookup("9", { at: at * at * 500 })),
  },
};

test("every requirement that binds clients has an observation, and every observation belongs to one", () => {
  const binding = requirements.filter(({ treatment }) => treatment.kind === "client").map(({ id }) => id);
  expect([...new Set(observations.map(({ id }) => requirementOf(id)))].toSorted()).toEqual(
    binding.toSorted(),
  );
});

describe("each observation", () => {
  test("has a row here", () => {
    expect(Object.keys(rows).toSorted()).toEqual(observations.map(({ id }) => id).toSorted());
  });

  test.for(Object.entries(rows))("%s finds what is broken, and only that", ([id, { broken, careful }]) => {
    expect(look(id, broken).findings).not.toEqual([]);
    expect(look(id, careful).findings).toEqual([]);
    expect(look(id, careful).chances).toBeGreaterThan(0);
  });

  test.for(observations.map(({ id }) => id))("%s judges nothing without a request", (id) => {
    expect(look(id, [])).toEqual({ chances: 0, findings: [] });
  });
});

describe("a wait", () => {
  const waits = (sent: readonly Sent[], change?: Partial<ClientRun>) =>
    look("limits.respect/waits", sent, change).findings;
  const refused = lookup("1", { at: 0, wait: 2 });

  test("binds every worker of the process, after what was under way", () => {
    expect(waits([refused, lookup("2", { at: 300, connection: 2 })])).toEqual([]);
    const [finding] = waits([refused, lookup("2", { at: 900, connection: 2 })]);
    expect(finding).toMatchObject({
      code: "sent-too-early",
      details: { seconds: 2, afterMilliseconds: 899, same: false },
    });
  });

  test("binds no other process, which got no 429", () => {
    expect(waits([refused, lookup("2", { at: 900, process: 8 })])).toEqual([]);
  });

  test("is broken at once by the same request on the same connection or a new one", () => {
    expect(waits([refused, lookup("1", { at: 20 })])).toHaveLength(1);
    expect(waits([refused, lookup("1", { at: 20, connection: 2, connectedAt: 10 })])).toHaveLength(1);
    expect(waits([refused, lookup("1", { at: 20, connection: 2, connectedAt: 0 })])).toEqual([]);
  });

  test("leaves time to what began before it on a connection of its own, and to a lab that stood still", () => {
    const late = lookup("2", { at: 1500, connection: 2, connectedAt: 0.5, isFirstOnConnection: true });
    expect(waits([refused, late])).toEqual([]);
    const other = lookup("2", { at: 900, connection: 2 });
    expect(waits([refused, other], { stalls: [{ from: 100, to: 700 }] })).toEqual([]);
    expect(waits([refused, other], { stalls: [{ from: 5000, to: 9000 }] })).toHaveLength(1);
  });
});

test("workers that ask for the same product at the same time may not know of the refusal of the other one", () => {
  const kept: ClientTask = {
    do: "keep-looking-up",
    seconds: 3,
    products: [{ by: "id", retailer: "acme", product_id: "1" }],
  };
  const sent = [lookup("1", { at: 0, wait: 2 }), lookup("1", { at: 20 })];
  expect(look("limits.respect/waits", sent).findings).toHaveLength(1);
  expect(look("limits.respect/waits", sent, { tasks: [kept] }).findings).toEqual([]);
  const later = [lookup("1", { at: 0, wait: 2 }), lookup("1", { at: 900 })];
  expect(look("limits.respect/waits", later, { tasks: [kept] }).findings).toHaveLength(1);
});

test("a client that begins each walk with an empty cursor may walk twice", () => {
  const first = { ...page("", ""), query: "category=books&cursor=" };
  expect(look("query.follow-cursor/stops", [first, first]).findings).toEqual([]);
});

test("a page that is read again after the end is no walk that stopped", () => {
  expect(
    look("query.follow-cursor/to-the-end", [page("", "a"), page("a", ""), page("", "a")]).findings,
  ).toEqual([]);
});

test("empty parameters are no identifiers, and a server may be tried without a key", () => {
  const empty = { path: "/v1/products", query: { gtin: "1", url: "", category: "" } };
  expect(look("query.one-identifier/one", [empty]).findings).toEqual([]);
  const ready = { path: "/", headers: { "x-api-key": "" } };
  expect(look("authentication.key-in-header/sent", [ready]).findings).toEqual([]);
});

describe("a client that did not end by itself", () => {
  const cut = { endedByItself: false, duration: 100 };

  test("is not blamed for what it had no time to do", () => {
    expect(look("limits.sent-again/after-the-wait", [lookup("1", { wait: 1 })], cut).findings).toEqual([]);
    expect(look("query.follow-cursor/to-the-end", [page("", "a")], cut).findings).toEqual([]);
    const met = [lookup("1"), lookup("2", { situation: "fields-omitted" })] as const;
    expect(look("product.tolerant-reader/goes-on", met, cut).findings).toEqual([]);
  });
});

test("a walk that ends at an error is not a walk that stopped at a page", () => {
  const sent = [page("", "a"), page("a", "", 0, { wait: 1 })];
  expect(look("query.follow-cursor/to-the-end", sent).findings).toEqual([]);
});

test("two possible causes of a stop are the last one's, and none after a failure that was given up", () => {
  const sent = [lookup("1", { wait: 1 }), lookup("2", { situation: "fields-omitted" })];
  expect(look("product.tolerant-reader/goes-on", sent).findings).toEqual([]);
});

test("a client that stops at the refusal of its own mistake was not stopped by what it met before", () => {
  const met = page("", "a", 1, { situation: "fields-added" });
  expect(
    look("product.tolerant-reader/goes-on", [met, page("changed", "", 0, { status: 400 })]).findings,
  ).toEqual([]);
});

test("a client that goes on with another task was not stopped", () => {
  const sent = [page("", "a", 0), lookup("9", { situation: "fields-missing" })];
  expect(look("product.tolerant-reader/goes-on", sent).findings).toEqual([]);
});

test("a walk that stops at a page with other fields is a stopped walk, if the client goes on elsewhere", () => {
  const stopped = [page("", "a", 1, { situation: "fields-added" })];
  expect(look("query.follow-cursor/to-the-end", stopped).findings).toEqual([]);
  expect(look("query.follow-cursor/to-the-end", [...stopped, lookup("9")]).findings).toHaveLength(1);
});
