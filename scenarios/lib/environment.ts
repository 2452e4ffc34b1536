import { SharedArray } from "k6/data";
import type { LoadFixtures, Profile } from "../../schemas/types.ts";
import { profiles } from "../profiles.ts";
import { type Catalogue, catalogueFrom } from "./catalogue.ts";
import { readSettings, type Settings } from "./settings.ts";

/** What every script starts from. Made in the init context, once for each virtual user. */
export interface Environment {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly catalogue: Catalogue;
}

/** Reads settings, profile and fixtures. The fixtures are parsed once and shared by all virtual users. */
export function readEnvironment(): Environment {
  const settings = readSettings(__ENV);
  return {
    settings,
    profile: openProfile(settings.profile),
    catalogue: shareCatalogue(settings.fixturesPath),
  };
}

function openProfile(profile: string): Profile {
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  if (!profile.endsWith(".json")) {
    throw new Error(
      `SHELFCHECK_PROFILE: ${profile} is neither the path of a .json file nor one of ${Object.keys(profiles).join(", ")}`,
    );
  }
  return JSON.parse(open(profile)) as Profile;
}

/** Everything as lists of strings: an element of a SharedArray is parsed at each access, and a string costs least. */
function shareCatalogue(path: string): Catalogue {
  const share = (name: string, pick: (catalogue: Catalogue) => ArrayLike<string>) =>
    new SharedArray<string>(name, () => Array.from(pick(openCatalogue(path))));
  const [rest] = new SharedArray("rest", () => {
    const { unknownProductPath, unknownBatchItem, unknownRetailerPath, unentitledRetailerPath, dialect } =
      openCatalogue(path);
    return [{ unknownProductPath, unknownBatchItem, unknownRetailerPath, unentitledRetailerPath, dialect }];
  });
  if (rest === undefined) throw new Error(`${path}: no fixtures`);
  return {
    idPaths: share("idPaths", (catalogue) => catalogue.idPaths),
    urlPaths: share("urlPaths", (catalogue) => catalogue.urlPaths),
    gtinPaths: share("gtinPaths", (catalogue) => catalogue.gtinPaths),
    batchItems: share("batchItems", (catalogue) => catalogue.batchItems),
    categoryPaths: share("categoryPaths", (catalogue) => catalogue.categoryPaths),
    ...rest,
  };
}

function openCatalogue(path: string): Catalogue {
  return catalogueFrom(JSON.parse(open(path)) as LoadFixtures);
}
