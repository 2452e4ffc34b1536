import type { Keys } from "../../service/stock.ts";
import type { Send } from "../../service/wire.ts";
import type { Body, BodyFields } from "./service.ts";

// Requests for tests: each fault and variant must change at least one of their responses.

export type Headers = Record<string, string>;

/** A request of a test; `payload` is a text as it is, anything else as JSON. */
interface ProofProbe {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers?: Headers;
  readonly payload?: unknown;
}

/** A client whose responses are noted under a label. */
export interface ProbeClient {
  readonly keys: Keys;
  ask(label: string, request: ProofProbe): Promise<Body>;
}

/** Sends probes and notes each response by its label; of cursors only the length. An error thrown by `notes` ends the probe. */
export function createProbeClient(
  send: Send,
  keys: Keys,
  notes: { set(label: string, note: string): unknown },
): ProbeClient {
  return {
    keys,
    async ask(label, { method = "GET", url, headers = {}, payload }) {
      const [path = "", query = ""] = url.split("?", 2);
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      const response = await send({
        method,
        path,
        query,
        headers: typeof payload === "object" ? { "content-type": "application/json", ...headers } : headers,
        body: Buffer.from(text ?? ""),
      }).catch(() => undefined);
      if (response === undefined) {
        notes.set(label, "closed");
        return {} as Body;
      }
      const shown = response.body
        .toString()
        .replace(/"next_cursor": ?"([^"]+)"/g, (_all, cursor) => `cursor of ${cursor.length}`);
      const noted = ["content-type", "content-encoding", "retry-after", "etag", "connection"];
      notes.set(label, [response.status, ...noted.map((name) => response.headers[name]), shown].join(" "));
      try {
        return JSON.parse(response.body.toString()) as Body;
      } catch {
        return {} as Body;
      }
    },
  };
}

const key = (value: string): Headers => ({ "x-api-key": value });
const bearer = (value: string): Headers => ({ authorization: `Bearer ${value}` });
const query = (parameters: Record<string, string>) => `/v1/products?${new URLSearchParams(parameters)}`;
const product = (retailer: string, id: string) =>
  `/v1/products/${encodeURIComponent(retailer)}/${encodeURIComponent(id)}`;

/** Products of the generated catalog that the probes look up, found with the unchanged service. */
export interface Subjects {
  readonly entitled: readonly BodyFields[];
  readonly unentitled: readonly BodyFields[];
  /** Products of a retailer that the other organization is not entitled to. */
  readonly own: BodyFields;
  readonly shared: BodyFields;
  readonly notAt: string;
}

/** Chooses the products that the probes look up. */
export async function findSubjects({ ask, keys }: ProbeClient): Promise<Subjects> {
  const entitled: BodyFields[] = [];
  const second: BodyFields[] = [];
  for (const category of ["home & garden", "shoes", "last chance"]) {
    const url = query({ category, limit: "100" });
    entitled.push(...(await ask("", { url, headers: key(keys.primary) })).products);
    second.push(...(await ask("", { url, headers: key(keys.otherOrg) })).products);
  }
  const slugs = new Set(entitled.map((its) => its.retailer));
  const unentitled = second.filter((its) => !slugs.has(its.retailer));
  const gtins = new Set(entitled.map((its) => Number(its.gtin)));
  const alone = unentitled.filter((its) => its.gtin !== undefined && !gtins.has(Number(its.gtin)));
  const sold = (gtin: number) =>
    entitled.filter((its) => Number(its.gtin) === gtin).map((its) => its.retailer);
  const shared = entitled.find((its) => its.gtin !== undefined && its.product_url !== undefined);
  const notAt = [...slugs].find((slug) => shared && !sold(Number(shared.gtin)).includes(slug));
  const own = entitled.find(({ retailer }) => second.every((its) => its.retailer !== retailer));
  if (shared === undefined || notAt === undefined || own === undefined)
    throw new Error("the catalog lacks the subjects");
  return {
    entitled,
    unentitled: [...alone, ...unentitled.filter((its) => its.product_url)],
    own,
    shared,
    notAt,
  };
}

/** Sends requests of every kind, so that the effect of each fault and variant becomes visible. */
export async function probe(client: ProbeClient, subjects: Subjects): Promise<void> {
  await probeKeys(client);
  await probeIdentifiers(client, subjects);
  await probeQueries(client, subjects);
  await probeCategories(client);
  await probeBatches(client, subjects);
  await probeOddInput(client);
  await probeInTurn(client, subjects);
  await probeAsOtherClients(client, subjects);
  await probeAlmostKnown(client, subjects);
}

