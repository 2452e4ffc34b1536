import { type SectionKey, sectionOf, sections } from "../requirements/requirement.ts";
import type { Listed } from "../suite/all.ts";

/** Ids of requirements (`errors.shape`), checks (`errors.shape/every-response`) or sections, or a heading. */
export interface Selection {
  /** Empty for everything. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** The checks and rules of a selection, in their order. */
export function selectChecks(all: readonly Listed[], { only, skip }: Selection): Listed[] {
  const isIn = (names: readonly string[]) => (check: Listed) => names.some((name) => covers(name, check));
  return all.filter((one) => (only.length === 0 || isIn(only)(one)) && !isIn(skip)(one));
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
