import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import { counted } from "../../schemas/words/format.ts";
import { dayOf } from "../runs/baseline/waiver-states.ts";
import { quotedForShell } from "../runs/environment.ts";
import type { ReportParts } from "./report-parts.ts";
import type { ShownRequirement } from "./shown-requirements.ts";

/** A next step, and the command for it. */
export interface Step {
  readonly text: string;
  readonly command?: string;
}

export interface TopFinding {
  readonly id: string;
  readonly text: string;
}

/** The findings that decided the verdict, each in one line. */
export function topOf(parts: ReportParts): TopFinding[] {
  const { cause, failed, notJudgedCauses, load, drift, waivers } = parts;
  const runs = (verdict: LoadResult["verdict"]): TopFinding[] => {
    const found = load.filter(({ result }) => result.verdict === verdict);
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0 && only.reasons.length > 0)
      return only.reasons.map((text) => ({ id: only.name, text }));
    return found.map(({ name, reasons: [first, ...more], comparison }) => ({
      id: name,
      text: withAside(first ?? comparison?.text ?? "", moreFindings(more.length)),
    }));
  };
  const overdue = (state: WaiverResult["state"]) =>
    waivers
      .filter((one) => one.state === state)
      .map(({ waiver, fix }) => ({ id: waiver.id, text: fix ?? waiver.reason }));
  switch (cause) {
    case "requirement-failed":
      return failed.filter(({ verdict }) => verdict === "fail").map(topRequirement);
    case "check-error":
      return failed.filter(({ verdict }) => verdict === "error").map(topRequirement);
    case "not-judged":
    case "nothing-judged":
      return notJudgedCauses.map(({ cause, requirements, also }) => {
        const [first, ...others] = [...requirements, ...also].map(({ id }) => id);
        return { id: others.length === 0 ? `${first}` : `${first} and ${others.length} more`, text: cause };
      });
    case "load-failed":
      return runs("fail");
    case "latency-slower":
      return runs("slower");
    case "load-invalid":
      return runs("invalid");
    case "contract-broken":
      return (drift?.changes ?? [])
        .filter(({ rank }) => rank === "breaking")
        .map(({ subject, text }) => ({ id: subject, text }));
    case "waiver-expired":
      return overdue("expired");
    case "waiver-stale":
      return overdue("stale");
    case "problem":
    case "nothing-run":
    case "interrupted":
    case "load-not-sent":
    case "partial":
    case "none":
      return [];
    default:
      return cause satisfies never;
  }
}

function topRequirement({ id, verdict, text, reported }: ShownRequirement): TopFinding {
  const [first] = reported.filter((check) => check.verdict === verdict);
  if (first === undefined) return { id, text };
  const [part = "", ...others] = first.parts;
  return { id, text: withAside(part, `${moreFindings(others.length)}${first.remarks}`) };
}

/** A sentence with an aside before its full stop. */
function withAside(sentence: string, aside: string): string {
  return aside === "" ? sentence : `${sentence.replace(/\.$/, "")}${aside}.`;
}

function moreFindings(count: number): string {
  return count === 0 ? "" : ` (and ${counted(count, "more finding")})`;
}

/** The command that helps most after this run; undefined if there is none. */
export function nextOf(
  { cause, results, failed, load, notJudged }: ReportParts,
  run: string,
): string | undefined {
  const target = targetFlag(results);
  const loadRun = (verdict: LoadResult["verdict"]) => {
    const found = load.find(({ result }) => result.verdict === verdict)?.result;
    return found && loadCommand(results, found);
  };
  const explained = (found: ShownRequirement | undefined) =>
    found === undefined ? undefined : `shelfcheck explain ${found.id}`;
  switch (cause) {
    case "requirement-failed": {
      const first = failed.find(({ verdict }) => verdict === "fail");
      return first === undefined ? undefined : `shelfcheck replay ${run} ${first.id}`;
    }
    case "not-judged":
    case "load-not-sent":
      return `shelfcheck doctor${target}`;
    case "nothing-judged":
      return explained(notJudged[0]);
    case "load-failed":
      return loadRun("fail");
    case "latency-slower":
      return loadRun("slower");
    case "load-invalid":
      return loadRun("invalid");
    case "contract-broken":
      return acceptCommand(results, run);
    case "interrupted":
    case "nothing-run":
    case "waiver-expired":
    case "waiver-stale":
      return sameRun(results);
    case "partial":
      return `shelfcheck ${results.command}${target}${folderFlags(results)}`;
    case "problem":
      return `shelfcheck doctor${target}`;
    case "check-error":
    case "none":
      return undefined;
    default:
      return cause satisfies never;
  }
}

/** The flags of the run that name its target. In CI a target must be named, also the built-in one. */
function targetFlag({ target: { builtIn }, environment }: Results): string {
  const { target, baseUrl, config } = environment?.placeFlags ?? {};
  return [
    flagOf("--config", config),
    flagOf("--base-url", baseUrl),
    flagOf("--target", target ?? (builtIn === true ? "embedded" : undefined)),
  ].join("");
}