/** Values that are almost known ones, each after the known one. */
async function probeAlmostKnown({ ask, keys }: ProbeClient, { shared, entitled }: Subjects): Promise<void> {
  const headers = key(keys.primary);
  const { retailer, product_id: id } = shared;
  const gtin = String(shared.gtin);
  const page = String(shared.product_url);
  const { host } = new URL(page);
  const bare = host.replace(/^www\./, "");
  const on = (other: string) => page.replace(host, other);
  const other = entitled.find((its) => its.product_url !== undefined && its.retailer !== retailer);
  const urls = {
    "slug, known": product(retailer, id),
    "slug, cut": product(retailer.slice(0, -1), id),
    "slug, longer": product(`${retailer}-unknown`, id),
    "id, like": product(retailer, `${id.slice(0, -1)}_`),
    "gtin, known": query({ gtin }),
    "gtin, cut": query({ gtin: gtin.slice(0, -1) }),
    "gtin, other check digit": query({ gtin: gtin.slice(0, -1) + String((Number(gtin.at(-1)) + 3) % 10) }),
    "gtin, other beginning": query({ gtin: String((Number(gtin.slice(0, 2)) + 11) % 100) + gtin.slice(2) }),
    "gtin, longer": query({ gtin: `${gtin}00` }),
    "scope, known": query({ gtin, retailer }),
    "scope, cut": query({ gtin, retailer: retailer.slice(0, -1) }),
    "page, known": query({ url: page }),
    "host, prefix": query({ url: on(`not${bare}`) }),
    "host, suffix": query({ url: on(`${host}.no-such-retailer.example`) }),
    "host, user": query({ url: on(`${host}@no-such-retailer.example`) }),
    "page elsewhere": query({ url: on(new URL(String(other?.product_url)).host) }),
    "page, other number": query({
      url: page.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 3) % 10)),
    }),
    "limit with a tail": query({ category: "shoes", limit: "3x" }),
  };
  for (const [label, url] of Object.entries(urls)) await ask(label, { url, headers });
  const [numeric] = entitled.filter((its) => /^\d+$/.test(its.product_id)).slice(-1);
  if (numeric !== undefined)
    for (const zeros of ["", "0"])
      await ask(`number after ${zeros}`, {
        url: product(numeric.retailer, zeros + numeric.product_id),
        headers,
      });
  const oddly = {
    "slug in capitals": product(retailer.toUpperCase(), id),
    "id and a blank": product(retailer, `${id} `),
    "gtin with hyphens": query({ gtin: `${gtin.slice(0, 3)}-${gtin.slice(3)}` }),
  };
  for (const [label, url] of Object.entries(oddly)) await ask(label, { url, headers });
  await ask("id elsewhere", { url: product(String(other?.retailer), id), headers });
  const items = Array.from({ length: 50 }, (_, index) => ({ retailer, product_id: `item-${index}` }));
  await ask("fifty-one with a repeat", { ...batch([...items, items[0]]), headers });
  const both = { ...bearer(keys.primary), ...key(keys.otherOrg) };
  await ask("two keys", { url: "/v1/retailers", headers: both });
  const first = query({ category: "shoes", limit: "3" });
  const cursor = String((await ask("page for a cursor", { url: first, headers })).meta?.next_cursor ?? "");
  const next = query({ category: "shoes", limit: "3", cursor });
  for (const category of ["shoes", "books", "last chance"]) {
    const whole = await ask(`${category} on one page`, { url: query({ category, limit: "100" }), headers });
    const exactly = query({ category, limit: String(whole.meta?.count ?? 1) });
    await ask(`${category} on an exact page`, { url: exactly, headers });
  }
  await ask("cursor of another key", { url: next, headers: key(keys.otherOrg) });
}

/** Requests with the headers that other clients send. */
async function probeAsOtherClients({ ask, keys }: ProbeClient, { shared }: Subjects): Promise<void> {
  const item = { retailer: shared.retailer, product_id: shared.product_id };
  const unknown = { ...item, product_id: "no-such-product" };
  const clients: Record<string, Headers> = {
    "any type": { accept: "*/*" },
    gzip: { accept: "application/json", "accept-encoding": "gzip" },
  };
  for (const [label, client] of Object.entries(clients)) {
    const headers = { ...key(keys.primary), ...client };
    await ask(`retailers for ${label}`, { url: "/v1/retailers", headers });
    await ask(`page for ${label}`, { url: query({ category: "shoes" }), headers });
    await ask(`error for ${label}`, { url: product(shared.retailer, "no-such-product"), headers });
    const type = { "content-type": "application/json; charset=utf-8" };
    await ask(`batch for ${label}`, { ...batch([item, unknown]), headers: { ...headers, ...type } });
  }
}

