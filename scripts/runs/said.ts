import type { Finding, SaidFinding, WordsContext } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { CheckResult, Discovered, RequirementResult, Results } from "../../schemas/contracts/results.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { given, isObject } from "../../schemas/json.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { clip } from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { wordsWith } from "../core/added.ts";

// Sizes are capped here, where keys are hidden already: every report shows all that it gets.

/** Characters of a sentence that results keep, and of a header, an address or a body. */
const [longestSentence, longestLine] = [2000, 8000];
/** Of what was sent: a command that is cut sends nothing, and a batch of 50 products may have 10,000. */
const longestSent = 20_000;

/** An exchange of a length that people can read: each of its texts is. */
function fitted<Part>(part: Part, longest = longestLine): Part {
  if (typeof part === "string") return clip(part, longest) as Part & string;
  if (Array.isArray(part)) return part.map((one) => fitted(one, longest)) as Part & unknown[];
  if (!isObject(part)) return part;
  const longestOf = (name: string) => (name === "request" || name === "curl" ? longestSent : longest);
  const entries = Object.entries(part).map(([name, one]) => [fitted(name), fitted(one, longestOf(name))]);
  return Object.fromEntries(entries) as Part;
}

/** A finding with its sentences. */
export function said(finding: Finding, words: WordsContext = defaultWords): SaidFinding {
  const { code, ...rest } = finding;
  const table = wordsWith(code);
  const sentences = {
    message: clip(findingText(finding, words, table), longestSentence),
    ...given({ fix: findingFix(finding, words, table) }),
  };
  return { code, ...sentences, ...rest } as SaidFinding;
}

/** Findings of one check that results keep; the rest is counted. */
const mostFindings = 50;

export function saidCheck(
  { findings, evidence, ...check }: CheckResult,
  words: WordsContext = defaultWords,
): CheckResult<SaidFinding> {
  const leftOut = findings.length - mostFindings;
  return {
    ...check,
    evidence: evidence.map((one) => fitted(one)),
    findings: findings.slice(0, mostFindings).map((one) => said(one, words)),
    ...(leftOut > 0 ? { findingsLeftOut: leftOut } : {}),
  };
}

export function saidRequirement(
  requirement: RequirementResult,
  words: WordsContext = defaultWords,
): RequirementResult<SaidFinding> {
  return { ...requirement, checks: requirement.checks.map((check) => saidCheck(check, words)) };
}

/** Exchanges that results keep of checks that did not pass; a page of them stays below 5 MB. */
const mostExchanges = 250;

/** Checks with as many exchanges as results keep, those of what failed first, and how many are left out. */
function withRoom(requirements: readonly RequirementResult[]) {
  const ranks = Object.keys(verdictLabels);
  const exchanges = requirements
    .flatMap(({ checks }) => checks)
    .filter(({ verdict }) => verdict !== "pass")
    .toSorted((one, other) => ranks.indexOf(one.verdict) - ranks.indexOf(other.verdict))
    .flatMap(({ evidence }) => evidence);
  const leftOut = new Set(exchanges.slice(mostExchanges));
  const fit = ({ evidence, ...check }: CheckResult) => {
    return { ...check, evidence: evidence.filter((exchange) => !leftOut.has(exchange)) };
  };
  const fitting = requirements.map((one) => ({ ...one, checks: one.checks.map(fit) }));
  return { leftOut: leftOut.size, requirements: fitting };
}

/** The results of a run with the sentences of all findings, which name the variables of its keys. */
export function saidResults(results: Results<Finding>, words: WordsContext = defaultWords): Results {
  const { notices, requests, discovered, load, ...rest } = results;
  const { requirements, leftOut } = withRoom(results.requirements);
  const say = (finding: Finding) => said(finding, words);
  return {
    ...rest,
    ...given({ notices: notices?.map(say) }),
    requests: { ...requests, lost: requests.lost && say(requests.lost) },
    requirements: requirements.map((one) => saidRequirement(one, words)),
    ...(leftOut === 0 ? {} : { exchangesLeftOut: leftOut }),
    discovered: saidDiscovered(discovered, words),
    load: load.map((one) => saidLoad(one, words)),
  };
}

export function saidDiscovered(
  { fixtures, ...discovered }: Discovered,
  words: WordsContext = defaultWords,
): Discovered<SaidFinding> {
  return {
    ...discovered,
    fixtures: fixtures.map(({ missing, doubt, ...fixture }) => ({
      ...fixture,
      ...given({ missing: missing && said(missing, words), doubt: doubt && said(doubt, words) }),
    })),
  };
}

export function saidLoad(
  { evidence, findings, notes, ...measured }: LoadResult,
  words: WordsContext = defaultWords,
): LoadResult<SaidFinding> {
  const say = (finding: Finding) => said(finding, words);
  return {
    ...measured,
    findings: findings.map(say),
    notes: notes.map(say),
    ...given({
      evidence: evidence?.map(({ request, finding, exchange, overlapping }) => ({
        request,
        finding: say(finding),
        exchange: fitted(exchange),
        ...given({ overlapping: overlapping && fitted(overlapping) }),
      })),
    }),
  };
}
