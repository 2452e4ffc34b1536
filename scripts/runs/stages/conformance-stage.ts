import { redactionFor } from "../../../conformance/client/redaction.ts";
import type { Discovery } from "../../../conformance/discovery/discover.ts";
import { CannotJudge } from "../../../conformance/discovery/first-contact.ts";
import type {
  Fixture,
  Fixtures,
  KeyInRole,
  ProductFixture,
} from "../../../conformance/discovery/fixtures.ts";
import { WrongKeyRoles } from "../../../conformance/discovery/key-roles.ts";
import {
  type Bounds,
  discoverService,
  type HeadingDone,
  type JudgeOptions,
  judgeService,
  type ServiceJudgement,
} from "../../../conformance/engine/judge-service.ts";
import { tooManyLost } from "../../../conformance/engine/notices.ts";
import type { SessionTraffic } from "../../../conformance/engine/session.ts";
import { listChecks, type Selection } from "../../../conformance/suite/all.ts";
import type { SaidFinding } from "../../../schemas/contracts/finding.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import type { CheckResult, Discovered, Results } from "../../../schemas/contracts/results.ts";
import { given } from "../../../schemas/json.ts";
import { counted } from "../../../schemas/words/format.ts";
import { problemFrom } from "../../../schemas/words/problem.ts";
import { requireLoadAllowed } from "../../config/load-permission.ts";
import type { Settings } from "../../config/settings.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { itemLabels } from "../../report/model.ts";
import { saidCheck } from "../said.ts";
import { inForce, waiverStates } from "../waivers.ts";
import { loadFixturesOf } from "./load-fixtures.ts";
import type { Run } from "./record.ts";
import { selectListed } from "./selection.ts";

/** The bounds are those of the settings, unless they are given. */
export interface StageOptions
  extends Selection,
    Partial<Pick<JudgeOptions, "maxRequests" | "maxSeconds" | "fuzz">> {
  /** Called with each check when it is done, with the sentences of its findings. */
  readonly onResult?: ((result: CheckResult<SaidFinding>) => void) | undefined;
}

/**
 * Judges the target and adds the results to those of the run, with the state of the waivers. A target that
 * stops responding becomes the problem of the run.
 * @returns What the load scenarios can request.
 * @throws UsageError for an unknown name, an empty selection, or keys in the wrong roles; CannotRunError when
 * the target does not respond or rejects the key.
 */
export async function conformanceStage(
  { target, settings, startedAt, progress, signal, state }: Run,
  { only, skip, onResult, ...bounds }: StageOptions,
): Promise<LoadFixtures> {
  const selected = selectListed({ only, skip });
  if (target.categories.length === 0)
    progress("no category is named: requirements that need a product are not judged (--category)");
  progress("discovering the target: retailers, products, field names");
  let done = 0;
  const { discovery, traffic, requirements } = await judgeTarget({
    target,
    maxRequests: settings.maxRequests,
    maxSeconds: settings.maxSeconds,
    ...bounds,
    selection: { only, skip },
    waivers: inForce(settings.waivers, startedAt),
    signal,
    onResult: (result) => {
      done++;
      onResult?.(saidCheck(result, target));
    },
    onHeading: (done) => progress(headingLine(done)),
    onWait: (seconds) =>
      progress(`${waitLine(seconds)}, ${done} of ${counted(selected.length, "check")} done`, "passing"),
    onUndiscovered: ({ requests, survey, rateLimit }) => {
      state.requests = requests;
      state.discovered = { ...state.discovered, ...survey, rateLimit };
    },
  });
  state.requirements = requirements;
  state.requests = traffic.requests;
  state.discovered = discoveredOf(discovery, traffic);
  state.notices = [...discovery.notices, ...traffic.notices];
  state.scope = scopeOf(requirements);
  const states = waiverStates(settings, startedAt, state);
  if (states.length > 0) state.waivers = states;
  const lost = [traffic.lost, traffic.requests.lost].find((one) => one !== undefined && tooManyLost(one));
  const problem = traffic.gone ?? lost;
  if (problem !== undefined) state.problem = problemFrom(problem, target);
  return loadFixturesOf(discovery, redactionFor(target));
}

/**
 * Checks, before any request, that selected checks that exceed the rate limit of the target may do so.
 * @throws UsageError as requireLoadAllowed; for an unknown name, and for an empty selection.
 */
export function requireBurstAllowed({ choice }: Pick<Settings, "choice">, selection: Selection): void {
  const bursts = selectListed(selection).some((listed) => listed.bursts === true);
  if (!bursts || choice.kind === "embedded" || choice.target.avoid?.includes("burst")) return;
  requireLoadAllowed(choice, "burst");
}

