import type { Results } from "../../../schemas/types.ts";
import { type Html, html } from "./markup.ts";
import { chip, facts, quoted, table } from "./parts.ts";
import { grouped, minute } from "./words.ts";

const most = 500;

/** What discovery found: retailers, the names that the spec leaves open, fields, what was missing. */
export function renderDiscovered({ discovered }: Results): Html {
  const {
    retailers,
    dialect,
    fields,
    fieldsByRetailer = {},
    rateLimit,
    fixtures,
    statuses = {},
  } = discovered;
  return html`${facts([
    [
      "Retailers",
      html`${retailers.slice(0, most).map((retailer) => html`<code>${quoted(retailer, 80)}</code> `)}${retailers.length === 0 ? "none" : undefined}`,
    ],
    ...Object.entries(dialect).map(
      ([name, value]) =>
        [
          dialectName(name),
          value === "" ? "the body itself" : html`<code>${quoted(value, 120)}</code>`,
        ] as const,
    ),
    ["429 answers", grouped(rateLimit.refused)],
    ["Let in before the first 429", rateLimit.letIn === undefined ? undefined : grouped(rateLimit.letIn)],
    [
      "Longest Retry-After",
      rateLimit.longestRetryAfterSeconds === undefined
        ? undefined
        : `${rateLimit.longestRetryAfterSeconds} s`,
    ],
  ])}
${
  fixtures.length === 0
    ? undefined
    : table(
        "What the checks and the load need",
        ["Fixture", "Found", "Value, or what would bring it"],
        fixtures
          .slice(0, most)
          .map(({ name, present, value = "", reason = "", mend = "" }) => [
            quoted(name, 120),
            present ? chip("good", "Found") : chip("unsure", "Missing"),
            quoted(present ? value : `${reason} ${mend}`.trim(), 400),
          ]),
      )
}
${Object.keys(fields).length === 0 ? undefined : html`<details class="more"><summary>Fields of products</summary>${fieldTable(fields, fieldsByRetailer)}</details>`}
${
  Object.keys(statuses).length === 0
    ? undefined
    : html`<details class="more"><summary>Answers by endpoint and status</summary>${table(
        "Answers by endpoint and status",
        ["Endpoint", "Answers"],
        Object.entries(statuses)
          .slice(0, most)
          .map(([endpoint, counts]) => [
            html`<code>${quoted(endpoint, 120)}</code>`,
            Object.entries(counts)
              .slice(0, 50)
              .map(([status, count]) => `${status}: ${grouped(count)}`)
              .join(", "),
          ]),
      )}</details>`
}`;
}

function fieldTable(
  fields: Readonly<Record<string, number>>,
  byRetailer: NonNullable<Results["discovered"]["fieldsByRetailer"]>,
): Html {
  const retailers = Object.entries(byRetailer).slice(0, 30);
  return table(
    "On how many of the products seen each field was",
    ["Field", "All", ...retailers.map(([slug, { products }]) => `${slug} (of ${grouped(products)})`)],
    Object.entries(fields)
      .slice(0, most)
      .map(([path, count]) => [
        html`<code>${quoted(path, 120)}</code>`,
        grouped(count),
        ...retailers.map(([, seen]) =>
          grouped(Object.hasOwn(seen.fields, path) ? (seen.fields[path] ?? 0) : 0),
        ),
      ]),
  );
}

function dialectName(name: string): string {
  const names: Readonly<Record<string, string>> = {
    batchRequestField: "Batch request field",
    batchFoundField: "Batch found list",
    batchFoundProduct: "Product in a found entry",
    gtin: "GTIN of a product",
  };
  return names[name] ?? name;
}

/** How the run was made: what it takes to make it again. */
export function renderRun({ tool, command, target, startedAt, finishedAt, requests }: Results): Html {
  return html`${facts([
    ["Tool", `${tool.name} ${tool.version}`],
    ["Command", command],
    ["Target", html`${quoted(target.name)} at <code>${quoted(target.baseUrl)}</code>`],
    ["Key fingerprint", html`<code>${target.keyFingerprint}</code>`],
    ["Started", minute(startedAt)],
    ["Finished", minute(finishedAt)],
    ["Requests of conformance", grouped(requests.total)],
  ])}
${
  Object.keys(requests.byEndpoint).length === 0
    ? undefined
    : table(
        "Requests of conformance by endpoint",
        ["Endpoint", "Requests"],
        Object.entries(requests.byEndpoint)
          .slice(0, most)
          .map(([endpoint, count]) => [html`<code>${quoted(endpoint, 120)}</code>`, grouped(count)]),
      )
}
<p class="faint">Everything on this page comes from results.json, which has it whole; keys are in neither.</p>`;
}
