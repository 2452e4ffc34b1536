import { CannotRunError } from "../errors.ts";
import { run } from "../load/k6/child-process.ts";
import { filesOnPath } from "../load/k6/on-path.ts";

/** The kubectl of the user, with its current context and one namespace. */
export interface Kubectl {
  /** Runs a command in the namespace and returns its output. @throws CannotRunError with the last lines of stderr. */
  text(...args: string[]): Promise<string>;
  /** Runs a command in the namespace and calls `onLine` with each line of its output. @throws as `text`. */
  lines(onLine: (line: string) => void, ...args: string[]): Promise<void>;
  /** Whether an object exists. @throws as `text`, for any other failure. */
  has(kind: string, name: string): Promise<boolean>;
}

export interface KubectlOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly namespace: string;
  readonly signal?: AbortSignal | undefined;
}

const longestMilliseconds = 120_000;

/**
 * Finds kubectl on PATH.
 *
 * @throws CannotRunError when there is none.
 */
export async function openKubectl({ env, namespace, signal }: KubectlOptions): Promise<Kubectl> {
  const [path] = await filesOnPath("kubectl", env);
  if (path === undefined) {
    throw new CannotRunError({
      what: "kubectl was not found",
      where: "PATH",
      fix: "Install kubectl and select the context of the cluster: kubectl config use-context NAME.",
    });
  }
  const program = path;

  async function call(args: readonly string[], onLine?: (line: string) => void): Promise<string> {
    const errors: string[] = [];
    const ended = await run(program, [...args, "--namespace", namespace], {
      env,
      signal,
      timeoutMilliseconds: longestMilliseconds,
      ...(onLine === undefined
        ? {}
        : { onLine: (stream, line) => (stream === "stdout" ? onLine(line) : errors.push(line)) }),
    });
    if (ended.kind === "exited" && ended.code === 0) return ended.stdout;
    throw failed(args, ended.kind === "exited" ? ended.stderr || errors.join("\n") : ended.kind);
  }

  return {
    text: (...args) => call(args),
    async lines(onLine, ...args) {
      await call(args, onLine);
    },
    async has(kind, name) {
      return (await call(["get", kind, name, "--ignore-not-found", "--output", "name"])).trim() !== "";
    },
  };
}

function failed(args: readonly string[], output: string): CannotRunError {
  return new CannotRunError({
    what: `kubectl ${args.slice(0, 2).join(" ")} failed`,
    where: output.trim().split("\n").slice(-3).join(" ") || "it printed nothing",
    fix: "Check the context (kubectl config current-context), the namespace and your permissions.",
  });
}
