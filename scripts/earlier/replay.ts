import { join } from "node:path";
import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../conformance/client/target.ts";
import type { ServiceJudgement } from "../../conformance/engine/judge-service.ts";
import { covers, type Listed, listChecks, listChecksAtLimit, namesOf } from "../../conformance/suite/all.ts";
import type { Fuzz } from "../../conformance/suite/check/check.ts";
import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Problem, Results } from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { counted, listed } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { code } from "../../schemas/words/values.ts";
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import { type CommonFlags, ofTarget, runNames, withFlags } from "../cli/commands/flags.ts";
import { loadConfig } from "../config/config-file.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { defaults, resolveSettings, type Settings } from "../config/settings.ts";
import { CannotRunError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { type Item, itemLabels } from "../report/model.ts";
import { type ConsoleStyle, consoleStyle, prose, wrap } from "../report/terminal.ts";
import { oneLine } from "../report/text.ts";
import { openTarget } from "../runs/preflight.ts";
import { readRun } from "../runs/read-run.ts";
import { said } from "../runs/said.ts";
import { judgeTarget, requireBurstAllowed, waitLine } from "../runs/stages/conformance-stage.ts";

/** The worst first. Unclear: not judged or not met now, or failed before and a warning now. */
const outcomes = {
  "failing now": { exitCode: 1, tone: "bad" },
  "could not tell": { exitCode: 4, tone: "unsure" },
  "warned again": { exitCode: 0, tone: "unsure" },
  "passes now": { exitCode: 0, tone: "good" },
} as const;
type ReplayVerdict = keyof typeof outcomes;

/** Checks of an earlier run, before and now, the worst first. */
interface Replay {
  readonly verdict: ReplayVerdict;
  readonly checks: readonly ReplayedCheck[];
  /** What a check that passes now may hide. */
  readonly caution?: string;
  /** Why the replay ended early. */
  readonly problem?: Problem | undefined;
}

interface ReplayedCheck extends Pick<CheckResult, "id" | "title"> {
  readonly verdict: ReplayVerdict;
  readonly before: Item["verdict"];
  readonly now: Verdict;
  /** Keys and categories of the run without which it passes now. */
  readonly lacks: readonly string[];
  /** What is found now. */
  readonly findings: readonly SaidFinding[];
  /** The request that showed the failure, as the run recorded it. */
  readonly recorded: { readonly status: number; readonly curl: string } | undefined;
}

/** `replay RUN [ID]`: runs checks of a run again, above all those that failed. */
export const replay: CommandDefinition<CommonFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime")
      .argument("<run>", runNames)
      .argument(
        "[id]",
        "a requirement, check or section that the run judged (default: all that failed, waived or not)",
      ),
  run: async (flags, io, [run = "", id]) => {
    const { json } = flags;
    const { path, results } = await readRun(run, flags, io);
    const recorded = recordedChecks(results, id);
    if (recorded.length === 0) {
      // Of a run that judged nothing, and of load, no check can be repeated.
      const verdict: ReplayVerdict = results.exitCode === 0 ? "passes now" : "could not tell";
      const text = () => "The run has no failed check to repeat.\n";
      print(io, json, { value: { verdict, checks: [] } satisfies Replay, text });
      return outcomes[verdict].exitCode;
    }
    const settings = await settingsFor(results.target, join(path, "results.json"), flags, io);
    const selection = { only: checksToRun(recorded, results).map((check) => check.id), skip: [] };
    requireBurstAllowed(settings, selection);
    await using opened = await openTarget(settings);
    const { target } = opened;
    const say = (line: string) => void io.stderr.write(`${line}\n`);
    const running = counted(selection.only.length, "check");
    say(`replay on ${target.name} at ${target.baseUrl}: runs ${running} to judge ${recorded.length} again`);
    const isOtherKey = keyFingerprint(target.keys.primary) !== results.target.keyFingerprint;
    if (isOtherKey && results.target.builtIn !== true)
      say("The primary key is not the one of that run: it may see other products.");
    const { requirements, traffic } = await judgeTarget({
      ...{ target, selection, fuzz: fuzzOf(recorded), signal: io.signal },
      maxRequests: settings.maxRequests,
      maxSeconds: settings.maxSeconds,
      onWait: (seconds: number) => say(waitLine(seconds)),
    });
    const { categories } = results.discovered;
    const judged = replayOf(recorded, { requirements, ...traffic }, target, categories);
    const found = redactValue(judged, redactionFor(target));
    print(io, json, { value: found, text: () => renderReplay(found, consoleStyle(io)) });
    // A failure decides the exit code even if the target stopped responding later.
    if (found.problem !== undefined && found.verdict === "could not tell")
      throw new CannotRunError(found.problem);
    return outcomes[found.verdict].exitCode;
  },
};

