import { type ClientCode, clientWords } from "../../clients/contract/client-words.ts";
import type { WordsTable } from "../../schemas/words/index.ts";

/** `client`: what a client sends to the reference service. */
export const client: { readonly name: string; readonly words: WordsTable<ClientCode> } = {
  name: "client",
  words: clientWords,
};
