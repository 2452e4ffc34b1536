import { endpointLabel } from "../../../schemas/api.ts";
import type { FieldNames } from "../../../schemas/contracts/field-names.ts";
import type { RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import { coverageLines } from "../../../schemas/words/coverage.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { capitalized, grouped, minute } from "../../../schemas/words/format.ts";
import type { ShownDrift, ShownWaiver } from "../report-parts.ts";
import { textOf } from "../shown-requirements.ts";
import { driftTones, waiverTones } from "../tones.ts";
import { anchor, chip, facts, type Html, html, prose, quoted, table } from "./markup.ts";

/** Waivers with their states, expired and stale ones first. */
export function renderWaivers(
  waivers: readonly ShownWaiver[],
  requirements: readonly RequirementResult[],
): Html {
  const known = new Set(requirements.flatMap(({ id, checks }) => [id, ...checks.map((check) => check.id)]));
  return table(
    "Waivers",
    ["Waives", "State", "Reason", "Owner", "Ticket", "Until"],
    waivers.map(({ waiver, state, label, fix }) => [
      known.has(waiver.id)
        ? html`<a href="#${anchor(waiver.id)}"><code>${waiver.id}</code></a>`
        : html`<code>${waiver.id}</code>`,
      chip(waiverTones[state], capitalized(label)),
      html`${quoted(waiver.reason, 600)}${fix === undefined ? undefined : html`<p class="fix">${prose(fix, 600)}</p>`}`,
      quoted(waiver.owner, 100),
      ticket(waiver),
      html`<time datetime="${waiver.expires}">${waiver.expires}</time>`,
    ]),
    { seen: false },
  );
}

// The ticket is the team's own text, not the target's. Only http and https become links.
function ticket({ ticket: place }: Waiver): Html {
  const leads = URL.canParse(place) && ["http:", "https:"].includes(new URL(place).protocol);
  return leads
    ? html`<a href="${place}" rel="noreferrer noopener">${quoted(place, 120)}</a>`
    : quoted(place, 120);
}

const mostChanges = 1000;

/** Contract changes since the baseline, breaking ones first. */
export function renderDrift({ since, changes }: ShownDrift): Html {
  const from = html`<p>Compared with the baseline of <time datetime="${since}">${minute(since)}</time>.</p>`;
  if (changes.length === 0) return html`${from}<p>Nothing changed.</p>`;
  const left = changes.length - mostChanges;
  return html`${from}${table(
    "Changes since the baseline",
    ["Change", "Rank", "Subject", "Rule"],
    changes
      .slice(0, mostChanges)
      .map(({ rank, label, subject, text, rule }) => [
        prose(text, 400),
        chip(driftTones[rank], capitalized(label)),
        html`<code>${quoted(subject, 120)}</code>`,
        html`<code>${rule}</code>`,
      ]),
  )}${left > 0 ? html`<p>${grouped(left)} more are in results.json.</p>` : undefined}`;
}

const most = 500;

/** Results of the discovery: retailers, field names that the spec leaves open, fields, missing fixtures. */
export function renderDiscovered({ discovered, target: { keyVariables } }: Results): Html {
  const words = keyVariables === undefined ? defaultWords : { keyVariables };
  const {
    retailers,
    dialect,
    fields,
    fieldsByRetailer = {},
    rateLimit,
    fixtures,
    statuses = {},
    coverage = [],
  } = discovered;
  return html`${facts([
    [
      "Retailers",
      html`${retailers.slice(0, most).map((retailer) => html`<code>${quoted(retailer, 80)}</code> `)}${retailers.length === 0 ? "none" : undefined}`,
    ],
    ...Object.entries(dialect).map(
      ([name, value]) =>
        [
          fieldNameLabels[name as keyof FieldNames],
          value === "" ? "the body itself" : html`<code>${quoted(value, 120)}</code>`,
        ] as const,
    ),
    ["429 responses", grouped(rateLimit.refused)],
    [
      "Accepted before the first 429",
      rateLimit.accepted === undefined ? undefined : grouped(rateLimit.accepted),
    ],
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
        "What the checks and load runs need",
        ["Fixture", "Found", "Value, or how to get it"],
        fixtures
          .slice(0, most)
          .map(({ name, value = "", missing, doubt = missing }) => [
            quoted(name, 120),
            doubt === undefined
              ? chip("good", "Found")
              : chip("unsure", missing === undefined ? "Unclear" : "Missing"),
            doubt === undefined ? quoted(value, 400) : prose(textOf([doubt], words), 400),
          ]),
      )
}
${
  coverage.length === 0
    ? undefined
    : table(
        "Identifiers",
        ["Identifier", "Unusual forms: looked up, and not in this catalog"],
        coverageLines(coverage).map(({ name, text }) => [name, text]),
      )
}
${Object.keys(fields).length === 0 ? undefined : html`<details class="more"><summary>Fields of products</summary>${fieldTable(fields, fieldsByRetailer)}</details>`}
${
  Object.keys(statuses).length === 0
    ? undefined
    : html`<details class="more"><summary>Responses by endpoint and status</summary>${table(
        "Responses by endpoint and status",
        ["Endpoint", "Responses"],
        Object.entries(statuses)
          .slice(0, most)
          .map(([endpoint, counts]) => [
            quoted(endpointLabel(endpoint), 120),
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
    "How many of the seen products have each field",
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

const fieldNameLabels = {
  batchRequestField: "Batch request field",
  batchFoundField: "Batch found list",
  batchFoundProduct: "Product in a found entry",
  gtin: "GTIN of a product",
} as const satisfies Record<keyof FieldNames, string>;

/** How the run was made. */
export function renderRun({ tool, command, target, startedAt, finishedAt, requests }: Results): Html {
  return html`${facts([
    ["Tool", `${tool.name} ${tool.version}`],
    ["Command", command],
    ["Target", html`${quoted(target.name)} at <code>${quoted(target.baseUrl)}</code>`],
    ["Key fingerprint", html`<code>${target.keyFingerprint}</code>`],
    ["Started", minute(startedAt)],
    ["Finished", minute(finishedAt)],
    ["Conformance requests", grouped(requests.total)],
  ])}
${
  Object.keys(requests.byEndpoint).length === 0
    ? undefined
    : table(
        "Conformance requests by endpoint",
        ["Endpoint", "Requests"],
        Object.entries(requests.byEndpoint)
          .slice(0, most)
          .map(([endpoint, count]) => [quoted(endpointLabel(endpoint), 120), grouped(count)]),
      )
}
<p class="faint">Everything on this page comes from results.json. Neither file contains keys.</p>`;
}
