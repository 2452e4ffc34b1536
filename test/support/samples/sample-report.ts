import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Headline, Item, Report, Suite } from "../../../scripts/report/model.ts";
import { hostileMarkup } from "./hostile.ts";
import { sampleExchange } from "./sample.ts";

/** An item that failed, for tests to modify. */
export function sampleItem(change: Partial<Item> = {}): Item {
  const id = change.id ?? "errors.unknown-product";
  return {
    id,
    title: "An unknown product gives 404 with the code `not_found`.",
    verdict: "fail",
    tone: "bad",
    about: "Errors, MUST",
    section: "Errors",
    quote: "An unknown product is answered with 404 and the code not_found.",
    said: [
      {
        check: "An unknown product, requested by its id",
        message: "The status is 410.",
        fix: "Answer 404.",
        where: ["12 of 258 responses (4.65 %)", "`acme` 12 of 40, `bolt` 0 of 40"],
        places: [
          {
            exchange: 0,
            lines: [
              { text: "HTTP 410", mark: "place", expected: "expected 404" },
              { text: "" },
              { text: "{" },
              { text: "  … 2 fields omitted", mark: "left-out" },
              { text: "}" },
            ],
          },
        ],
      },
    ],
    evidence: [sampleExchange()],
    commands: [
      { label: "Ticket", command: `npx shelfcheck explain latest ${id} --markdown` },
      { label: "Repeat", command: `npx shelfcheck replay latest ${id}` },
    ],
    attempts: { failed: 2, total: 5 },
    ...change,
  };
}

/** A page that comes twice: the second exchange repeats the first. */
function repeatedItem(): Item {
  const exchange = (page: number): Evidence => ({
    ...sampleExchange({ status: 200, cut: { shown: 40, of: 9000, file: "bodies/1.json" } }),
    curl: `curl -sS -i 'https://catalog.example/v1/products?page=${page}'`,
  });
  const place = (heading: string, at: number, price: number) => ({
    heading,
    exchange: at,
    isReference: at === 0,
    lines: [{ text: "{" }, { text: `  "price": ${price}`, mark: "place" as const }, { text: "}" }],
  });
  return sampleItem({
    id: "paging.once",
    title: "Each product is in one page.",
    about: "Paging, MUST",
    section: "Paging",
    said: [
      {
        message: "Product `p-1` is in 2 pages.",
        where: [],
        places: [place("First", 0, 24.94), place("Again", 1, 2494)],
      },
      { message: "Product `p-2` is in 2 pages.", where: [], places: [place("Seen", 1, 5)] },
    ],
    evidence: [exchange(1), exchange(2)],
    attempts: undefined,
  });
}

const quiet = { said: [], evidence: [], commands: [], attempts: undefined, quote: undefined };
const empty = { items: [], tables: [], lines: [], charts: [], summary: "" };

function sampleSuites(): Suite[] {
  const waiver = {
    id: "errors.waived",
    reason: "The old gateway answers 410.",
    owner: "catalog-team",
    ticket: "https://tickets.example/CAT-17",
    expires: "2027-01-31",
  };
  const limit = { ...quiet, about: undefined, section: undefined };
  const seconds = Array.from({ length: 12 }, (_, at) => 10 * at);
  return [
    { ...empty, id: "failed", title: "Failed", tone: "bad", items: [sampleItem(), repeatedItem()] },
    {
      ...empty,
      id: "load-0",
      title: "Lookup (average)",
      tone: "bad",
      summary: "1,200 requests, 10/s, p95 12.3 ms, none failed.",
      lines: ["3 products appeared again later in the same walk."],
      items: [
        sampleItem({
          ...limit,
          id: "load.lookup/by-id-p95",
          title: "Lookup by id, p95",
          said: [
            {
              message: "Lookup by id, p95: 12.3 ms, limit 10 ms.",
              where: [],
              places: [{ exchange: 0, lines: [] }],
            },
          ],
          evidence: [sampleExchange({ status: 200 })],
        }),
        sampleItem({ ...limit, id: "load.lookup/failed", title: "Failed", verdict: "pass", tone: "good" }),
      ],
      tables: [
        {
          title: "Endpoints",
          head: ["endpoint", "responses", "p95", "limit"],
          figures: [1, 2],
          rows: [
            { cells: ["Lookup by id", "400", "12.3 ms", "10 ms"], tone: "bad" },
            { cells: ["Lookup by GTIN", "400", "3.1 ms", ""] },
          ],
        },
      ],
      charts: [
        {
          title: "Requests a second",
          summary: "Accepted from 9 to 10 /s.",
          unit: "/s",
          isLogarithmic: false,
          x: seconds,
          lines: [
            { name: "accepted", tone: "good", values: seconds.map((at) => 9 + (at % 20) / 20) },
            { name: "planned", tone: "plain", values: seconds.map(() => 10) },
          ],
          limits: [],
        },
        {
          title: "Latency of successful responses",
          summary: "p95 from 9 to 20 ms.",
          unit: "ms",
          isLogarithmic: true,
          x: seconds,
          lines: [
            { name: "p95", tone: "notice", values: seconds.map((at) => (at === 50 ? null : 9 + at / 10)) },
          ],
          limits: [{ at: 10, label: "p95 limit 10 ms" }],
        },
      ],
      startedAt: "2026-11-21T08:00:00.000Z",
      seconds: 120,
    },
    {
      ...empty,
      id: "waivers",
      title: "Waivers",
      tone: "notice",
      tables: [
        {
          title: "Waivers",
          head: ["waived", "until"],
          rows: [{ cells: ["`errors.waived`", "2027-01-31"], tone: "notice" }],
        },
      ],
    },
    {
      ...empty,
      id: "warnings",
      title: "Warnings",
      tone: "notice",
      items: [
        sampleItem({
          id: "product.images",
          title: "Images are links.",
          about: "Product, SHOULD",
          section: "Product",
          verdict: "warn",
          tone: "notice",
        }),
        sampleItem({ id: "errors.waived", verdict: "waived", tone: "notice", waiver }),
      ],
    },
    {
      ...empty,
      id: "authentication",
      title: "Authentication",
      tone: "unsure",
      summary: "1 not judged, 1 passed",
      items: [
        sampleItem({
          ...quiet,
          id: "entitlement.other",
          title: "A key sees what its organization may use.",
          section: "Authentication",
          verdict: "inconclusive",
          tone: "unsure",
          said: [
            {
              message: "There is no key of another organization.",
              fix: "Set `SHELFCHECK_OTHER_ORG_API_KEY`.",
              where: [],
              places: [],
            },
          ],
        }),
        sampleItem({
          ...quiet,
          id: "entitlement.own",
          title: "A key is needed.",
          section: "Authentication",
          verdict: "pass",
          tone: "good",
        }),
      ],
    },
    {
      ...empty,
      id: "retailers",
      title: "Retailers",
      tone: "good",
      summary: "1 passed",
      items: [
        sampleItem({
          ...quiet,
          id: "retailers.listed",
          title: "The list of retailers is live.",
          about: "Retailers, MUST",
          section: "Retailers",
          verdict: "pass",
          tone: "good",
        }),
      ],
    },
    {
      ...empty,
      id: "discovered",
      title: "What was discovered",
      tone: "plain",
      tables: [
        {
          title: "Retailers",
          head: ["retailer", "products"],
          figures: [1],
          rows: [{ cells: ["`acme`", "120"] }],
        },
      ],
    },
  ];
}

