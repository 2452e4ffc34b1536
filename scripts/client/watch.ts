import type { ClientResults } from "../../clients/contract/client-results.ts";
import type { ClientEnd } from "../../clients/contract/client-words.ts";
import { type Lab, mostRequests } from "../../clients/lab/lab.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { Io } from "../io.ts";
import { run } from "../load/k6/child-process.ts";

/** How the run of a client ended. */
export type ClientEnding = Pick<ClientResults["client"], "ended" | "status">;

interface WatchedClient {
  /** The program with its arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Ctrl-C aborts its signal. What the client prints goes to stderr, so that stdout has the verdict only. */
  readonly io: Pick<Io, "cwd" | "signal" | "stderr">;
  readonly redaction: TextRedaction;
  /** Seconds after which the user wants it to be ended. */
  readonly timeout: number | undefined;
}

/** After so many minutes a client counts as hanging. */
export const mostMinutes = 10;
/** Without `--timeout`, one that is silent for so long after a request hangs. Its longest wait is 5 s. */
const silentMilliseconds = 60_000;
const checkEveryMilliseconds = 100;
/** Time that a client gets to end when it is told to. */
const graceMilliseconds = 500;

/** The parts of a lab that tell whether a client goes on. */
export type WatchedLab = Pick<Lab, "arrived" | "now">;

/** Runs a client until it ends, or until it is ended. The processes that it started have ended too. */
export async function watchClient(lab: WatchedLab, watching: WatchedClient): Promise<ClientEnding> {
  const { command, env, io, redaction, timeout } = watching;
  const { cwd, signal, stderr } = io;
  const [program = "", ...args] = command;
  const limit = new AbortController();
  const watch = setInterval(() => {
    const reached = limitReached(lab, timeout);
    if (reached !== undefined) limit.abort(reached);
  }, checkEveryMilliseconds);
  try {
    const end = await run(program, args, {
      env,
      cwd,
      signal: AbortSignal.any([signal, limit.signal]),
      graceMilliseconds,
      endsWithUs: true,
      endsWhatItLeaves: true,
      onLine: (_stream, text) => void stderr.write(`${redaction.redact(text)}\n`),
    });
    if (end.kind === "not-started") return { ended: "not-started", status: end.reason };
    const reached: ClientEnd | undefined = signal.aborted ? "interrupted" : limit.signal.reason;
    const ended = reached ?? (end.code === 0 ? "exited" : "failed");
    return { ended, status: end.status };
  } finally {
    clearInterval(watch);
  }
}

function limitReached(lab: WatchedLab, timeout: number | undefined): ClientEnd | undefined {
  const { count, lastAt } = lab.arrived();
  const now = lab.now();
  if (count > mostRequests) return "too-many-requests";
  if (now > 1000 * (timeout ?? mostMinutes * 60)) return timeout === undefined ? "too-long" : "time-over";
  const isSilent = lastAt !== undefined && now - lastAt > silentMilliseconds;
  return isSilent && timeout === undefined ? "silent" : undefined;
}