/** The same requests with other keys, with other letter case, concurrently, and repeated. */
async function probeInTurn(
  { ask, keys }: ProbeClient,
  { entitled, unentitled, own, shared }: Subjects,
): Promise<void> {
  const headers = key(keys.primary);
  const [plain] = entitled.filter((its) => /[A-Z]/.test(its.product_id)).slice(-1);
  const [spaced] = entitled.filter((its) => / \d/.test(its.product_id)).slice(-1);
  const { retailer = "", product_id = "" } = plain ?? {};
  await ask("in lower case", { url: product(retailer, product_id.toLowerCase()), headers });
  await ask("in its own case", { url: product(retailer, product_id), headers });
  await ask("in lower case again", { url: product(retailer, product_id.toLowerCase()), headers });
  await ask("no URL", { url: query({ url: "no URL" }), headers });
  await ask("nobody first", { url: product(own.retailer, own.product_id) });
  for (const [label, its] of Object.entries({
    first: keys.primary,
    other: keys.otherOrg,
    again: keys.primary,
  })) {
    await ask(`by id, ${label}`, { url: product(own.retailer, own.product_id), headers: key(its) });
    await ask(`by url, ${label}`, {
      url: query({ url: String(unentitled[0]?.product_url) }),
      headers: key(its),
    });
    await ask(`by gtin, ${label}`, { url: query({ gtin: String(shared.gtin) }), headers: key(its) });
    await ask(`retailers, ${label}`, { url: "/v1/retailers", headers: key(its) });
    await ask(`page, ${label}`, { url: query({ category: "shoes", limit: "7" }), headers: key(its) });
    const item = { retailer: own.retailer, product_id: own.product_id };
    await ask(`batch, ${label}`, { ...batch([item]), headers: key(its) });
  }
  const tails = { dot: ".", semicolon: "%3Bx", "question mark": "%3Fx", nul: "%00" };
  for (const [label, tail] of Object.entries(tails))
    await ask(`id and a ${label}`, { url: product(retailer, product_id) + tail, headers });
  const twice = `%25${product_id.charCodeAt(0).toString(16)}${product_id.slice(1)}`;
  await ask("id encoded twice", { url: product(retailer, "") + twice, headers });
  await ask("id with a plus", {
    url: product(String(spaced?.retailer), String(spaced?.product_id)).replaceAll("%20", "%2B"),
    headers,
  });
  const at = (limit: string, cursor = "") =>
    ask(`limit ${limit} ${cursor.length}`, {
      url: query({ category: "shoes", limit, ...(cursor !== "" && { cursor }) }),
      headers,
    });
  const cursor = String((await at("3")).meta?.next_cursor ?? "");
  await at("5", cursor);
  await ask("second page, no key", { url: query({ category: "shoes", limit: "3", cursor }) });
  await Promise.all(
    entitled
      .slice(0, 14)
      .map((its, index) => ask(`at once ${index}`, { url: product(its.retailer, its.product_id), headers })),
  );
  for (const count of [1, 2]) {
    await ask(`batch again ${count}`, { ...batch([{ retailer, product_id }]), headers });
    await ask(`by gtin again ${count}`, { url: query({ gtin: String(shared.gtin) }), headers });
  }
  const unknown = ["0012345", "E\u0301", "ABC"].map((id) => ({ retailer: "nordkauf", product_id: id }));
  await ask("unknown ids in a batch", { ...batch(unknown), headers });
}

async function probeOddInput({ ask, keys }: ProbeClient): Promise<void> {
  const headers = { ...key(keys.primary), "content-type": "application/json" };
  for (const odd of ["%00", "%C3%28", "%F0%9F%98%80", "x".repeat(4500)]) {
    await ask(`odd id ${odd}`, { url: `/v1/products/nordkauf/${odd}`, headers });
    await ask(`odd slug ${odd}`, { url: `/v1/products/${odd}/0`, headers });
    await ask(`odd gtin ${odd}`, { url: `/v1/products?gtin=${odd}`, headers });
    await ask(`odd scope ${odd}`, { url: `/v1/products?gtin=96385074&retailer=${odd}`, headers });
  }
  await ask("huge limit", { url: query({ category: "shoes", limit: "9223372036854775808" }), headers });
  await ask("repeated", { url: "/v1/products?gtin=96385074&gtin=96385074", headers });
  const item = (id: string) => `{"items":[{"retailer":"nordkauf","product_id":${id}}]}`;
  const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;
  for (const payload of [
    item('"\\u0000"'),
    item('"\\ud800"'),
    item("7"),
    item("null"),
    item(deep),
    '{"items":[null]}',
    '{"items":[["x"]]}',
    "",
  ]) {
    const url = "/v1/products/batch-lookup";
    await ask(`odd batch ${payload.slice(0, 60)}`, { method: "POST", url, payload, headers });
  }
}

