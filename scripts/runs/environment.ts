import type { Results } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import type { Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { machine } from "../load/conditions.ts";
import { quotedForShell } from "../report/text.ts";

export type RunEnvironment = NonNullable<Results["environment"]>;

/**
 * How and where a run was started: the command line, this machine, and in CI the commit (GitHub, GitLab).
 * @param placeFlags name the target, the files with its settings and the folders. Default: none
 */
export function environmentOf(
  { env, nodeVersion: node, argv }: Pick<Io, "env" | "nodeVersion" | "argv">,
  placeFlags: Settings["placeFlags"] = {},
): RunEnvironment {
  const places = Object.entries(placeFlags).filter(
    ([, value]) => value !== undefined && !hasSecret([value].flat()),
  );
  return {
    ...given({
      commandLine: argv && commandLineOf(["shelfcheck", ...argv]),
      isIncomplete: (argv && hasSecret(argv)) || undefined,
      placeFlags: places.length === 0 ? undefined : Object.fromEntries(places),
      // A variable that is empty is not set.
      commit: env.GITHUB_SHA || env.CI_COMMIT_SHA || undefined,
      branch: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || env.CI_COMMIT_REF_NAME || undefined,
    }),
    host: machine(),
    node,
  };
}

/** A command as a line for a shell, with what may be a secret replaced. */
export function commandLineOf(command: readonly string[]): string {
  return withoutSecrets(command).map(quotedForShell).join(" ");
}

function hasSecret(command: readonly string[]): boolean {
  return withoutSecrets(command).some((one, at) => one !== command[at]);
}

const secretName = "[\\w-]*(?:key|token|secret|passw|auth|cookie|credential)[\\w-]*";
const pair = new RegExp(`(${secretName})=[^\\s&]+`, "gi");
/** `Authorization: Basic …`, which the host and port of a URL are not. */
const header = new RegExp(`((?<![\\w/.-])${secretName}:|\\bBearer) *\\S.*`, "gis");
/** The next argument is its secret; of `-u`, which means something else to Python, a name and a password. */
const flag = new RegExp(`^(?:-${secretName} [^-]|(?:-u|--user) [^:]*:)`, "i");

/** Arguments with what may be a secret replaced. */
function withoutSecrets(command: readonly string[]): string[] {
  return command.map((argument, at) =>
    flag.test(`${command[at - 1]} ${argument}`)
      ? "…"
      : argument
          .replaceAll(/(\w+:\/\/)[^/?#\s@]*@/g, "$1…@")
          .replaceAll(pair, "$1=…")
          .replaceAll(header, "$1 …"),
  );
}