/** A report with every part that a writer shows, for tests to modify. */
export function sampleReport(change: Partial<Report> = {}, headline: Partial<Headline> = {}): Report {
  return {
    headline: {
      tone: "bad",
      label: "not conformant",
      of: "gate of `staging` at `https://catalog.example/v1`",
      why: "2 requirements failed.",
      counts: ["9 requirements: 2 failed, 4 passed", "450 requests"],
      notes: ["Also: `load.lookup/by-id-p95` exceeded its limit."],
      next: "npx shelfcheck replay latest errors.unknown-product",
      exitCode: 1,
      startedAt: "2026-11-21T08:00:00.000Z",
      finishedAt: "2026-11-21T08:00:05.000Z",
      files: [
        { name: "results.json", path: "results.json" },
        { name: "k6's dashboard", path: "load/lookup/dashboard.html" },
      ],
      ...headline,
    },
    suites: sampleSuites(),
    about: [
      ["Versions", "shelfcheck 0.0.0, k6 1.8.1"],
      ["Key fingerprint", "`0123456789ab`"],
    ],
    ...change,
  };
}

/** A report in which every text is `every`, and one body and command have `huge` characters. */
export function hostileReport(every: string, huge: number): Report {
  const exchange = sampleExchange({
    body: every,
    headers: { "content-type": every, [every.replaceAll(/\s/g, "")]: "x" },
  });
  const hostile = { ...exchange, request: { ...exchange.request, url: every, body: every }, curl: every };
  const big = {
    ...exchange,
    response: { ...exchange.response, body: "<".repeat(huge) },
    curl: "z".repeat(huge),
  };
  const item = sampleItem({
    id: every,
    title: every,
    about: every,
    section: every,
    quote: every,
    said: [
      {
        check: every,
        message: every + "&".repeat(huge),
        fix: every,
        where: [every],
        places: [{ heading: every, exchange: 0, lines: [{ text: every, mark: "place", expected: every }] }],
      },
    ],
    evidence: [hostile, big],
    commands: [{ label: every, command: every }],
    waiver: { id: every, reason: every, owner: every, ticket: hostileMarkup.url, expires: every },
  });
  const table = { title: every, head: [every, every], rows: [{ cells: [every, every] }] };
  const chart = { title: every, summary: every, unit: every, isLogarithmic: false, x: [0, 1] };
  const line = { name: every, tone: "good" as const, values: [1, 2] };
  return sampleReport(
    {
      suites: [
        {
          id: "hostile",
          title: every,
          tone: "bad",
          summary: every,
          items: [item, sampleItem({ id: "other", verdict: "pass", tone: "good" })],
          tables: [table],
          lines: [every],
          charts: [{ ...chart, lines: [line], limits: [{ at: 1, label: every }] }],
        },
      ],
      about: [[every, every]],
    },
    {
      label: every,
      of: every,
      why: every,
      counts: [every],
      notes: [every],
      next: every,
      files: [{ name: every, path: every }],
    },
  );
}
