import type { Results } from "../../schemas/contracts/results.ts";
import type { Settings } from "../config/settings.ts";
import { hostSeen } from "../load/conditions.ts";
import { quotedForShell } from "./quoted-for-shell.ts";

export type RunEnvironment = NonNullable<Results["environment"]>;

type Env = Readonly<Record<string, string | undefined>>;

/** Variables with commit, branch and job page in each CI system. The first system that sets a commit or a job is used. */
const systems: readonly ((env: Env) => Pick<RunEnvironment, "commit" | "branch" | "jobUrl">)[] = [
  (env) => ({
    ...named("commit", env.GITHUB_SHA),
    ...named("branch", env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME),
    ...named("jobUrl", githubJob(env)),
  }),
  (env) => ({
    ...named("commit", env.CI_COMMIT_SHA),
    ...named("branch", env.CI_COMMIT_REF_NAME),
    ...named("jobUrl", env.CI_JOB_URL),
  }),
];

/**
 * How and where a run was started: the command line, this machine, and the CI job (GitHub, GitLab).
 *
 * @param placeFlags The flags that name the target, the files with its settings and the folders. Default: none
 */
export function environmentOf(
  { env, nodeVersion: node, argv }: RunOrigin,
  placeFlags: Settings["placeFlags"] = {},
): RunEnvironment {
  const found = systems
    .map((read) => read(env))
    .find(({ commit, jobUrl }) => commit !== undefined || jobUrl !== undefined);
  return {
    ...(argv === undefined ? {} : commandOf(argv)),
    ...shownFlags(placeFlags),
    ...found,
    host: hostSeen(),
    node,
  };
}

interface RunOrigin {
  readonly env: Env;
  readonly nodeVersion: string;
  readonly argv?: readonly string[];
}

/** A command as a line for a shell, with what may be a secret replaced. */
export function commandLineOf(command: readonly string[]): string {
  return command.map(withoutSecrets).map(quotedForShell).join(" ");
}

/** The command line, quoted for a shell. It never contains keys; other possible secrets are omitted. */
function commandOf(argv: readonly string[]): Pick<RunEnvironment, "commandLine" | "isIncomplete"> {
  const shown = argv.map(withoutSecrets);
  const commandLine = ["shelfcheck", ...shown.map(quotedForShell)].join(" ");
  return {
    commandLine,
    ...(shown.some((argument, place) => argument !== argv[place]) ? { isIncomplete: true } : {}),
  };
}

function shownFlags(flags: Settings["placeFlags"]): Pick<RunEnvironment, "placeFlags"> {
  const shown = Object.entries(flags).filter(
    ([, value]) => value !== undefined && [value].flat().every((one) => withoutSecrets(one) === one),
  );
  return { placeFlags: shown.length === 0 ? undefined : Object.fromEntries(shown) };
}

/** An argument with what may be a secret replaced. */
function withoutSecrets(argument: string): string {
  return argument
    .replaceAll(/(\w+:\/\/)[^/?#\s@]*@/g, "$1…@")
    .replaceAll(/([\w-]*(?:key|token|secret|passw|auth|credential)[\w-]*)=[^\s&]+/gi, "$1=…");
}

function named<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined || value === "" ? {} : ({ [name]: value } as Record<Name, string>);
}

function githubJob({ GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID }: Env): string | undefined {
  const parts = [GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID];
  return parts.every(Boolean)
    ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
    : undefined;
}
