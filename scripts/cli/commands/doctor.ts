import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import type { Bounds } from "../../../conformance/engine/judge-service.ts";
import type { Finding, SaidFinding } from "../../../schemas/contracts/finding.ts";
import type { Discovered } from "../../../schemas/contracts/results.ts";
import { findingFix, findingText } from "../../../schemas/words/index.ts";
import { problemFrom } from "../../../schemas/words/problem.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import { CannotRunError, knownProblem, type ProblemText, UsageError } from "../../errors.ts";
import { type Io, progressOn } from "../../io.ts";
import type { K6Options } from "../../load/k6/install.ts";
import { findK6, k6Fixes, resolveK6 } from "../../load/k6/resolve.ts";
import { discoveredSuite } from "../../report/subjects/run/discovered.ts";
import { type ConsoleStyle, consoleStyle, prose, wrap } from "../../report/terminal.ts";
import { consoleSuite } from "../../report/writers/console.ts";
import { neededByLoad, neededByRuns, openTarget, type Precondition } from "../../runs/preflight.ts";
import { saidDiscovered } from "../../runs/said.ts";
import { discoverTarget, waitLine } from "../../runs/stages/conformance-stage.ts";
import { type CommandDefinition, print } from "./command.ts";
import { type CommonFlags, doctorSeconds, ofTarget, withFlags } from "./flags.ts";
import { planGate } from "./gate.ts";

/** What `doctor` tells. */
interface Diagnosis {
  /** Why a run would end before its first request, or has nothing to send. */
  readonly refusals: readonly (ProblemText & { readonly exitCode: 2 | 3 })[];
  /** What is good to know of a set-up, and prevents no run. */
  readonly notes: readonly { readonly found: string; readonly fix?: string | undefined }[];
  /** Missing when the target could not be discovered. */
  readonly discovered?: Discovered<SaidFinding> | undefined;
}

const maxRequests = 200;

/** `doctor`: everything for which a gate would be refused, and what can be used of the target. */
export const doctor: CommandDefinition<CommonFlags> = {
  flags: (command) => withFlags(command, ...ofTarget, "maxTime"),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const diagnosis = await diagnose(settings, io, flags.maxTime ?? doctorSeconds);
    const text = () => renderDiagnosis(diagnosis, consoleStyle(io));
    print(io, flags.json, { value: diagnosis, text });
    const [exitCode = 0] = diagnosis.refusals.map((refusal) => refusal.exitCode).toSorted();
    return exitCode;
  },
};

async function diagnose(settings: Settings, io: Io, maxSeconds: number): Promise<Diagnosis> {
  const { choice, missingKeys, toolEnv: env } = settings;
  const { signal, nodeVersion } = io;
  await using opened = await openTarget({ choice, missingKeys: [] });
  const { target } = opened;
  const redaction = redactionFor(target);
  const progress = progressOn(io, redaction.redact);
  const builtIn = "target: the built-in reference service, so that your own service is not tested";
  const ofTarget = choice.kind === "embedded" ? [{ found: builtIn }] : [];
  const ofK6: Diagnosis["notes"][number][] = [];
  const refusals = await refusalsOf([
    ...neededByRuns(settings, io),
    ...neededByLoad(settings, io),
    () => planGate({}, settings),
    async () => ofK6.push(await noteOnK6({ env, progress, signal })),
  ]);
  const onWait = (wait: number) => progress(waitLine(wait));
  const seen: Diagnosis =
    missingKeys.length > 0
      ? { refusals: [], notes: [] }
      : await lookAt({ target, maxRequests, maxSeconds, signal, onWait });
  return redactValue(
    {
      refusals: [...refusals, ...seen.refusals],
      notes: [{ found: `Node ${nodeVersion}` }, ...ofK6, ...ofTarget, ...seen.notes],
      discovered: seen.discovered,
    },
    redaction,
  );
}