function flagOf(flag: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${flag} ${quotedForShell(value)}`;
}

/** The flags of the run that name its folders. */
function folderFlags({ environment }: Results): string {
  const { out, baseline } = environment?.placeFlags ?? {};
  return flagOf("--out", out) + flagOf("--baseline", baseline);
}

/** The command that records runs. Its flags name the same baseline as those of the run. */
function acceptCommand({ environment }: Results, runs: string): string {
  const { config, baseline } = environment?.placeFlags ?? {};
  return `shelfcheck baseline accept ${runs}${flagOf("--config", config)}${flagOf("--baseline", baseline)}`;
}

/** How long a suggested waiver lasts, in milliseconds: 30 days. */
const waiverDuration = 30 * 24 * 60 * 60 * 1000;

/** The command that waives the failures of a run, with each flag that it requires and placeholders for the texts. */
function waiveCommand(results: Results, run: string): string {
  const expires = dayOf(new Date(Date.parse(results.startedAt) + waiverDuration));
  return `${acceptCommand(results, run)} --owner NAME --ticket TICKET --expires ${expires} --reason REASON`;
}

/** The command line of the run; without its other options if a part of it is hidden. */
function sameRun(results: Results): string {
  return (
    commandLineOf(results) ?? `shelfcheck ${results.command}${targetFlag(results)}${folderFlags(results)}`
  );
}

/** The command that repeats a load run: its own command line, which has the rate and duration too, if it is known. */
export function loadCommand(
  results: Results,
  { scenario, profile }: Pick<LoadResult, "scenario" | "profile">,
): string {
  const own = results.command === "load" ? commandLineOf(results) : undefined;
  if (own !== undefined) return own;
  const out = flagOf("--out", results.environment?.placeFlags?.out);
  return `shelfcheck load --scenario ${scenario} --profile ${profile}${targetFlag(results)}${out}`;
}

/** The command line of the run; undefined if it is not known whole. */
function commandLineOf({ environment = { host: "", node: "" }, target }: Results): string | undefined {
  const { commandLine, isIncomplete, placeFlags } = environment;
  if (commandLine === undefined || isIncomplete === true) return undefined;
  const isNamed = target.builtIn !== true || placeFlags?.target !== undefined;
  return isNamed ? commandLine : `${commandLine} --target embedded`;
}

/** Next steps after a verdict. */
export function stepsOf(parts: ReportParts, run: string): Step[] {
  const { cause, results, failed, load } = parts;
  const next = nextOf(parts, run);
  const again = (text: string): Step[] => (next === undefined ? [] : [{ text, command: next }]);
  const waive: Step = {
    text: "Accept the failures of this run temporarily. Replace NAME, TICKET and REASON first.",
    command: waiveCommand(results, run),
  };
  const lookAtLoad = (verdict: LoadResult["verdict"]): Step => {
    const name = load.find(({ result }) => result.verdict === verdict)?.name;
    return { text: `Look at ${name ?? "the load run"} below: what was crossed is first in its table.` };
  };
  switch (cause) {
    case "requirement-failed": {
      const first = failed.find(({ verdict }) => verdict === "fail");
      return [
        ...(first === undefined
          ? []
          : [
              {
                text: "Create a ticket: each failed requirement below has a button for it.",
                command: `shelfcheck explain ${run} ${first.id} --markdown`,
              },
            ]),
        ...again("Repeat the requests once it is fixed."),
        waive,
      ];
    }
    case "load-failed":
      return [
        lookAtLoad("fail"),
        ...again("Measure again."),
        // Waivers apply to the load of a gate only.
        ...(results.command === "gate" ? [waive] : []),
      ];
    case "latency-slower":
      return [
        lookAtLoad("slower"),
        ...again("Measure again."),
        {
          text: "If the change is intended, record three runs or more as the new latency.",
          command: acceptCommand(results, `${run} RUN RUN`),
        },
      ];
    case "load-invalid":
      return again(
        "The load was not generated as planned, so the run says nothing about the target. Run it again.",
      );
    case "contract-broken":
      return [
        { text: "Ask the service's team whether the change is intended." },
        { text: "If it is, record it.", command: acceptCommand(results, run) },
      ];
    case "not-judged":
    case "load-not-sent":
    case "nothing-judged":
      return [
        ...again("See what is missing, and how to get it."),
        { text: "Then run again.", command: sameRun(results) },
      ];
    case "waiver-expired":
    case "waiver-stale":
      return [{ text: "Remove or renew the waivers listed below." }];
    case "problem":
      return again("Find out what prevents the run.");
    case "interrupted":
    case "nothing-run":
      return again("Run it again.");
    case "partial":
      return [{ text: "For a verdict on the whole spec, run without --only and --skip." }];
    case "check-error":
      return [{ text: "This is a bug in shelfcheck, not in the target: please report it." }];
    case "none":
      if (results.target.builtIn === true)
        return [{ text: "Judge your own service.", command: "shelfcheck gate --base-url https://…/v1" }];
      return results.drift?.changes.length === 0
        ? [{ text: "Nothing to do: the service behaves as its baseline says." }]
        : [
            {
              text:
                results.drift === undefined
                  ? "Record the current behaviour of the service, so that the next run shows what changed."
                  : "If the changes since the baseline are intended, record them.",
              command: acceptCommand(results, run),
            },
          ];
    default:
      return cause satisfies never;
  }
}
