import { clientCauses } from "../../../../clients/contract/client-causes.ts";
import type { ClientResults } from "../../../../clients/contract/client-results.ts";
import { clientEndWords } from "../../../../clients/contract/client-words.ts";
import { counted, grouped } from "../../../../schemas/words/format.ts";
import { causeTones, type Tone } from "../../tones.ts";
import type { Step } from "../run/causes.ts";
import { replayCommand, runCommand } from "../run/commands.ts";
import {
  countsText,
  type ReportSection,
  type ShownRequirement,
  sectionsOf,
  shownRequirement,
} from "../run/requirements.ts";

/** The run of a client in words, for all formats. */
export interface ClientReport {
  readonly results: ClientResults;
  readonly label: string;
  readonly tone: Tone;
  /** What decided, as a sentence. */
  readonly why: string;
  /** What else went wrong, as sentences. */
  readonly further: readonly string[];
  /** `13 requirements: 1 failed, 12 passed`. */
  readonly counts: string;
  readonly sections: readonly ReportSection[];
  readonly failed: readonly ShownRequirement[];
  readonly warned: readonly ShownRequirement[];
  readonly notJudged: readonly ShownRequirement[];
  readonly steps: readonly Step[];
}

export function clientReportOf(results: ClientResults, run = "latest"): ClientReport {
  const { cause } = results;
  const shown = results.requirements.map((one) => shownRequirement(one, replayCommand(results, run, one.id)));
  const having = (wanted: ShownRequirement["verdict"]) => shown.filter((one) => one.verdict === wanted);
  const count = countsText(results.summary);
  return {
    results,
    label: clientCauses[cause].label,
    tone: cause === "client-failed" ? "unsure" : causeTones[cause],
    why: causeWords[cause].why(results),
    further: furtherOf(results),
    counts: `${counted(results.requirements.length, "requirement")}: ${count}`,
    sections: sectionsOf(shown),
    failed: having("fail"),
    warned: having("warn"),
    notJudged: having("inconclusive"),
    steps: causeWords[cause].steps?.(results) ?? [],
  };
}

const say = (text: string): Step[] => [{ text }];

/** What is said of a run that a cause decided: why, and what to do next. */
const causeWords: Readonly<
  Record<
    ClientResults["cause"],
    {
      readonly why: (results: ClientResults) => string;
      readonly steps?: (results: ClientResults) => Step[];
    }
  >
> = {
  "requirement-failed": {
    why: ({ summary }) => `${counted(summary.fail, "requirement")} on clients failed.`,
    steps: ({ requirements }) => {
      const first = requirements.find(({ verdict }) => verdict === "fail");
      return [
        { text: "Look at the first finding: it names the requests that show it." },
        {
          text: "Read what the specification says.",
          command: runCommand(`explain ${first?.id ?? "limits"}`),
        },
      ];
    },
  },
  problem: {
    why: ({ problem }) =>
      problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`,
    steps: ({ problem }) => (problem === undefined ? [] : say(problem.fix)),
  },
  "client-failed": {
    why: endText,
    steps: () => say("Look at the last lines that the client printed, and at its last requests."),
  },
  interrupted: { why: () => "The run was interrupted.", steps: () => say("Run it again.") },
  "nothing-judged": {
    why: () => "The client sent no request.",
    steps: () =>
      say(
        "Let the client read SHELFCHECK_BASE_URL and SHELFCHECK_API_KEY, and do the tasks of SHELFCHECK_TASK.",
      ),
  },
  "not-judged": {
    why: ({ summary }) =>
      `Nothing failed, but ${counted(summary.inconclusive, "requirement was", "requirements were")} not judged.`,
    steps: () =>
      say("Do the tasks that are named below, or select with --task those that the client can do."),
  },
  partial: {
    why: ({ scope }) =>
      `Nothing failed. The selected tasks judge ${scope?.requirements ?? 0} of ${scope?.of ?? 0} requirements on clients.`,
  },
  none: { why: () => "The client does what the specification asks of clients." },
};

function endText({ client: { ended, status } }: ClientResults): string {
  return clientEndWords[ended](status ?? "");
}

/** What did not decide, and what the service saw besides requests. */
function furtherOf(results: ClientResults): string[] {
  const { cause, client, notices = [], requests } = results;
  const hasBroken = cause !== "client-failed" && isBroken(client.ended);
  return [
    ...(hasBroken ? [endText(results)] : []),
    ...notices.flatMap((notice) => [notice.message, notice.fix ?? ""]),
    ...(requests.isComplete || requests.total === 0
      ? []
      : [
          `The first ${grouped(results.timeline.length)} of ${counted(requests.total, "request")} are listed.`,
        ]),
  ].filter((text) => text !== "");
}

function isBroken(ended: ClientResults["client"]["ended"]): boolean {
  return ended !== "exited" && ended !== "time-over" && ended !== "interrupted" && ended !== "not-started";
}
