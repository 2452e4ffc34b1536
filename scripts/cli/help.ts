import type { Command } from "commander";
import { connectionSettings } from "../../schemas/connection.ts";
import type { ExitCode } from "../errors.ts";

/** What each exit code means, of every command. */
const exitCodes: Readonly<Record<ExitCode, string>> = {
  0: "nothing failed; also a partial run in which all that was selected was judged",
  1: "something failed: a requirement, a limit on load, the contract, responses, latency or a waiver",
  2: "wrong flag, configuration or environment",
  3: "could not run, such as target unreachable, key refused or no k6; or the load generator fell short",
  4: "incomplete: nothing failed, but not all that must be judged was",
  130: "interrupted; results up to that point are written",
};

/** Environment variables by what they are for; only the help of the program has them, since they are many. */
const environment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Environment variables:": {
    SHELFCHECK_BASE_URL: "base URL of the service, ending in /v1",
    SHELFCHECK_API_KEY:
      "API key, at least 8 characters; keys in the configuration file can name other variables",
    SHELFCHECK_SAME_ORG_API_KEY: "a second key of the same organization",
    SHELFCHECK_OTHER_ORG_API_KEY: "a key of another organization",
    SHELFCHECK_CATEGORIES: "categories to browse, separated by commas",
    SHELFCHECK_ALLOW_LOAD: "public host on which load is allowed",
  },
  "For the connection, unless the target's entry in the configuration file says otherwise:": {
    ...Object.fromEntries(Object.values(connectionSettings).map(({ variable, about }) => [variable, about])),
    "HTTP_PROXY, HTTPS_PROXY, NO_PROXY": "as in curl",
  },
  "For k6:": {
    K6_BIN: "path of k6 (default: from PATH, else downloaded or built once)",
    K6_DNS: "which address of a name k6 uses, such as policy=preferIPv6",
    SHELFCHECK_K6_OFFLINE: "1: never download or build k6",
    XDG_CACHE_HOME: "k6 is kept below this folder (default: ~/.cache)",
  },
  "For output:": {
    NO_COLOR: "any value: no colours",
    SHELFCHECK_DEBUG: "1: print the stack trace of an internal error",
  },
};

/** Adds the environment variables and exit codes to the help of a command. */
export function withEpilogue(command: Command): Command {
  return command.addHelpText("after", ({ command: shown }) => {
    const help = shown.createHelp();
    help.prepareContext({ helpWidth: shown.configureOutput().getOutHelpWidth?.() ?? 80 });
    const section = (heading: string, rows: Readonly<Record<string, string>>): string[] => {
      const width = Math.max(...Object.keys(rows).map(({ length }) => length));
      const items = Object.entries(rows).map(([term, text]) => help.formatItem(term, width, text, help));
      return ["", heading, ...items];
    };
    const variables =
      shown.parent === null
        ? Object.entries(environment).flatMap(([heading, rows]) => section(heading, rows))
        : ["", "Keys come from the environment (SHELFCHECK_API_KEY). All variables: shelfcheck --help"];
    return [...variables, ...section("Exit codes:", exitCodes)].join("\n");
  });
}
