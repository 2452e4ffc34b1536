import { type SectionKey, sectionOf, sections } from "../requirements/requirement.ts";
import type { Listed } from "../suite/all.ts";

/** Ids of requirements (`errors.shape`), checks (`errors.shape/every-response`) or sections, or a heading. */
export interface Selection {
  /** Empty for everything. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** What is wrong with a selection: an unknown name, or nothing left to run. */
export type SelectionMistake =
  | {
      readonly kind: "unknown name";
      readonly list: keyof Selection;
      readonly name: string;
      readonly known: readonly string[];
    }
  | { readonly kind: "nothing left"; readonly selection: Selection };

export class SelectionError extends Error {
  override readonly name = "SelectionError";
  readonly mistake: SelectionMistake;
  constructor(mistake: SelectionMistake) {
    super(mistake.kind);
    this.mistake = mistake;
  }
}

/**
 * The checks and rules of a selection, in their order.
 * @throws SelectionError for an unknown name, and when nothing is left
 */
export function selectChecks(all: readonly Listed[], selection: Selection): Listed[] {
  const { only, skip } = selection;
  const isIn = (names: readonly string[]) => (check: Listed) => names.some((name) => covers(name, check));
  // Only requirements with checks can be selected.
  for (const list of ["only", "skip"] as const)
    for (const name of selection[list])
      if (!all.some(isIn([name])))
        throw new SelectionError({ kind: "unknown name", list, name, known: namesOf(all) });
  const selected = all.filter((one) => (only.length === 0 || isIn(only)(one)) && !isIn(skip)(one));
  if (selected.length === 0) throw new SelectionError({ kind: "nothing left", selection });
  return selected;
}

/** Whether a name covers a check: its id, its requirement's, or its section. All commands use this. */
export function covers(
  name: string,
  { id, requirement }: { readonly id?: string; readonly requirement: string },
): boolean {
  if (name === id || name === requirement) return true;
  const section = sectionOf(requirement);
  return [section, headingOf(section)].some((one) => one?.toLowerCase() === name.toLowerCase());
}

/** All names that cover one of these, without duplicates: sections first, then requirements, then checks. */
export function namesOf(all: readonly { readonly id?: string; readonly requirement: string }[]): string[] {
  const keys = new Set(all.map(({ requirement }) => sectionOf(requirement)));
  const headings = [...keys].flatMap((key) => headingOf(key) ?? []);
  const isNews = (heading: string) => ![...keys].some((key) => key === heading.toLowerCase());
  const requirements = all.map(({ requirement }) => requirement);
  return [
    ...new Set([...keys, ...headings.filter(isNews), ...requirements, ...all.flatMap(({ id }) => id ?? [])]),
  ];
}

/** Results of another version may name a section that does not exist here. */
function headingOf(section: SectionKey): string | undefined {
  return Object.hasOwn(sections, section) ? sections[section] : undefined;
}
