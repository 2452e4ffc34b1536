import { changesOf, faults, variants } from "../../proof/table.ts";
import type { Addition } from "../cli/commands/command.ts";
import { nameFrom } from "../cli/commands/flags.ts";
import { prose } from "../report/terminal.ts";

interface ChangeFlags {
  readonly variant?: readonly string[];
  readonly fault?: readonly string[];
  readonly list?: boolean;
}

/** `serve` with faults and variants, and the list of them. */
export const serveChanged: Addition = {
  flags: (command) =>
    command
      .option(
        "--variant <names>",
        "variants (unusual but allowed behaviour), separated by commas",
        commaSeparated(variants),
      )
      .option(
        "--fault <names>",
        "faults (each violates a MUST, or a SHOULD, which is a warning), separated by commas",
        commaSeparated(faults),
      )
      .option("--list", "list the variants and faults, each with what it does"),
  instead: async ({ list = false }: ChangeFlags, io) => {
    if (!list) return undefined;
    const width = Math.max(...[...variants.keys(), ...faults.keys()].map(({ length }) => length));
    const groups = Object.entries({ variants, faults }).map(([kind, table]) =>
      [kind, ...[...table].map(([name, { does }]) => `  ${name.padEnd(width)}  ${prose(does)}`)].join("\n"),
    );
    const more = "Which faults a check catches: npx shelfcheck explain ID";
    io.stdout.write(`${[...groups, more].join("\n\n")}\n`);
    return 0;
  },
  changes: ({ variant, fault }: ChangeFlags) => changesOf({ faults: fault, variants: variant }),
};

/** `explain` with the faults that make a check fail, for `serve --fault NAME` and `proof --only NAME`. */
export const explainFaults: Addition = {
  explains: (id) => {
    const names = [...faults].flatMap(([name, { fails }]) => (fails.some((one) => one === id) ? [name] : []));
    if (names.length === 0) return [];
    return [`It catches the ${names.length === 1 ? "fault" : "faults"} ${names.join(", ")}.`];
  },
};

function commaSeparated(table: ReadonlyMap<string, unknown>) {
  const withName = nameFrom([...table.keys()]);
  return (text: string, previous?: readonly string[]): readonly string[] | undefined =>
    text.split(",").reduce((names, name) => withName(name.trim(), names), previous);
}
