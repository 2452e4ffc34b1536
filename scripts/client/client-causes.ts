import type { ClientResults } from "../../clients/contract/client-results.ts";
import { type ClientEnd, clientEndWords } from "../../clients/contract/client-words.ts";
import { type CauseMeaning, causes } from "../../schemas/contracts/verdicts.ts";
import { counted, listed } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";

/** Results before it is known what decides them. */
type Undecided = Omit<ClientResults, "cause" | "exitCode" | "verdict">;

interface ClientCause extends CauseMeaning {
  readonly applies: (results: Undecided) => boolean;
  readonly why: (results: Undecided) => string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Whether an end is an error of the client. */
export function isFailed({ ended }: { readonly ended: ClientEnd }): boolean {
  return !["exited", "time-over", "interrupted"].includes(ended);
}

export function endText({ client: { ended, status = "" } }: Undecided): string {
  return clientEndWords[ended](status);
}

const openTasks = ({ tasks }: Undecided) => tasks.filter(({ done, of }) => done < of);

/** Every cause that can decide the run of a client. If several apply, the first one decides. */
export const clientCauses: Readonly<Record<ClientResults["cause"], ClientCause>> = {
  "requirement-failed": {
    ...causes["requirement-failed"],
    applies: ({ summary }) => summary.fail > 0,
    why: ({ summary }) => `${counted(summary.fail, "requirement")} on clients failed.`,
  },
  problem: {
    ...causes.problem,
    applies: ({ problem }) => problem !== undefined,
    why: ({ problem }) => `${problem?.what}: ${problem?.where}. ${problem?.fix}`,
  },
  "client-failed": {
    ...causes.problem,
    applies: ({ client }) => isFailed(client),
    why: endText,
  },
  interrupted: {
    ...causes.interrupted,
    applies: ({ client }) => client.ended === "interrupted",
    why: endText,
  },
  "nothing-judged": {
    ...causes["nothing-judged"],
    applies: ({ requests }) => requests.total === 0,
    why: () => "The client sent no request.",
    advice:
      "Let the client read SHELFCHECK_BASE_URL and SHELFCHECK_API_KEY, and do the tasks of SHELFCHECK_TASK.",
  },
  "tasks-not-done": {
    ...causes["not-judged"],
    applies: (results) => openTasks(results).length > 0,
    why: (results) => {
      const open = openTasks(results).map((task) => code(task.do));
      return `Nothing failed, but the client did not complete ${counted(open.length, "task")}: ${listed(open)}.`;
    },
    advice: "Do the tasks below completely, or select with --task those that the client can do.",
  },
  "not-judged": {
    ...causes["not-judged"],
    applies: ({ requirements }) =>
      requirements.some(({ verdict, level }) => verdict === "inconclusive" && level === "must"),
    why: ({ summary }) =>
      `Nothing failed, but ${counted(summary.inconclusive, "requirement was", "requirements were")} not judged.`,
  },
  partial: {
    ...causes.partial,
    applies: ({ scope }) => scope !== undefined,
    why: ({ scope }) =>
      `Nothing failed. The selected tasks judge ${scope?.requirements} of ${scope?.of} requirements on clients.`,
  },
  none: {
    ...causes.none,
    applies: () => true,
    why: ({ summary }) =>
      summary.warn === 0
        ? "Nothing failed, and each MUST on clients was judged."
        : `Nothing failed; ${counted(summary.warn, "requirement has", "requirements have")} a warning.`,
  },
};

export function causeOf(results: Undecided): ClientResults["cause"] {
  const all = Object.keys(clientCauses) as ClientResults["cause"][];
  return all.find((cause) => clientCauses[cause].applies(results)) ?? "none";
}
