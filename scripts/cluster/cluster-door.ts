import type { WordsTable } from "../../schemas/words/index.ts";
import { type ClusterCode, clusterWords } from "./cluster-words.ts";

/** `load --collect`: load that pods sent. */
export const cluster: { readonly name: string; readonly words: WordsTable<ClusterCode> } = {
  name: "cluster",
  words: clusterWords,
};
