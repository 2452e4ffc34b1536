import tab from "@bomb.sh/tab";
import { Argument, type Command, type Option } from "commander";
import type { Io } from "../../io.ts";
import { defineCommand } from "./command.ts";

const shells = ["bash", "zsh", "fish", "powershell"];

/** `completion`: prints the script that makes a shell ask `shelfcheck complete` what may follow. */
export const completion = defineCommand({
  flags: (command) => command.addArgument(new Argument("<shell>", "the shell").choices(shells)),
  run: async (_flags, _io, [shell = ""]) => {
    tab.setup("shelfcheck", "shelfcheck", shell);
    return 0;
  },
});

/** Names of runs in the reports folder, the newest first. */
async function runs({ cwd }: Io): Promise<string[]> {
  const { listRuns, partsOfName } = await import("../../runs/read-run.ts");
  const { defaults } = await import("../../config/settings.ts");
  const names = (await listRuns(`${cwd}/${defaults.out}`)).reverse();
  return ["latest", ...names.flatMap((name) => partsOfName(name).label ?? []), ...names];
}

async function ids(): Promise<string[]> {
  const { listChecks } = await import("../../../conformance/suite/all.ts");
  const { namesOf } = await import("../../../conformance/engine/select.ts");
  return namesOf(listChecks());
}

/** The names that a flag or an argument takes, by its name. Others complete nothing, or the choices that commander knows. */
const names: Readonly<Record<string, (io: Io) => Promise<Iterable<string>>>> = {
  "--only": ids,
  "--skip": ids,
  "--scenario": async () => (await import("../../../schemas/scenarios.ts")).scenarioIds,
  "--profile": async () => Object.keys((await import("../../../scenarios/profiles.ts")).profiles),
  "--fault": async () => (await import("../../../proof/table.ts")).faults.keys(),
  "--variant": async () => (await import("../../../proof/table.ts")).variants.keys(),
  "--task": async () => (await import("../../../schemas/contracts/client-findings.ts")).clientTaskNames,
  "--target": async ({ cwd }) => {
    const { config } = await (await import("../../config/config-file.ts")).loadConfig(undefined, cwd);
    return ["embedded", ...Object.keys(config.targets ?? {})];
  },
  run: runs,
  runs,
  id: async (io) => [...(await runs(io)), ...(await ids())],
};

/** Prints what may follow the words after `shelfcheck complete --`, in the format that the script reads. */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<void> {
  const command = program.commands.find((one) => one.name() === words[0]);
  const known = new Map<string, readonly string[]>();
  const wanted = [words.at(-2), ...(command?.registeredArguments.map((one) => one.name()) ?? [])];
  for (const name of wanted.filter((one) => one !== undefined)) {
    const list = await names[name]?.(io);
    if (list !== undefined) known.set(name, [...list]);
  }
  for (const each of program.createHelp().visibleCommands(program)) {
    const described = tab.command(each.name(), each.description());
    if (each !== command) continue;
    for (const option of each.createHelp().visibleOptions(each)) addOption(described, option, known);
    for (const argument of each.registeredArguments) {
      const values = known.get(argument.name()) ?? argument.argChoices ?? [];
      described.argument(argument.name(), offering(values), argument.variadic);
    }
  }
  tab.parse([...words]);
}

function addOption(
  described: ReturnType<typeof tab.command>,
  { long, description, required, optional, argChoices }: Option,
  known: ReadonlyMap<string, readonly string[]>,
): void {
  if (long === undefined || long === null) return;
  const name = long.replace("--", "");
  if (required || optional)
    described.option(name, description, offering(known.get(long) ?? argChoices ?? []));
  else described.option(name, description);
}

const offering =
  (values: readonly string[]) =>
  (offer: (value: string, description: string) => void): void => {
    for (const value of values) offer(value, "");
  };
