import { afterAll, onTestFinished } from "vitest";
import { endpoints, keyHeaders } from "../../schemas/api.ts";
import { jsonIn } from "../../schemas/json.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/start.ts";

type KeyName = keyof RunningService["keys"];

/** A response as a test reads it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty for what is not JSON, so that the test's own assertion fails. */
  readonly json: Body;
}

/** BodyFields that tests look into; which of them exist depends on the response. */
export interface Body {
  readonly retailers: readonly { slug: string; name: string; domains: string[] }[];
  readonly products: readonly BodyFields[];
  readonly meta: Record<"count" | "total" | "found" | "not_found" | "other_errors", number> & {
    next_cursor: string;
  };
  readonly errors: readonly BodyFields[];
  readonly error: { code: string; message: string };
  readonly [field: string]: unknown;
}

/** A product, or an error entry of a batch. */
export interface BodyFields {
  readonly retailer: string;
  readonly product_id: string;
  readonly [field: string]: unknown;
}

/** Starts a service; the caller stops it. */
export async function startClient(options: ServiceOptions = {}) {
  const service = await startService({ rate: 100_000, burst: 100_000, ...options });
  const { baseUrl, keys } = service;
  async function send(path: string, options: RequestInit): Promise<Reply> {
    const response = await fetch(baseUrl + path, options);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: (jsonIn(text) ?? {}) as Body };
  }
  return {
    service,
    send,
    /** GET below the base address, with the first organization's key. */
    get: (path: string, key: KeyName | "none" = "primary", headers: Record<string, string> = {}) =>
      send(path, { headers: { ...(key === "none" ? {} : { [keyHeaders.plain]: keys[key] }), ...headers } }),
    batch: (body: unknown, key: KeyName = "primary") =>
      send(endpoints.batch.path, {
        method: "POST",
        headers: { [keyHeaders.plain]: keys[key], "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

/** The same for all tests of a group or a file, stopped after them. */
export async function clientOfTests(options: ServiceOptions = {}) {
  const client = await startClient(options);
  afterAll(() => client.service.stop());
  return client;
}

/** The same, stopped when the test that calls it has ended. */
export async function clientOfTest(options: ServiceOptions = {}) {
  const client = await startClient(options);
  onTestFinished(() => client.service.stop());
  return client;
}

/** All products of a category, by following `next_cursor`. */
export async function walk(
  { get }: { get(path: string, key: KeyName): Promise<Reply> },
  category: string,
  key: KeyName = "primary",
  limit = 20,
) {
  const pages: Reply[] = [];
  let cursor = "";
  do {
    const query = new URLSearchParams({ category, limit: String(limit), ...(cursor !== "" && { cursor }) });
    const page = await get(`/products?${query}`, key);
    pages.push(page);
    cursor = page.json.meta.next_cursor;
  } while (cursor !== "");
  return { pages, products: pages.flatMap((page) => page.json.products) };
}

export const path = (...segments: string[]) => `/${segments.map(encodeURIComponent).join("/")}`;