async function probeKeys({ ask, keys }: ProbeClient): Promise<void> {
  const headers: Record<string, Headers> = {
    "x-api-key": key(keys.primary),
    bearer: bearer(keys.primary),
    "lower-case scheme": { authorization: `bearer ${keys.primary}` },
    none: {},
    "bad x-api-key": key("nonsense"),
    "bad bearer": bearer("nonsense"),
    "longer x-api-key": key(`${keys.primary}x`),
    "both, one bad": { ...bearer("nonsense"), ...key(keys.primary) },
    "both, other bad": { ...bearer(keys.primary), ...key("nonsense") },
    "same organization": key(keys.sameOrg),
    "other organization": key(keys.otherOrg),
  };
  for (const [name, its] of Object.entries(headers)) {
    await ask(`retailers, ${name}`, { url: "/v1/retailers", headers: its });
    await ask(`category, ${name}`, { url: query({ category: "shoes", limit: "5" }), headers: its });
    await ask(`empty batch, ${name}`, { ...batch([]), headers: its });
  }
  await ask("compressed", {
    url: "/v1/retailers",
    headers: { ...key(keys.primary), "accept-encoding": "gzip" },
  });
  await ask("no key, malformed", { url: "/v1/products" });
  await ask("unknown route", { url: "/v1/nothing", headers: key(keys.primary) });
  await ask("wrong method", { method: "DELETE", url: "/v1/retailers", headers: key(keys.primary) });
}

async function probeIdentifiers(
  { ask, keys }: ProbeClient,
  { entitled, own, unentitled }: Subjects,
): Promise<void> {
  const headers = key(keys.primary);
  const lookedUp = [
    ...entitled.filter((its) => /[^\w-]|^0/.test(its.product_id)).slice(0, 12),
    ...entitled.slice(0, 8),
  ];
  for (const { retailer, product_id } of lookedUp) {
    await ask(`identifier ${retailer} ${product_id}`, { url: product(retailer, product_id), headers });
  }
  const { retailer = "", product_id = "", product_url, gtin }: Partial<BodyFields> = unentitled[0] ?? {};
  const url = product(retailer, product_id);
  await ask("unentitled product", { url, headers });
  const second = { headers: key(keys.sameOrg) };
  await ask("unentitled product, second key", { url, ...second });
  const pageUrl = query({ url: String(product_url) });
  await ask("unentitled product by URL, second key", { url: pageUrl, ...second });
  await ask("unentitled product by GTIN, second key", { url: query({ gtin: String(gtin) }), ...second });
  await ask("unentitled product in a batch, second key", { ...batch([{ retailer, product_id }]), ...second });
  const ownUrl = product(own.retailer, own.product_id);
  await ask("product of another organization", { url: ownUrl, headers: key(keys.otherOrg) });
  await ask("unentitled retailer, unknown product", { url: product(retailer, "nothing"), headers });
  await ask("unknown product", { url: product("nordkauf", "nothing"), headers });
  await ask("unknown retailer", { url: product("nobody", "nothing"), headers });
}

