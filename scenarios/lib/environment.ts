import { profilesText } from "virtual:profiles";
import { SharedArray } from "k6/data";
import { createRedaction, type TextRedaction } from "../../schemas/redaction.ts";
import type { LoadFixtures, Profile } from "../../schemas/types.ts";
import { catalogueFrom, type LoadCatalogue, type Texts } from "./catalogue.ts";
import { type LoadSettings, readSettings } from "./settings.ts";

/** What every script starts from. Made in the init context, once for each virtual user. */
export interface Environment {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  readonly catalogue: LoadCatalogue;
  /** What a target or k6 says goes through it before it is logged. */
  readonly redaction: TextRedaction;
}

/** Reads settings, profile and fixtures. The fixtures are parsed once and shared by all virtual users. */
export function readEnvironment(): Environment {
  const settings = readSettings(__ENV);
  return {
    settings,
    profile: openProfile(settings.profile),
    catalogue: shareCatalogue(settings.fixturesPath),
    redaction: createRedaction([
      { key: settings.key, shownAs: `$${settings.keyName}` },
      { key: settings.otherOrgKey, shownAs: `$${settings.otherOrgKeyName}` },
      ...settings.headerSecrets,
    ]),
  };
}

function openProfile(profile: string): Profile {
  if (profile.endsWith(".json")) return JSON.parse(open(profile)) as Profile;
  // As text in the bundle: a virtual user makes the one that it needs, not all of them.
  const known = JSON.parse(profilesText) as Record<string, Profile>;
  const named = known[profile];
  if (named !== undefined) return named;
  throw new Error(
    `SHELFCHECK_PROFILE: ${profile} is neither the path of a .json file nor one of ${Object.keys(known).join(", ")}`,
  );
}

/** Of each list a virtual user keeps the first ones for itself: the most popular, which it asks most often. */
const hotElements = 32;

type Lists = "idPaths" | "urlPaths" | "gtinPaths" | "batchItems" | "categoryPaths";
const lists = [
  "idPaths",
  "urlPaths",
  "gtinPaths",
  "batchItems",
  "categoryPaths",
] as const satisfies readonly Lists[];

/**
 * One shared array for everything, since each costs every virtual user some memory: first what is no list, with
 * the lengths of the lists, then the lists. Its elements are parsed at each access, and frozen: of a bare string
 * each character by itself, so that one alone in a list costs a quarter.
 */
function shareCatalogue(path: string): LoadCatalogue {
  const shared = new SharedArray<[string]>("catalogue", () => {
    const catalogue = catalogueFrom(JSON.parse(open(path)) as LoadFixtures);
    const lengths = lists.map((name) => catalogue[name].length);
    const rest = { ...catalogue, ...Object.fromEntries(lists.map((name) => [name, undefined])) };
    const texts = lists.flatMap((name) =>
      Array.from({ length: catalogue[name].length }, (_, at) => catalogue[name].at(at) ?? ""),
    );
    return [JSON.stringify({ lengths, rest }), ...texts].map((text) => [text]);
  });
  const { lengths, rest } = JSON.parse(shared[0]?.[0] ?? "") as {
    lengths: number[];
    rest: Omit<LoadCatalogue, Lists>;
  };
  const view = (list: Lists): Texts => {
    const place = lists.indexOf(list);
    const from = 1 + lengths.slice(0, place).reduce((sum, length) => sum + length, 0);
    const length = lengths[place] ?? 0;
    const hot: (string | undefined)[] = [];
    return {
      length,
      at(index) {
        if (index >= hotElements) return index < length ? shared[from + index]?.[0] : undefined;
        hot[index] ??= index < length ? shared[from + index]?.[0] : undefined;
        return hot[index];
      },
    };
  };
  return {
    ...rest,
    idPaths: view("idPaths"),
    urlPaths: view("urlPaths"),
    gtinPaths: view("gtinPaths"),
    batchItems: view("batchItems"),
    categoryPaths: view("categoryPaths"),
  };
}
