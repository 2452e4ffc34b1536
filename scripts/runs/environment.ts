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
    ([, value]) => value !== undefined && [value].flat().every((one) => withoutSecrets(one) === one),
  );
  return {
    ...given({
      commandLine: argv && commandLineOf(["shelfcheck", ...argv]),
      isIncomplete: argv?.some((one) => withoutSecrets(one) !== one) || undefined,
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
  return command.map(withoutSecrets).map(quotedForShell).join(" ");
}

/** An argument with what may be a secret replaced. */
function withoutSecrets(argument: string): string {
  return argument
    .replaceAll(/(\w+:\/\/)[^/?#\s@]*@/g, "$1…@")
    .replaceAll(/([\w-]*(?:key|token|secret|passw|auth|credential)[\w-]*)=[^\s&]+/gi, "$1=…");
}
