import { onDemand } from "virtual:on-demand";
import { SharedArray } from "k6/data";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { LoadCatalog, Texts } from "./catalog.ts";
import { type ListName, listNames, type Prepared } from "./preparation.ts";
import type { LoadSettings } from "./settings.ts";

/** What every script needs. Created in the init context, once for each virtual user. */
export interface Environment {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  readonly catalog: LoadCatalog;
  /** Applied to every text of the target or of k6 before it is logged. Made at the first call. */
  readonly redaction: () => TextRedaction;
}

/**
 * Reads settings, profile and fixtures. The first virtual user does it for all, in one shared array, since
 * each costs every virtual user memory. k6 parses an element at each access and freezes it deeply, a bare
 * string character by character, so each string is in a list of one.
 */
export function readEnvironment(): Environment {
  const shared = new SharedArray<[string]>("environment", () => {
    const { prepare, profiles } = onDemand();
    return prepare(__ENV, profiles).map((text) => [text]);
  });
  const { settings, profile, lengths, rest } = JSON.parse(shared[0]?.[0] ?? "") as Prepared;
  const lists: Partial<Record<ListName, Texts>> = {};
  let next = 1;
  for (const name of listNames) {
    lists[name] = new SharedTexts(shared, next, lengths[name]);
    next += lengths[name];
  }
  const catalog = { ...rest, ...lists } as LoadCatalog;
  return { settings, profile, catalog, redaction: redactionFor(settings) };
}

/** One of the lists in the shared array. A class, because a closure for each list would take more memory. */
class SharedTexts implements Texts {
  // Only declared: for each defined field the bundler would call a function in every virtual user.
  declare readonly length: number;
  declare private readonly shared: readonly [string][];
  declare private readonly from: number;

  constructor(shared: readonly [string][], from: number, length: number) {
    this.length = length;
    this.shared = shared;
    this.from = from;
  }

  at(index: number): string | undefined {
    return index >= this.length ? undefined : this.shared[this.from + index]?.[0];
  }
}

function redactionFor(settings: LoadSettings): () => TextRedaction {
  let created: TextRedaction | undefined;
  return () => {
    created ??= onDemand().createRedaction([
      { key: settings.key, shownAs: `$${settings.keyName}` },
      { key: settings.otherOrgKey, shownAs: `$${settings.otherOrgKeyName}` },
      ...settings.headerSecrets,
    ]);
    return created;
  };
}
