import type { RequirementResult, Results, Waiver, WaiverResult } from "../../../schemas/types.ts";
import { anchor } from "./anchor.ts";
import { type Html, html } from "./markup.ts";
import { chip, quoted, table } from "./parts.ts";

const states = {
  expired: ["bad", "Expired"],
  stale: ["bad", "Stale"],
  active: ["notice", "Active"],
  unused: ["plain", "Unused"],
} as const satisfies Record<WaiverResult["state"], readonly [string, string]>;

/** Each waiver with what became of it; those that fail the run first. */
export function renderWaivers(
  waivers: readonly WaiverResult[],
  requirements: readonly RequirementResult[],
): Html {
  const order = Object.keys(states);
  const sorted = waivers.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const known = new Set(requirements.flatMap(({ id, checks }) => [id, ...checks.map((check) => check.id)]));
  return table(
    "Waivers",
    ["Waives", "State", "Reason", "Owner", "Ticket", "Until"],
    sorted.map(({ waiver, state, mend }) => [
      known.has(waiver.id)
        ? html`<a href="#${anchor(waiver.id)}"><code>${waiver.id}</code></a>`
        : html`<code>${waiver.id}</code>`,
      chip(states[state][0], states[state][1]),
      html`${quoted(waiver.reason, 600)}${mend === undefined ? undefined : html`<p class="mend">${quoted(mend, 600)}</p>`}`,
      quoted(waiver.owner, 100),
      ticket(waiver),
      html`<time datetime="${waiver.expires}">${waiver.expires}</time>`,
    ]),
    { seen: false },
  );
}

// The team's own words, not the target's: the one link that leads out of the page, and only to the web.
function ticket({ ticket: place }: Waiver): Html {
  const leads = URL.canParse(place) && ["http:", "https:"].includes(new URL(place).protocol);
  return leads
    ? html`<a href="${place}" rel="noreferrer noopener">${quoted(place, 120)}</a>`
    : quoted(place, 120);
}

const ranks = {
  breaking: ["bad", "Breaking"],
  notable: ["notice", "Notable"],
  harmless: ["plain", "Harmless"],
} as const;

/** How the contract changed since the baseline: what breaks first. */
export function renderDrift({ since, changes }: NonNullable<Results["drift"]>): Html {
  const from = html`<p>Compared with the baseline of <time datetime="${since}">${since.slice(0, 10)}</time>.</p>`;
  if (changes.length === 0) return html`${from}<p>Nothing changed.</p>`;
  const order = Object.keys(ranks);
  const sorted = changes.toSorted((one, other) => order.indexOf(one.rank) - order.indexOf(other.rank));
  return html`${from}${table(
    "Changes since the baseline",
    ["Change", "Rank", "Of", "Before", "Now", "Rule"],
    sorted
      .slice(0, 1000)
      .map(({ rank, kind, subject, before, after, statement, rule }) => [
        quoted(statement, 400),
        chip(ranks[rank][0], ranks[rank][1]),
        html`${kind} <code>${quoted(subject, 120)}</code>`,
        before === undefined ? "–" : quoted(before, 160),
        after === undefined ? "–" : quoted(after, 160),
        html`<code>${rule}</code>`,
      ]),
  )}${sorted.length > 1000 ? html`<p>${sorted.length - 1000} more are in results.json.</p>` : undefined}`;
}
