import { requirement } from "../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { requirementOf } from "../../proof/changes/entry.ts";
import { changesOf, faults, variants } from "../../proof/table.ts";
import type { Addition } from "../cli/commands/command.ts";
import { print } from "../cli/commands/command.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
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
        commaSeparated,
      )
      .option(
        "--fault <names>",
        "faults (each violates a MUST, or a SHOULD, which is a warning), separated by commas",
        commaSeparated,
      )
      .option("--list", "list the variants and faults, each with what it does")
      .option("--json", "with --list: print JSON"),
  instead: async ({ list = false, json }: ChangeFlags, io) => {
    if (!list) return undefined;
    const all = listEntries();
    print(io, { json, value: all, text: () => renderEntries(all) });
    return 0;
  },
  changes: ({ variant, fault }: ChangeFlags) => {
    requireKnownNames("variant", variant);
    requireKnownNames("fault", fault);
    return changesOf({ faults: fault, variants: variant });
  },
};

function commaSeparated(text: string, previous: readonly string[] = []): string[] {
  return [...previous, ...text.split(",").flatMap((name) => name.trim() || [])];
}

function requireKnownNames(flag: "variant" | "fault", names: readonly string[] = []): void {
  const [known, other, otherFlag] =
    flag === "fault" ? ([faults, variants, "variant"] as const) : ([variants, faults, "fault"] as const);
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new UsageError({
    what: `There is no ${flag} ${JSON.stringify(unknown)}`,
    where: `--${flag}`,
    fix: other.has(unknown)
      ? `It is a ${otherFlag}: --${otherFlag} ${unknown}`
      : `${didYouMean(unknown, [...known.keys()])} To list all: npx shelfcheck serve --list`,
  });
}

/** A fault or variant, as `--list` shows it. */
interface ListedEntry {
  readonly name: string;
  readonly kind: "variant" | "fault";
  readonly does: string;
  readonly section: string;
  /** The sentence of the spec that allows a variant, or the requirement that a fault violates. */
  readonly statement: string;
  /** The checks that a fault makes fail. */
  readonly fails?: readonly string[];
}

function listEntries(): ListedEntry[] {
  return [
    ...[...variants].map(([name, { does, allowedBy }]): ListedEntry => {
      const [section, statement] = allowedBy;
      return { name, kind: "variant", does, section, statement };
    }),
    ...[...faults].map(([name, { does, fails }]): ListedEntry => {
      const { id, statement } = requirement(requirementOf(fails[0]));
      return { name, kind: "fault", does, section: sections[sectionOf(id)], statement, fails };
    }),
  ];
}

function renderEntries(entries: readonly ListedEntry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  const groups = [...Map.groupBy(entries, ({ kind }) => kind)].map(([kind, group]) =>
    [`${kind}s`, ...group.map(({ name, does }) => `  ${name.padEnd(width)}  ${prose(does)}`)].join("\n"),
  );
  return `${groups.join("\n\n")}\n\nWhat each rests on in the spec: npx shelfcheck serve --list --json\n`;
}
