import { parse } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that come last, in this order: the passive rules look at every answer of the run. */
const last = ["limits.check", "every-answer.check"];

/** Orders the suite's files by name, except for those that need the others to have run. */
export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => last.indexOf(parse(moduleId).name);
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}