/** The errors of all conditions that are not met. */
async function refusalsOf(conditions: readonly Precondition[]): Promise<Diagnosis["refusals"]> {
  const refusals: Diagnosis["refusals"][number][] = [];
  for (const mustHold of conditions) {
    try {
      await mustHold();
    } catch (error) {
      const refusal = knownProblem(error);
      if (refusal === undefined) throw error;
      refusals.push({ ...refusal, exitCode: error instanceof UsageError ? 2 : 3 });
    }
  }
  return refusals;
}

/** Discovers a target, and says what prevents a run there. */
export async function lookAt(bounds: Bounds): Promise<Diagnosis> {
  const { baseUrl: where, keyVariables } = bounds.target;
  const words = { keyVariables };
  const textOf = (finding: Finding) => ({
    found: findingText(finding, words),
    fix: findingFix(finding, words),
  });
  let seen: Omit<Diagnosis, "refusals"> = { notes: [] };
  const refusals = await refusalsOf([
    async () => {
      const { discovered, notices, problem, noProduct } = await discoverTarget(bounds);
      const inPlainOnly = notices.find(({ code }) => code === "accepted-in-plain-only");
      const notes = notices.filter((notice) => notice !== inPlainOnly).map(textOf);
      seen = { notes, discovered: saidDiscovered(discovered, words) };
      const refusal = problem ?? (inPlainOnly && problemFrom(inPlainOnly, bounds.target));
      if (refusal !== undefined) throw new CannotRunError(refusal);
      if (noProduct === undefined) return;
      const what = "No product was found, so that most requirements are not judged and no load is sent";
      const { found, fix = "" } = textOf(noProduct);
      throw new CannotRunError({ what, where, fix: `${found} ${fix}`.trim() });
    },
  ]);
  return { ...seen, refusals };
}

/** The k6 of a load run; downloads and builds none. @throws as resolveK6, where it would do neither. */
async function noteOnK6(options: K6Options): Promise<Diagnosis["notes"][number]> {
  const { found, tried } = await findK6(options);
  if (found !== undefined) return { found: `k6 ${found.version} at ${found.path} (from ${found.source})` };
  const { K6_BIN, SHELFCHECK_K6_OFFLINE = "" } = options.env;
  if (K6_BIN || !["", "0", "false"].includes(SHELFCHECK_K6_OFFLINE)) await resolveK6(options);
  const fix = `The first load run downloads k6, or builds it with Go. To provide it yourself: ${k6Fixes}.`;
  return { found: `k6: ${tried.join("; ")}`, fix };
}

/** The diagnosis as text: what was discovered, notes, and last what prevents a run. */
function renderDiagnosis({ refusals, notes, discovered }: Diagnosis, style: ConsoleStyle): string {
  const entry = (label: string, text: string, fix = ""): string[] => [
    `${label.padEnd(9)}${prose(text)}`,
    ...fix.split("\n").flatMap((line) => wrap(prose(line), { width: style.width, indent: " ".repeat(9) })),
  ];
  // On a page it is background, here what was asked for. The rest is in the data and in a run's report.
  const suite = discovered && { ...discoveredSuite(discovered), tone: "good" as const };
  const isMissing = discovered?.fixtures.some(({ present }) => !present) === true;
  const partly = isMissing
    ? " What is missing is not judged: unless optional in the config excuses it, a MUST that needs it makes a run incomplete (exit 4)."
    : "";
  return [
    ...(suite === undefined ? [] : [consoleSuite({ ...suite, tables: suite.tables.slice(0, 1) }, style)]),
    ...notes.flatMap(({ found, fix }) => entry("note", found, fix)),
    ...refusals.flatMap(({ what, where, fix }) => entry("problem", `${what}: ${where}`, fix)),
    refusals.length > 0
      ? style.bad("Not ready: see the problems above.")
      : `${style.good("Ready: a run can start.")}${partly}`,
    "",
  ].join("\n");
}