/**
 * The target of a flag, or that of the run if environment or config have it with the same address: the
 * results file may come from elsewhere, so it must not decide where a key is sent.
 */
async function settingsFor(
  { name, baseUrl }: Results["target"],
  file: string,
  flags: CommonFlags,
  io: Io,
): Promise<Settings> {
  if (flags.target !== undefined || flags.baseUrl !== undefined) return await resolveSettings(flags, io);
  const { config } = await loadConfig(flags.config, io.cwd);
  const isKnown = name === defaults.target || Object.hasOwn(config.targets ?? {}, name);
  const settings = await resolveSettings(isKnown ? { ...flags, target: name } : flags, io);
  const configured = settings.choice.kind === "remote" ? settings.choice.target.baseUrl : undefined;
  if (configured === baseUrl || name === defaults.target) return settings;
  throw new UsageError({
    what:
      configured === undefined
        ? `No target is named; only the results file names ${oneLine(baseUrl)}`
        : `The run was made at ${oneLine(baseUrl)}, and the configured address is ${configured}`,
    where: file,
    fix: "Keys are not sent to an address that only a results file names: name the target with --base-url.",
  });
}

/**
 * The failed checks, waived ones too, that an id covers (without one: all); if none failed, all that it covers.
 * @throws UsageError when the run judged nothing with this id, with similar ids.
 */
export function recordedChecks({ requirements, command }: Results, id: string | undefined): CheckResult[] {
  const all = requirements.flatMap(({ id: requirement, checks }) =>
    checks.map((check) => ({ check, id: check.id, requirement })),
  );
  const matching = all.filter((one) => id === undefined || covers(id, one)).map(({ check }) => check);
  const failed = matching.filter(
    ({ verdict, waiver }) => verdict === "fail" || verdict === "error" || waiver !== undefined,
  );
  if (failed.length > 0 || id === undefined) return failed;
  if (matching.length > 0) return matching.filter(({ verdict }) => verdict !== "notApplicable");
  const others = namesOf(all);
  const none = `It was a run of ${command}, which judges none: name a run of conformance or gate.`;
  throw new UsageError({
    what: "The run judged no requirement, check or section with this id",
    where: `replay ${id}`,
    fix: others.length === 0 ? none : didYouMean(id, others),
  });
}

/**
 * The checks to run so that these are judged again. A rule judges what all checks of the run send, and if it
 * is about refused requests, or failed on what came with them, those that exceed the rate limit.
 */
export function checksToRun(recorded: readonly CheckResult[], { requirements }: Results): Listed[] {
  const judged = new Set(requirements.flatMap(({ checks }) => checks.map(({ id }) => id)));
  const failed = new Map(recorded.map((check) => [check.id, check]));
  const ofLimit = new Set(listChecksAtLimit());
  const all = listChecks();
  const ofRules = all.filter(({ id, requests }) => requests === 0 && failed.has(id));
  const needsOthers = ofRules.some(({ id }) => !ofLimit.has(id));
  const isAtLimit = ({ burst, response }: Evidence) => burst === true || response.status === 429;
  const needsBurst = ofRules.some(({ id }) => ofLimit.has(id) || failed.get(id)?.evidence.some(isAtLimit));
  return all.filter(({ id, requests, bursts = false }) => {
    const isNeeded = bursts ? needsBurst : needsOthers && requests > 0 && judged.has(id);
    return failed.has(id) || isNeeded;
  });
}

/** How the run drew the inputs on which a check failed. */
export function fuzzOf(recorded: readonly CheckResult[]): Fuzz | undefined {
  return recorded
    .flatMap(({ findings }) => findings)
    .map(({ details }) => details as Partial<Fuzz> | undefined)
    .find((drawn): drawn is Fuzz => typeof drawn?.runs === "number" && typeof drawn.seed === "number");
}

type ReplayedTraffic = Pick<ServiceJudgement["traffic"], "requests" | "rateLimit" | "gone">;

