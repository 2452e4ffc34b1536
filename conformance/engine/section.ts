import { describe, inject, type TestContext, test } from "vitest";
import type { Exchange } from "../client/exchange.ts";
import { type SectionKey, sections } from "../requirements/requirement.ts";
import type { Check } from "./check.ts";
import type { CheckReport } from "./provided.ts";
import { outcomeOf, reportOf } from "./run-check.ts";
import type { Session } from "./session.ts";
import { suiteTest } from "./suite-test.ts";

/** A section of the suite: its key in the requirement ids and its checks, one entry each. */
export interface Section {
  readonly key: SectionKey;
  readonly checks: readonly Check[];
}

/**
 * Declares the checks of one section of the spec. Under the vitest project `conformance`, where a target was
 * provided, each selected one becomes a test; anywhere else (`--plan`, our own tests) they are only data.
 */
export function section(key: SectionKey, checks: readonly Check[]): Section {
  declareTests(sections[key], checks, async (check, session, signal) => {
    const seen: Exchange[] = [];
    return reportOf(check, await outcomeOf(check, session, signal, seen), seen, session);
  });
  return { key, checks };
}

/** Declares one test for each selected entry; its verdict becomes the test's. */
export function declareTests<T extends Pick<Check, "id">>(
  heading: string,
  entries: readonly T[],
  judge: (entry: T, session: Session, signal: AbortSignal) => Promise<Omit<CheckReport, "file">>,
): void {
  const provided = providedHere();
  if (provided === undefined) return;
  const chosen = entries.filter(({ id }) => provided.selected.includes(id));
  if (chosen.length === 0) {
    // A file without a test is an error to vitest; one that was not selected is not.
    describe.skip(heading, () => void test("not selected", () => undefined));
    return;
  }
  const declare = suiteTest();
  describe(heading, () => {
    for (const entry of chosen) {
      declare.concurrent(entry.id, async ({ session, task, signal, skip }) => {
        const report = { ...(await judge(entry, session, signal)), file: heading };
        task.meta.conformance = report;
        settle(report, skip);
      });
    }
  });
}

function providedHere() {
  try {
    return inject("conformance");
  } catch {
    // Outside of a vitest worker.
    return undefined;
  }
}

// So that vitest's own reporters and exit code say the same as ours.
function settle({ result }: CheckReport, skip: TestContext["skip"]): void {
  if (result.verdict === "fail" || result.verdict === "error")
    throw new Error(`${result.title}: ${result.reason}`);
  if (result.verdict === "inconclusive" || result.verdict === "notApplicable") skip(result.reason);
}
