import { relative, resolve } from "node:path";
import {
  type Connection,
  type CurlSettings,
  connectionSettings,
  type SettingName,
  settingNames,
  settingText,
} from "../../schemas/connection.ts";
import { placeholderOf } from "../../schemas/redaction.ts";
import type { ConnectionSources } from "./connection.ts";

/**
 * The connection to a target as options of curl, for the curl lines in reports. Secrets are named by their environment
 * variables, files by their paths relative to the working directory.
 */
export function curlSettings(
  sources: ConnectionSources,
  baseUrl: string,
  connection: Connection,
): CurlSettings | undefined {
  const variables = new Set<string>();
  const from = (variable: string): string => {
    variables.add(variable);
    return placeholderOf(variable);
  };
  const { protocol } = new URL(baseUrl);
  const options = [
    ...proxyOptions(sources.env, protocol, connection.proxy, from),
    ...(protocol === "https:" ? settingNames : []).flatMap((name) => {
      const { set, curl } = connectionSettings[name];
      if (curl === undefined) return [];
      if (set !== undefined) return settingText(name, connection) === undefined ? [] : [curl];
      const shown = shownValue(name, sources, from);
      return shown === undefined ? [] : [curl, shown];
    }),
  ];
  return options.length === 0 ? undefined : { options, variables: [...variables] };
}

type FromVariable = (variable: string) => string;

function proxyOptions(
  env: NodeJS.ProcessEnv,
  protocol: string,
  proxy: string | undefined,
  from: FromVariable,
): readonly string[] {
  const usual = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [usual.toLowerCase(), usual].find((name) => env[name]);
  if (variable === undefined) return [];
  // curl may use a proxy from the environment where shelfcheck does not.
  return proxy === undefined ? ["--noproxy", "*"] : ["--proxy", from(variable)];
}

/** A file as its path, or the variable that names it; a secret as its variable; undefined if it is not set. */
function shownValue(
  name: SettingName,
  { own, env, folder, cwd }: ConnectionSources,
  from: FromVariable,
): string | undefined {
  const configured = own?.[name];
  if (typeof configured === "string") return relative(cwd, resolve(folder, configured));
  // curl reads SSL_CERT_FILE itself.
  const variables = [connectionSettings[name].variable, ...(name === "ca" ? ["NODE_EXTRA_CA_CERTS"] : [])];
  const variable = variables.find((one) => env[one]);
  return variable === undefined ? undefined : from(variable);
}
