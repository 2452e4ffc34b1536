import type { WordsTable } from "../../schemas/words/index.ts";
import { door } from "../cli/commands/command.ts";
import { type ClusterCode, clusterWords } from "./cluster-words.ts";

/** `load --collect`: load that pods sent. */
export const cluster = door(
  { name: "cluster", words: clusterWords as WordsTable<ClusterCode> },
  { adds: { load: async () => (await import("./load-from-pods.ts")).loadFromPods } },
);