/** Number of requirements and checks with results; undefined when all have them. */
function scopeOf(requirements: ServiceJudgement["requirements"]): Results["scope"] {
  const all = listChecks();
  const checks = requirements.flatMap((one) => one.checks).length;
  const of = new Set(all.map(({ requirement }) => requirement)).size;
  return checks === all.length
    ? undefined
    : { requirements: requirements.length, of, checks, ofChecks: all.length };
}

function headingLine({ heading, results }: HeadingDone): string {
  const labels = results.map(({ verdict, waiver }) => itemLabels[waiver === undefined ? verdict : "waived"]);
  const counts = Object.values(itemLabels).flatMap((label) => {
    const { length } = labels.filter((one) => one === label);
    return length === 0 ? [] : [`${length} ${label}`];
  });
  return `${heading}, ${counted(results.length, "check")}: ${counts.join(", ")}`;
}

/** The progress line about a wait. */
export function waitLine(seconds: number): string {
  return `waiting ${Math.max(1, Math.round(seconds))} s after a 429`;
}

/** Without judging. `problem` is set if the target stopped responding. @throws as conformanceStage. */
export async function discoverTarget(bounds: Bounds) {
  const { discovery, traffic } = await withExitCode(discoverService(bounds));
  const { gone } = traffic;
  const { product, batch } = discovery.fixtures;
  return {
    noProduct: product.present ? undefined : product.missing,
    noBatch: batch.present ? undefined : batch.missing,
    discovered: discoveredOf(discovery, traffic),
    loadFixtures: loadFixturesOf(discovery, redactionFor(bounds.target)),
    notices: [...discovery.notices, ...traffic.notices],
    problem: gone && problemFrom(gone, bounds.target),
  };
}

/** Runs the engine. @throws as conformanceStage. */
export async function judgeTarget(options: JudgeOptions): Promise<ServiceJudgement> {
  return await withExitCode(judgeService(options));
}

/** Work of the engine, whose errors become errors with an exit code. */
export async function withExitCode<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!(error instanceof CannotJudge)) throw error;
    const Refusal = error instanceof WrongKeyRoles ? UsageError : CannotRunError;
    throw new Refusal(error.problem, { cause: error });
  });
}

/** The part of the results that describes the target: what discovery found, and the traffic of the run. */
function discoveredOf({ fixtures, fieldNames, listed }: Discovery, traffic: SessionTraffic): Discovered {
  return {
    ...given({ retailers: listed && [...listed] }),
    dialect: { ...fieldNames },
    categories: fixtures.categories.map(({ category }) => category),
    ...traffic.survey,
    rateLimit: traffic.rateLimit,
    fixtures: describeFixtures(fixtures),
  };
}

function describeFixtures(fixtures: Fixtures): Discovered["fixtures"] {
  const product = ({ retailer, productId }: ProductFixture) => `${retailer} / ${productId}`;
  const slugs = (all: readonly string[]) => all.join(", ");
  // A body may be the list itself, without a field.
  const field = (name: string) => (name === "" ? "no name" : name);
  return [
    describe("retailers of the primary key", fixtures.retailers, slugs),
    describe("retailers of the other organization", fixtures.otherRetailers, slugs),
    describe("a product by id", fixtures.product, product),
    describe("a product by URL", fixtures.productByUrl, ({ url }) => url),
    describe("products by GTIN", fixtures.productsByGtin, (all) => slugs(all.map(({ gtin }) => gtin))),
    describe("an unentitled retailer", fixtures.unentitledRetailer, (slug) => slug),
    describe("a product of an unentitled retailer", fixtures.unentitledProduct, product),
    describe("a category", fixtures.category, ({ category }) =>
      fixtures.products.length === 0 ? `${category}, without readable products` : category,
    ),
    describe(
      "the field names of a batch",
      fixtures.batch,
      (names) => `request ${field(names.batchRequestField)}, result ${field(names.batchFoundField)}`,
    ),
    describeKey("a second key of the organization", fixtures.sameOrgKey),
    describeKey("a key of another organization", fixtures.otherOrgKey),
  ];
}

type Described = Discovered["fixtures"][number];

function describe<T>(name: string, fixture: Fixture<T>, show: (value: T) => string): Described {
  const { present } = fixture;
  return present
    ? { name, present, value: show(fixture.value) }
    : { name, present, missing: fixture.missing };
}

/** A second key, with a doubt if its role could not be verified. */
function describeKey(name: string, key: Fixture<KeyInRole>): Described {
  if (!key.present || key.value.role === "asNamed")
    return describe(name, key, () => "what it sees fits its role");
  return { ...describe(name, key, () => "its role is unclear"), doubt: key.value.doubt };
}
