import type { GatewayHeader, Way } from "../../conformance/client/way.ts";
import { keyHeaders } from "../../schemas/api.ts";
import type { Config, TargetConfig } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";
import { checkedSecret, looksLikeKey, masked, refuseEmpty } from "./keys.ts";

/** Where the settings of a way come from. */
interface Sources {
  readonly own: TargetConfig | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The target's entry, for messages. */
  readonly place: string;
}

/**
 * The way to a target: what its entry in the config says, and the environment where that says nothing.
 *
 * @throws UsageError for a header that cannot be sent, a variable that is not set, or a secret in the file.
 */
export function readWay(sources: Sources): Way {
  const { own, env } = sources;
  const headers = readHeaders(sources);
  refuseEmpty(env, "SHELFCHECK_HOST");
  const host = own?.host ?? env.SHELFCHECK_HOST;
  if (host !== undefined && !/^[\w.:[\]-]+$/.test(host)) {
    throw new UsageError({
      what: `The host ${JSON.stringify(host)} cannot stand in a Host header`,
      where: own?.host === undefined ? "SHELFCHECK_HOST" : `${sources.place}.host`,
      fix: "Expected a name, with a port where it needs one, such as catalog.example.com:8443.",
    });
  }
  return {
    ...(headers.length === 0 ? {} : { headers }),
    ...(host === undefined ? {} : { host }),
  };
}

/** The variables that the ways of all targets take secrets from. */
export function secretVariables({ targets = {} }: Config, env: NodeJS.ProcessEnv): string[] {
  const ofTargets = Object.values(targets).flatMap(({ headers = {} }) =>
    Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : [value.env])),
  );
  return [...ofTargets, ...listedHeaders(env).map(([, variable]) => variable)];
}

function readHeaders({ own, env, place }: Sources): GatewayHeader[] {
  refuseEmpty(env, "SHELFCHECK_HEADERS");
  const configured = own?.headers;
  const entries: (readonly [name: string, value: string | { env: string }, where: string])[] =
    configured === undefined
      ? listedHeaders(env).map(([name, variable]) => [name, { env: variable }, "SHELFCHECK_HEADERS"])
      : Object.entries(configured).map(([name, value]) => [name, value, `${place}.headers`]);
  return entries.map(([name, value, where]) => {
    refuseName(name, where);
    if (typeof value !== "string")
      return { name, value: headerValue(value.env, name, env), variable: value.env };
    if (looksLikeKey(value)) {
      throw new UsageError({
        what: `${masked(value)} looks like a secret`,
        where: `${where}[${JSON.stringify(name)}]`,
        fix: `Put it into an environment variable, and its name here: env("CF_SECRET").`,
      });
    }
    return { name, value };
  });
}

/** `Name=VARIABLE, Name=VARIABLE`: the headers of a target that has no entry in a config. */
function listedHeaders({
  SHELFCHECK_HEADERS: list = "",
}: NodeJS.ProcessEnv): [name: string, variable: string][] {
  return list.split(",").flatMap((entry): [string, string][] => {
    const [, name, variable] = entry.trim().match(/^([^=\s]+)\s*=\s*(\w+)$/) ?? [];
    if (name !== undefined && variable !== undefined) return [[name, variable]];
    if (entry.trim() === "") return [];
    throw new UsageError({
      what: `An entry is no header with the name of a variable: ${masked(entry.trim())}`,
      where: "SHELFCHECK_HEADERS",
      fix: "Expected Name=VARIABLE, separated by commas, such as CF-Access-Client-Id=CF_ID: the value stands in the variable.",
    });
  });
}

// Keys have their own way, and the rest is for the clients to set.
const taken = new Set(
  [
    ...Object.values(keyHeaders),
    "host",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
  ].map((name) => name.toLowerCase()),
);

function refuseName(name: string, where: string): void {
  const isToken = /^[!#$%&'*+.^`|~\w-]+$/.test(name);
  if (isToken && !taken.has(name.toLowerCase())) return;
  throw new UsageError({
    what: isToken ? `The header ${name} cannot be set here` : `${masked(name)} is no name of a header`,
    where,
    fix: isToken
      ? "API keys go into the variables of `keys`, a Host into `host`; the others are set for each request."
      : "Expected letters, digits and dashes.",
  });
}

function headerValue(variable: string, header: string, env: NodeJS.ProcessEnv): string {
  refuseEmpty(env, variable);
  const value = env[variable];
  if (value === undefined) {
    throw new UsageError({
      what: "An environment variable is not set",
      where: variable,
      fix: `Set it to the value of the header ${header}, or take the header out.`,
    });
  }
  return checkedSecret(value, variable);
}
