import { type ClientCode, clientWords } from "../../clients/contract/client-words.ts";
import type { WordsTable } from "../../schemas/words/index.ts";
import { clientReport } from "./client-report.ts";

/** `client`: what a client sends to the reference service. */
export const client: {
  readonly name: string;
  readonly words: WordsTable<ClientCode>;
  readonly report: typeof clientReport;
} = { name: "client", words: clientWords, report: clientReport };
