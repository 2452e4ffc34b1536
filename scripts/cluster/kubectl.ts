import { CannotRunError } from "../errors.ts";
import { run, runBeyondUs } from "../load/k6/child-process.ts";
import { filesOnPath } from "../load/k6/on-path.ts";

/** What a command of kubectl printed, or why it failed. */
export type KubectlAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string; readonly refusal: Refusal; readonly said: string };

/** Why a command failed: a final answer of the cluster, or `other`, which may be another answer a moment later. */
export type Refusal = "not-allowed" | "not-found" | "no-such-kind" | "other";

/** The kubectl of the user, with its current context and one namespace. */
export interface Kubectl {
  readonly namespace: string;
  /** Runs a command and returns its answer. */
  ask(...args: string[]): Promise<KubectlAnswer>;
  /** Runs a command and returns its output. @throws CannotRunError with what kubectl said. */
  text(...args: string[]): Promise<string>;
  /** Runs a command and calls `onLine` with each line of its output. @throws as `text`. */
  lines(onLine: (line: string) => void, ...args: string[]): Promise<void>;
  /** Runs a command that goes on when this process ends. Its output goes to a file. Returns whether it succeeded. */
  beyondUs(output: string, ...args: string[]): Promise<boolean>;
}

export interface KubectlOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Default: the namespace of the current context */
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const longestMilliseconds = 120_000;
/** Reading the logs of a thousand pods, or following them to their end. */
const longestLogsMilliseconds = 900_000;

/**
 * Finds kubectl on PATH.
 *
 * @throws CannotRunError when there is none.
 */
export async function openKubectl({ env, namespace, signal }: KubectlOptions): Promise<Kubectl> {
  const [program] = await filesOnPath("kubectl", env);
  if (program === undefined) {
    throw new CannotRunError({
      what: "kubectl was not found",
      where: "PATH",
      fix: "Install kubectl and select the context of the cluster: kubectl config use-context NAME.",
    });
  }
  return kubectlIn(namespace ?? (await namespaceOfContext(program, { env, signal })), {
    program,
    env,
    signal,
  });
}

async function namespaceOfContext(
  program: string,
  { env, signal }: Pick<KubectlOptions, "env" | "signal">,
): Promise<string> {
  const ended = await run(program, ["config", "view", "--minify", "--output", "jsonpath={..namespace}"], {
    env,
    signal,
    timeoutMilliseconds: longestMilliseconds,
  });
  const named = ended.kind === "exited" && ended.code === 0 ? ended.stdout.trim() : "";
  return named || "default";
}

function kubectlIn(
  namespace: string,
  { program, env, signal }: Pick<KubectlOptions, "env" | "signal"> & { program: string },
): Kubectl {
  const inNamespace = (args: readonly string[]) => [...args, "--namespace", namespace];

  async function call(args: readonly string[], onLine: (line: string) => void) {
    const errors: string[] = [];
    const ended = await run(program, inNamespace(args), {
      env,
      signal,
      timeoutMilliseconds: args[0] === "logs" ? longestLogsMilliseconds : longestMilliseconds,
      onLine: (stream, line) => (stream === "stdout" ? onLine(line) : errors.push(line)),
    });
    if (ended.kind === "exited" && ended.code === 0) return undefined;
    const said = ended.kind === "exited" ? saidIn(errors) || `it ended with ${ended.status}` : ended.kind;
    return { refusal: refusalOf(said), said };
  }

  async function ask(...args: string[]): Promise<KubectlAnswer> {
    const output: string[] = [];
    const failure = await call(args, (line) => output.push(line));
    const printed = output.join("\n");
    return failure === undefined ? { ok: true, text: printed } : { ok: false, text: printed, ...failure };
  }

  async function text(...args: string[]): Promise<string> {
    const answer = await ask(...args);
    if (answer.ok) return answer.text;
    throw failed(args, answer.said, namespace);
  }

  return {
    namespace,
    ask,
    text,
    async lines(onLine, ...args) {
      const failure = await call(args, onLine);
      if (failure !== undefined) throw failed(args, failure.said, namespace);
    },
    beyondUs: (output, ...args) => runBeyondUs(program, inNamespace(args), { env, output }),
  };
}

/** The last lines of what kubectl said, without the log lines of its libraries. */
function saidIn(errors: readonly string[]): string {
  return errors
    .filter((line) => line.trim() !== "" && !/^[EWI]\d{4} \d\d:/.test(line))
    .slice(-3)
    .join(" ");
}

function refusalOf(said: string): Refusal {
  if (/\(Forbidden\)|is forbidden/.test(said)) return "not-allowed";
  if (/doesn't have a resource type|could not find the requested resource/i.test(said)) return "no-such-kind";
  if (/\(NotFound\)/.test(said)) return "not-found";
  return "other";
}

/** The error for a command that failed. */
export function failed(args: readonly string[], said: string, namespace: string): CannotRunError {
  return new CannotRunError({
    what: `kubectl ${args.slice(0, 2).join(" ")} failed`,
    where: said,
    fix: `Check the context (kubectl config current-context), the namespace ${namespace} and your permissions there.`,
  });
}
