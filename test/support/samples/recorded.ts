import type { Words } from "../../../schemas/contracts/finding.ts";
import { coreWords } from "../../../schemas/words/index.ts";

// A code for tests: its subject is its sentence. No run has it.

const recorded: Words<{ subject: string }> = { text: ({ subject }) => subject };
declare module "../../../schemas/contracts/finding.ts" {
  interface WordsByCode {
    recorded: typeof recorded;
  }
}
Object.assign(coreWords, { recorded });
