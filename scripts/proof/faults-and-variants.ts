import { requirement } from "../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { requirementOf } from "../../proof/changes/entry.ts";
import { changesOf, faults, variants } from "../../proof/table.ts";
import { type Addition, print } from "../cli/commands/command.ts";
import { nameFrom } from "../cli/commands/flags.ts";
import { prose } from "../report/terminal.ts";

interface ChangeFlags {
  readonly variant?: readonly string[];
  readonly fault?: readonly string[];
  readonly list?: boolean;
  readonly json?: boolean;
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
      .option("--list", "list the variants and faults, each with what it does")
      .option("--json", "with --list: print JSON"),
  instead: async ({ list = false, json }: ChangeFlags, io) => {
    if (!list) return undefined;
    const all = entries();
    const width = Math.max(...all.map(({ name }) => name.length));
    const groups = [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, group]) =>
      [`${kind}s`, ...group.map(({ name, does }) => `  ${name.padEnd(width)}  ${prose(does)}`)].join("\n"),
    );
    const more = "What each rests on in the spec: npx shelfcheck serve --list --json";
    print(io, json, { value: all, text: () => `${[...groups, more].join("\n\n")}\n` });
    return 0;
  },
  changes: ({ variant, fault }: ChangeFlags) => changesOf({ faults: fault, variants: variant }),
};

/** `explain` with the faults that make a check fail, for `serve --fault NAME` and `proof --only NAME`. */
export const explainFaults: Addition = {
  explains: {
    check: (id) => {
      const names = [...faults].flatMap(([name, { fails }]) =>
        fails.some((one) => one === id) ? [name] : [],
      );
      return `It catches the ${names.length === 1 ? "fault" : "faults"} ${names.join(", ")}.`;
    },
  },
};

function commaSeparated(table: ReadonlyMap<string, unknown>) {
  const withName = nameFrom([...table.keys()]);
  return (text: string, previous?: readonly string[]): readonly string[] | undefined =>
    text.split(",").reduce((names, name) => withName(name.trim(), names), previous);
}

/** Variants with the sentence of the spec that allows them, faults with the violated requirement. */
function entries() {
  const allowed = [...variants].map(([name, { does, allowedBy }]) => {
    const [section, statement] = allowedBy;
    return { name, kind: "variant", does, section, statement };
  });
  const violating = [...faults].map(([name, { does, fails }]) => {
    const { id, statement } = requirement(requirementOf(fails[0]));
    return { name, kind: "fault", does, section: sections[sectionOf(id)], statement, fails };
  });
  return [...allowed, ...violating];
}
