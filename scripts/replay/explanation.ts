import { requirements } from "../../conformance/requirements/catalogue.ts";
import {
  type Requirement,
  type SectionKey,
  sectionOf,
  sections,
} from "../../conformance/requirements/requirement.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { type Expectation, requirementOf } from "../proof/expectation.ts";
import { expectations } from "../proof/expectations.ts";
import { injections } from "../proof/injections.ts";

/** A check with the faults that the proof turns it red with. */
export interface ExplainedCheck extends Pick<Listed, "id" | "title" | "requests"> {
  /** Faults of the reference service (`serve --fault NAME`). */
  readonly faults: readonly string[];
  /** Faults that the proxy injects (`proof --only NAME`). */
  readonly injections: readonly string[];
}

/** A requirement for a person: what it says, whom it binds, and how it is treated. */
export interface Explanation extends Requirement {
  /** Heading in the spec. */
  readonly section: string;
  readonly checks: readonly ExplainedCheck[];
}

/**
 * What there is to say of a requirement, of the one that a check judges, or of all under a heading of the spec
 * (by its key or its name).
 * @throws UsageError for any other name.
 */
export function explain(name: string): Explanation[] {
  const checks = listChecks();
  const section = sectionNamed(name);
  const ids = new Set(
    section === undefined
      ? [requirementOf(name)]
      : requirements.filter(({ id }) => sectionOf(id) === section).map(({ id }) => id as string),
  );
  const found = requirements.filter(({ id }) => ids.has(id));
  const isCheck = name.includes("/");
  if (found.length === 0 || (isCheck && !checks.some(({ id }) => id === name))) {
    throw unknown(name, checks);
  }
  return found.map((one) => ({
    ...one,
    section: sections[sectionOf(one.id)],
    checks: checks
      .filter((check) => (isCheck ? check.id === name : check.requirement === one.id))
      .map(({ id, title, requests }) => ({
        id,
        title,
        requests,
        faults: faultsFor(id, expectations),
        injections: faultsFor(id, injections),
      })),
  }));
}

function sectionNamed(name: string): SectionKey | undefined {
  const keys = Object.keys(sections) as SectionKey[];
  return keys.find((key) => key === name || sections[key].toLowerCase() === name.toLowerCase());
}

function faultsFor(check: string, table: readonly Expectation[]): string[] {
  return table.filter(({ red }) => red.includes(check)).map(({ fault }) => fault);
}

function unknown(name: string, checks: readonly Listed[]): UsageError {
  const known = [
    ...requirements.map(({ id }) => id),
    ...checks.map(({ id }) => id),
    ...Object.keys(sections),
    ...Object.values(sections),
  ];
  return new UsageError({
    what: "no requirement, check or section has this name",
    where: `explain ${name}`,
    mend: didYouMean(name, known),
  });
}
