import { relative, resolve } from "node:path";
import {
  type Connection,
  type CurlSettings,
  connectionSettings,
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
  { own, env, folder, cwd }: ConnectionSources,
  baseUrl: string,
  connection: Connection,
): CurlSettings | undefined {
  const variables = new Set<string>();
  /** An option whose value is in the first of these variables that is set. */
  const from = (option: string, names: readonly string[]): string[] => {
    const variable = names.find((name) => env[name]);
    if (variable === undefined) return [];
    variables.add(variable);
    return [option, placeholderOf(variable)];
  };
  const isTls = new URL(baseUrl).protocol === "https:";
  const proxy = from("--proxy", isTls ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"]);
  // curl may use a proxy from the environment where shelfcheck does not.
  const isDirect = proxy.length > 0 && connection.proxy === undefined;
  if (isDirect) variables.clear();
  const ofTls = (isTls ? settingNames : []).flatMap((name) => {
    const { set, curl, variable } = connectionSettings[name];
    if (curl === undefined) return [];
    if (set !== undefined) return settingText(name, connection) === undefined ? [] : [curl];
    const configured = own?.[name];
    if (typeof configured === "string") return [curl, relative(cwd, resolve(folder, configured))];
    // curl reads SSL_CERT_FILE itself.
    return from(curl, [variable, ...(name === "ca" ? ["NODE_EXTRA_CA_CERTS"] : [])]);
  });
  const options = [...(isDirect ? ["--noproxy", "*"] : proxy), ...ofTls];
  return options.length === 0 ? undefined : { options, variables: [...variables] };
}
