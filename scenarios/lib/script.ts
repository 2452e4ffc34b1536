import { load as loadHooks } from "virtual:hooks";
import { load as onDemand } from "virtual:on-demand";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { type ListName, type LoadCatalog, listNames, type Texts } from "./catalog.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { dueMilliseconds, type OpenTraffic, stagesOf } from "./schedule.ts";
import type { LoadSettings } from "./settings.ts";

/** What every script needs. Created in the init context, once for each virtual user. */
export interface Environment {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  /** The name that results show for it. */
  readonly profileName: string;
  readonly catalog: LoadCatalog;
  /** Applied to every text of the target or of k6 before it is logged. Made at the first call. */
  readonly redaction: () => TextRedaction;
}

/** Everything that virtual users share, except for the elements of the lists of the catalog. */
export interface Prepared extends Pick<Environment, "settings" | "profile" | "profileName"> {
  /** Numbers of elements of the lists. */
  readonly lengths: Readonly<Record<ListName, number>>;
  /** The catalog without its lists. */
  readonly rest: Omit<LoadCatalog, ListName>;
}

/**
 * What k6 calls of a script besides its iterations; empty in a virtual user: k6 calls it only in contexts of
 * its own, but evaluates the modules for each virtual user.
 */
export function createScript(scenario: ScenarioId): {
  readonly environment: Environment;
  readonly hooks: Partial<ReturnType<ReturnType<typeof loadHooks>["hooksOf"]>>;
} {
  const environment = readEnvironment();
  return { environment, hooks: __VU > 0 ? {} : loadHooks().hooksOf(scenario, environment) };
}

/**
 * Reads settings, profile and fixtures. The first virtual user does it for all, in one shared array, since
 * each costs every virtual user memory. k6 parses an element at each access and freezes it deeply, a bare
 * string character by character, so each string is in a list of one.
 */
function readEnvironment(): Environment {
  const shared = new SharedArray<[string]>("environment", () => {
    return loadHooks()
      .prepare(__ENV)
      .map((text) => [text]);
  });
  const read = () => JSON.parse(shared[0]?.[0] ?? "") as Prepared;
  const { lengths, rest, ...prepared } = read();
  const lists: Partial<Record<ListName, Texts>> = {};
  let next = 1;
  // Without an iterator, which k6 would create 5 KB of its library for in every virtual user.
  for (let place = 0; place < listNames.length; place += 1) {
    const name = listNames[place] as ListName;
    lists[name] = new SharedTexts(shared, next, lengths[name]);
    next += lengths[name];
  }
  const catalog = { ...rest, ...lists } as LoadCatalog;
  return { ...prepared, catalog, redaction: redactionFor(read) };
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

/** Reads the settings again when needed: held, they would take memory in every virtual user. */
function redactionFor(read: () => Prepared): () => TextRedaction {
  let created: TextRedaction | undefined;
  return () => {
    if (created !== undefined) return created;
    const { settings } = read();
    created = onDemand().createRedaction([
      { key: settings.key, shownAs: `$${settings.keyName}` },
      { key: settings.otherOrgKey, shownAs: `$${settings.otherOrgKeyName}` },
      ...settings.headerSecrets,
    ]);
    return created;
  };
}

const exceptionsShown = 2;

/** Counts exceptions of an iteration, which k6 itself only logs, and logs the first ones. */
export function guarded(redaction: Environment["redaction"], iterate: () => void): () => void {
  let shown = 0;
  return () => {
    try {
      iterate();
    } catch (error) {
      if (shown < exceptionsShown) report(redaction, error);
      else metrics.exceptions(1);
      shown += 1;
    }
  };
}

/** The same for an asynchronous iteration. */
export function guardedLater({ redaction }: Environment, iterate: () => Promise<void>): () => Promise<void> {
  return () => iterate().catch((error: unknown) => report(redaction, error));
}

function report(redaction: Environment["redaction"], error: unknown): void {
  metrics.exceptions(1);
  log.error(redaction().redact(`exception in an iteration: ${String(error)}`));
}

/** At every 4th of the first 2,000 lookups and every 32nd after: enough for a percentile of any run. */
const lagMeasuredAtFirst = 2000;
const lagMeasuredFirstEvery = 4;
const lagMeasuredLaterEvery = 32;

/** The returned function gives the global index of an iteration and sometimes measures its lag. */
export function arrival(environment: Environment, traffic: OpenTraffic): () => number {
  const stages = stagesOf(environment.profile, traffic);
  // Kept, because k6 creates a new object at each access; it always describes the current iteration.
  let scenario: typeof exec.scenario | undefined;
  return () => {
    scenario ??= exec.scenario;
    const index = scenario.iterationInTest;
    if (index % (index < lagMeasuredAtFirst ? lagMeasuredFirstEvery : lagMeasuredLaterEvery) === 0) {
      metrics.scheduleLag(Math.max(0, Date.now() - scenario.startTime - dueMilliseconds(stages, index)));
    }
    return index;
  };
}