/** The checks of an earlier run, which browsed these categories, beside what is judged of them now. */
export function replayOf(
  recorded: readonly CheckResult[],
  { requirements, requests, rateLimit, gone }: Pick<ServiceJudgement, "requirements"> & ReplayedTraffic,
  target: Target,
  browsed: readonly string[] = [],
): Replay {
  const { keys, keyVariables } = target;
  const unset = (["sameOrg", "otherOrg"] as const).filter((role) => keys[role] === undefined);
  const lostCategories = browsed.filter((category) => !target.categories.includes(category));
  const judged = new Map(requirements.flatMap(({ checks }) => checks.map((check) => [check.id, check])));
  const redaction = redactionFor(target);
  const all = recorded.map(({ id, title, verdict, waiver, findings: [first], evidence }): ReplayedCheck => {
    const before = waiver === undefined ? verdict : "waived";
    const again = judged.get(id);
    // A rule passes on what is left where the burst that showed the failure was avoided, or none refused.
    const isProvoked = evidence.every(
      ({ burst, response }) =>
        !burst || (response.status === 429 ? rateLimit.refused : (requests.burst ?? 0)) > 0,
    );
    const keyHeadersOf = ({ request }: Evidence) => Object.values(request.headers);
    const lostKeys = unset
      .map((role) => `$${keyVariables[role]}`)
      .filter((name) => evidence.flatMap(keyHeadersOf).some((value) => value.endsWith(name)));
    const isTold = isProvoked || again?.verdict !== "pass";
    const { findings = [] } = (isTold ? again : judged.get("limits.rate/burst")) ?? {};
    const now = (isTold ? again?.verdict : undefined) ?? "inconclusive";
    const lacks = now === "pass" ? [...lostKeys, ...lostCategories] : [];
    const shown = evidence[first?.exchange ?? 0];
    return {
      ...{ id, title, before, now, lacks },
      // What passed may be no response of the service, which was gone at the end, or lack what showed the fault.
      verdict:
        now === "pass" && (gone !== undefined || lacks.length > 0)
          ? "could not tell"
          : verdictOf(before, now),
      findings: findings.map((one) => said(one, redaction)),
      recorded: shown && { status: shown.response.status, curl: shown.curl },
    };
  });
  const places = Object.keys(outcomes);
  const checks = all.toSorted((a, b) => places.indexOf(a.verdict) - places.indexOf(b.verdict));
  const passes = checks.some(({ now }) => now === "pass");
  const problem = gone && problemFrom(gone, target);
  return { verdict: checks[0]?.verdict ?? "passes now", checks, problem, ...(passes && { caution }) };
}

function verdictOf(before: Item["verdict"], now: Verdict): ReplayVerdict {
  if (now === "pass") return "passes now";
  if (now === "fail") return "failing now";
  return before === "warn" && now === "warn" ? "warned again" : "could not tell";
}

const caution =
  "A fault that is rare, or depends on other requests, as of a cache, may not show in a replay: to be sure, run `conformance` with all keys and categories.";

/** A replay as text: what does not pass now with what is found, and with the request of the run. */
export function renderReplay({ checks, caution: hint = "" }: Replay, style: ConsoleStyle): string {
  const indented = (text: string) => wrap(prose(text), { width: style.width, indent: "  " });
  const counts = [...Map.groupBy(checks, ({ verdict }) => verdict)].map(([verdict, { length }]) =>
    verdict === "passes now" && length > 1 ? `${length} pass now` : `${length} ${verdict}`,
  );
  const lines = checks.flatMap(({ verdict, id, title, before, now, lacks, findings, recorded }) => {
    const label = style[outcomes[verdict].tone](style.strong(verdict.toUpperCase()));
    const head = wrap(`${label} ${id}: ${itemLabels[before]} before, ${itemLabels[now]} now`, style);
    if (verdict === "passes now") return head;
    return [
      ...head,
      ...indented(`${title}.`).map(style.faint),
      ...(lacks.length === 0 ? [] : indented(`The run also used ${listed(lacks.map(code))}.`)),
      ...findings.flatMap(({ message, fix = "" }) => [...indented(message), ...indented(fix)]),
      // In one line: a wrapped command cannot be copied.
      ...(recorded === undefined
        ? []
        : [`  ${recorded.status} before:`, style.faint(`    ${oneLine(recorded.curl)}`)]),
    ];
  });
  const summary = wrap(`${counted(checks.length, "check")}: ${counts.join(", ")}`, style);
  // Those that pass come last.
  return `${[...summary, ...lines, ...(hint === "" ? [] : indented(hint))].join("\n")}\n`;
}
