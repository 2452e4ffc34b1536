import { profilesText } from "virtual:profiles";
import crypto from "k6/crypto";
import { SharedArray } from "k6/data";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { LoadFixtures, Profile } from "../../schemas/types.ts";
import type { LoadCatalogue, Texts } from "./catalogue.ts";
import { type LoadSettings, readSettings } from "./settings.ts";

/** What every script needs. Created in the init context, once for each virtual user. */
export interface Environment {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  readonly catalogue: LoadCatalogue;
  /** SHA-256 of the fixtures file, in hexadecimal digits. */
  readonly fixturesDigest: string;
  /** Applied to every text of the target or of k6 before it is logged. */
  readonly redaction: TextRedaction;
}

/** Reads settings, profile and fixtures. The fixtures are parsed once and shared by all virtual users. */
export function readEnvironment(): Environment {
  const settings = readSettings(__ENV);
  return {
    settings,
    profile: openProfile(settings.profile),
    ...shareCatalogue(settings.fixturesPath),
    redaction: redactionFor(settings),
  };
}

function redactionFor(settings: LoadSettings): TextRedaction {
  let created: TextRedaction | undefined;
  const redaction = () => {
    created ??= require("virtual:on-demand").createRedaction([
      { key: settings.key, shownAs: `$${settings.keyName}` },
      { key: settings.otherOrgKey, shownAs: `$${settings.otherOrgKeyName}` },
      ...settings.headerSecrets,
    ]);
    return created;
  };
  return {
    redact: (text) => redaction().redact(text),
    excerpt: (text, length) => redaction().excerpt(text, length),
  };
}

function openProfile(profile: string): Profile {
  if (profile.endsWith(".json")) return JSON.parse(open(profile)) as Profile;
  // The bundle has the profiles as text, so that a virtual user parses them only if it needs one.
  const known = JSON.parse(profilesText) as Record<string, Profile>;
  const named = known[profile];
  if (named !== undefined) return named;
  throw new Error(
    `SHELFCHECK_PROFILE: ${profile} is neither the path of a .json file nor one of ${Object.keys(known).join(", ")}`,
  );
}

/** Number of first elements of each list that a virtual user caches: the most popular ones. */
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
 * One shared array for everything, because each array costs every virtual user some memory. The first element has the
 * lengths of the lists and everything that is not a list; the elements of the lists follow. k6 parses an element at
 * each access and freezes it deeply, a bare string character by character, so each string is in a list of one.
 */
function shareCatalogue(path: string): Pick<Environment, "catalogue" | "fixturesDigest"> {
  const shared = new SharedArray<[string]>("catalogue", () => {
    const file = open(path);
    const catalogue = require("virtual:on-demand").catalogueFrom(JSON.parse(file) as LoadFixtures);
    const lengths = lists.map((name) => catalogue[name].length);
    const rest = { ...catalogue, ...Object.fromEntries(lists.map((name) => [name, undefined])) };
    const texts = lists.flatMap((name) =>
      Array.from({ length: catalogue[name].length }, (_, at) => catalogue[name].at(at) ?? ""),
    );
    const digest = crypto.sha256(file, "hex");
    return [JSON.stringify({ lengths, rest, digest }), ...texts].map((text) => [text]);
  });
  const { lengths, rest, digest } = JSON.parse(shared[0]?.[0] ?? "") as {
    lengths: number[];
    digest: string;
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
  const catalogue = {
    ...rest,
    idPaths: view("idPaths"),
    urlPaths: view("urlPaths"),
    gtinPaths: view("gtinPaths"),
    batchItems: view("batchItems"),
    categoryPaths: view("categoryPaths"),
  };
  return { catalogue, fixturesDigest: digest };
}
