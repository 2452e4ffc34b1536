import type { Results } from "../../../schemas/types.ts";
import { isBroken } from "./findings.ts";
import { type Html, html } from "./markup.ts";
import { loadChip, quoted } from "./parts.ts";
import type { SortedRequirements } from "./sort-requirements.ts";
import { between, counted, exitWords, grouped, minute, runWords, verdictWords } from "./words.ts";

/** The first screen: what was judged, the answer, what it means to CI, and how much of each there is. */
export function renderVerdict(results: Results, sorted: SortedRequirements): Html {
  const { command, target, verdict, exitCode, startedAt, finishedAt } = results;
  return html`<header class="verdict ${verdict}" id="verdict">
<p class="kind">${command} of <bdi>${target.name}</bdi></p>
<h1><span class="word">${runWords[verdict]}</span> ${answer(results, sorted)}</h1>
${problem(results)}
<dl class="frame">
<div><dt>Target</dt><dd><code>${quoted(target.baseUrl)}</code></dd></div>
<div><dt>When</dt><dd><time datetime="${startedAt}">${minute(startedAt)}</time>, ${between(startedAt, finishedAt)}</dd></div>
<div><dt>Exit code</dt><dd><b>${exitCode}</b>: ${exitWords[exitCode]}</dd></div>
</dl>
<div class="tools" hidden><button type="button" id="theme">Theme</button><button type="button" id="keys" aria-haspopup="dialog">Keys</button></div>
<ul class="tiles">${counts(results, sorted)}</ul>
</header>
`;
}

/** The answer in a sentence, as a release manager would pass it on. */
export function answer(
  results: Results,
  { broken, unjudged, worthALook, waived }: SortedRequirements,
): string {
  const { load, requirements, drift, waivers = [], problem, exitCode } = results;
  const violated = broken.filter(({ verdict }) => verdict === "fail").length;
  const notRun = broken.length - violated;
  const runs = load.filter(isBroken).length;
  const invalid = load.filter(({ verdict }) => verdict === "invalid").length;
  const breaking = drift?.changes.filter(({ rank }) => rank === "breaking").length ?? 0;
  const over = waivers.filter(({ state }) => state === "stale" || state === "expired").length;
  const bad = [
    violated > 0 ? `${counted(violated, "requirement is", "requirements are")} violated` : undefined,
    runs > 0 ? `${counted(runs, "load run")} did not hold` : undefined,
    breaking > 0 ? `${counted(breaking, "breaking change")} since the baseline` : undefined,
    over > 0 ? `${counted(over, "waiver is", "waivers are")} stale or expired` : undefined,
    notRun > 0 ? `${counted(notRun, "requirement")} could not be run` : undefined,
    invalid > 0 ? `${counted(invalid, "load run")} measured too little to judge` : undefined,
    unjudged.length > 0 ? `${counted(unjudged.length, "requirement")} could not be judged` : undefined,
  ].filter((part) => part !== undefined);
  if (bad.length > 0) return `${listed(bad)}.`;
  if (problem !== undefined)
    return exitCode === 130 ? "The run was interrupted." : "Something kept it from being made.";
  const passed = requirements.filter(({ verdict }) => verdict === "pass").length;
  const held = [
    requirements.length > 0 ? `${counted(passed, "requirement")} held` : undefined,
    load.length > 0 ? `${counted(load.length, "load run")} within thresholds` : undefined,
    waived.length > 0 ? `${grouped(waived.length)} by waiver` : undefined,
    worthALook.length > 0 ? `${grouped(worthALook.length)} worth a look` : undefined,
  ].filter((part) => part !== undefined);
  return held.length === 0 ? "Nothing was judged." : `${listed(held)}.`;
}

function listed(parts: readonly string[]): string {
  return new Intl.ListFormat("en", { style: "long", type: "conjunction" }).format(parts);
}

function problem({ problem: told }: Results): Html | undefined {
  if (told === undefined) return undefined;
  return html`<div class="problem" role="note"><p><b>${quoted(told.what, 600)}</b>: <code>${quoted(told.where, 600)}</code></p><p>${quoted(told.mend, 1000)}</p></div>`;
}

function counts({ requirements, load, drift, waivers = [] }: Results, sorted: SortedRequirements): Html[] {
  const of = (verdict: keyof typeof verdictWords): number =>
    requirements.filter((requirement) => requirement.verdict === verdict).length;
  const requirementTiles = (
    [
      ["fail", "#broken", "bad"],
      ["error", "#broken", "bad"],
      ["inconclusive", "#unjudged", "unsure"],
      ["warn", sorted.worthALook.length > 0 ? "#worth-a-look" : "#waivers", "notice"],
      ["pass", "#coverage", "good"],
      ["notApplicable", "#coverage", "plain"],
    ] as const
  )
    .filter(([verdict]) => of(verdict) > 0 || verdict === "pass" || verdict === "fail")
    .filter(() => requirements.length > 0)
    .map(([verdict, href, mark]) =>
      tile(href, of(verdict) === 0 ? "plain" : mark, grouped(of(verdict)), verdictWords[verdict]),
    );
  const breaking = drift?.changes.filter(({ rank }) => rank === "breaking").length ?? 0;
  return [
    ...requirementTiles,
    ...(waivers.length === 0 ? [] : [tile("#waivers", "notice", grouped(waivers.length), "Waivers")]),
    ...(drift === undefined
      ? []
      : [
          tile(
            "#drift",
            breaking > 0 ? "bad" : "plain",
            grouped(drift.changes.length),
            "Changes since baseline",
          ),
        ]),
    ...load.map(
      ({ scenario, profile, verdict }, index) =>
        html`<li><a class="tile load" href="#load-${index}"><span>${loadChip(verdict)}</span><small>${quoted(scenario, 40)} (${quoted(profile, 40)})</small></a></li>`,
    ),
  ];
}

function tile(href: string, mark: string, count: string, name: string): Html {
  return html`<li><a class="tile ${mark}" href="${href}"><b>${count}</b><small>${name}</small></a></li>`;
}