async function probeQueries({ ask, keys }: ProbeClient, subjects: Subjects): Promise<void> {
  const { entitled, unentitled, shared, notAt } = subjects;
  const headers = key(keys.primary);
  const url = String(shared.product_url);
  const gtin = String(shared.gtin);
  const [alone] = unentitled;
  const withPage = unentitled.find((its) => its.product_url !== undefined);
  const withQuery = entitled.find((its) => String(its.product_url).includes("?"));
  const another = entitled.find((its) => its.product_url !== undefined && Number(its.gtin) !== Number(gtin));
  const queries: Record<string, Record<string, string>> = {
    url: { url },
    "url with more": { url: `${url}/?utm_source=x#top` },
    "url with query": { url: String(withQuery?.product_url) },
    "url unknown": { url: "https://www.nordkauf.example/nothing" },
    "url of another host": { url: url.replace(/\/\/[^/]+/, "//elsewhere.invalid") },
    "url unentitled": { url: String(withPage?.product_url) },
    gtin: { gtin },
    "gtin padded": { gtin: gtin.padStart(14, "0") },
    "gtin scoped": { gtin, retailer: shared.retailer },
    "gtin scoped to another": { gtin, retailer: notAt },
    "gtin scoped to unknown": { gtin, retailer: "nobody" },
    "gtin scoped to unentitled": { gtin: String(alone?.gtin), retailer: String(alone?.retailer) },
    "gtin unentitled": { gtin: String(alone?.gtin) },
    "gtin unknown": { gtin: "00000000" },
    "gtin malformed": { gtin: "12345" },
    "gtin with limit": { gtin, limit: "3" },
    "gtin with unknown parameter": { gtin, colour: "red" },
    "url and gtin": { url, gtin },
    "url of another product and gtin": { url: String(another?.product_url), gtin },
    "url and scoped gtin": { url, gtin, retailer: shared.retailer },
    "gtin and category": { gtin, category: "shoes" },
    "scoped gtin and category": { gtin, retailer: shared.retailer, category: "shoes" },
    "url and category": { url, category: "shoes" },
    "all three": { url, gtin, category: "shoes" },
    "gtin empty": { gtin: "" },
    "gtin of letters": { gtin: "abcdefgh" },
    "url empty": { url: "" },
    "category empty": { category: "" },
    "limit fraction": { category: "shoes", limit: "1.5" },
    "category alone": { category: "shoes" },
    "category alone, again": { category: "shoes" },
    nothing: {},
    "limit word": { category: "shoes", limit: "many" },
    "limit negative": { category: "shoes", limit: "-1" },
    "limit large": { category: "shoes", limit: "1000" },
    "limit one": { category: "shoes", limit: "1" },
    "cursor garbage": { category: "shoes", cursor: "garbage" },
    "cursor empty": { category: "shoes", cursor: "" },
    "category unknown": { category: "nothing like it" },
  };
  for (const [name, parameters] of Object.entries(queries))
    await ask(name, { url: query(parameters), headers });
  const sellers = entitled.filter((its) => its.gtin !== undefined).slice(0, 24);
  for (const { gtin: its, retailer } of sellers) {
    await ask(`gtin ${its} at ${retailer}`, { url: query({ gtin: String(its), retailer }), headers });
  }
}

async function probeCategories({ ask, keys }: ProbeClient): Promise<void> {
  for (const [name, headers, category, limit] of [
    ["x", key(keys.primary), "last chance", "4"],
    ["bearer", bearer(keys.primary), "last chance", "4"],
    ["an odd limit", key(keys.primary), "home & garden", "5"],
    ["a large limit", key(keys.primary), "home & garden", "100"],
  ] as const) {
    let cursor = "";
    for (let page = 1; page <= 20; page++) {
      const url = query({ category, limit, ...(cursor !== "" && { cursor }) });
      cursor = String((await ask(`page ${page} with ${name}`, { url, headers })).meta?.next_cursor ?? "");
      if (cursor === "") break;
    }
  }
}

function batch(items: unknown): ProofProbe {
  return { method: "POST", url: "/v1/products/batch-lookup", payload: { items } };
}

async function probeBatches({ ask, keys }: ProbeClient, { entitled, unentitled }: Subjects): Promise<void> {
  const headers = key(keys.primary);
  const name = ({ retailer, product_id }: BodyFields) => ({ retailer, product_id });
  const found = entitled.slice(0, 30).map(name);
  const missing = { retailer: "nordkauf", product_id: "nothing at all" };
  const items: Record<string, unknown> = {
    "all found": found.slice(0, 3),
    "one missing": [...found.slice(0, 3), missing],
    "unknown retailer": [...found.slice(0, 2), { retailer: "nobody", product_id: "1" }],
    unentitled: [...found.slice(0, 2), ...unentitled.slice(0, 1).map(name)],
    "unknown retailer in between": [{ retailer: "nobody", product_id: "1" }, ...found.slice(0, 1)],
    twice: [found[0], found[0]],
    fifty: Array.from({ length: 50 }, (_, index) => found[index % found.length]),
    "fifty-one": Array.from({ length: 51 }, () => missing),
    none: [],
    one: found.slice(0, 1),
    "text for list": "found",
    "malformed item": [{ retailer: "nordkauf" }],
  };
  for (const [label, its] of Object.entries(items)) await ask(`batch, ${label}`, { ...batch(its), headers });
  const post = { method: "POST", url: "/v1/products/batch-lookup" } as const;
  for (const payload of [
    { products: found.slice(0, 2) },
    { lookups: found.slice(0, 2) },
    found.slice(0, 2),
  ]) {
    await ask(`batch as ${Object.keys(payload)[0]}`, { ...post, payload, headers });
  }
  const json = { ...headers, "content-type": "application/json" };
  await ask("batch, bad JSON", { ...post, payload: "{", headers: json });
  await ask("batch, text", { ...post, payload: "{}", headers: { ...headers, "content-type": "text/plain" } });
}
