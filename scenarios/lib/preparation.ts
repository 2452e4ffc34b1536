import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { catalogFrom, type LoadCatalog } from "./catalog.ts";
import { type LoadSettings, readSettings } from "./settings.ts";

/** The lists of a catalog, in the order in which virtual users share them. */
export const listNames = ["byId", "byUrl", "byGtin", "batchItems", "categoryPaths"] as const;
export type ListName = (typeof listNames)[number];

/** Everything that virtual users share, except for the elements of the lists. */
export interface Prepared {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  /** Numbers of elements of the lists. */
  readonly lengths: Readonly<Record<ListName, number>>;
  /** The catalog without its lists. */
  readonly rest: Omit<LoadCatalog, ListName>;
}

/**
 * For all virtual users. The first text is JSON of `Prepared`; those of the lists follow, list after list.
 * Must be called in the init context, where k6 allows `open`.
 */
export function prepare(
  env: Readonly<Record<string, string | undefined>>,
  profiles: Readonly<Record<string, Profile>>,
): string[] {
  const settings = readSettings(env);
  const fixtures = JSON.parse(open(settings.fixturesPath)) as LoadFixtures;
  const { byId, byUrl, byGtin, batchItems, categoryPaths, ...rest } = catalogFrom(fixtures);
  const lists = { byId, byUrl, byGtin, batchItems, categoryPaths };
  const { profile, name } = openProfile(settings.profile, profiles);
  const prepared: Prepared = {
    settings: { ...settings, profileName: settings.profileName || name },
    profile,
    lengths: Object.fromEntries(listNames.map((list) => [list, lists[list].length])) as Prepared["lengths"],
    rest,
  };
  const texts = listNames.flatMap((list) =>
    Array.from({ length: lists[list].length }, (_, place) => lists[list].at(place) ?? ""),
  );
  return [JSON.stringify(prepared), ...texts];
}

/** Without a name, the profile beside the script, as in the folder of a run, or else `smoke`. */
function openProfile(
  named: string | undefined,
  profiles: Readonly<Record<string, Profile>>,
): { profile: Profile; name: string } {
  if (named === undefined) return openBeside("profile.json") ?? openProfile("smoke", profiles);
  if (named.endsWith(".json")) return { profile: JSON.parse(open(named)) as Profile, name: named };
  const profile = profiles[named];
  if (profile !== undefined) return { profile, name: named };
  throw new Error(
    `SHELFCHECK_PROFILE: ${named} is neither the path of a .json file nor one of ${Object.keys(profiles).join(", ")}`,
  );
}

function openBeside(file: string): ReturnType<typeof openProfile> | undefined {
  let text: string;
  try {
    text = open(file);
  } catch {
    return undefined;
  }
  return { profile: JSON.parse(text) as Profile, name: file };
}
