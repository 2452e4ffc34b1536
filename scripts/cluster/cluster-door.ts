import { says } from "../../schemas/words/finding-words.ts";
import { milliseconds } from "../../schemas/words/format.ts";
import type { WordsTable } from "../../schemas/words/index.ts";
import { door } from "../cli/commands/command.ts";

/** The segment of a pod. */
interface OfSegment {
  subject: string;
}

/** The words of what the logs of pods show. */
export const clusterWords = {
  "pod-result-missing": says<OfSegment>({
    text: ({ subject }) => `The result of the pod with segment ${subject} is missing or damaged.`,
    fix: () =>
      "Check that the pod ran to its end (kubectl get pods), and collect its log again, whole and unchanged (kubectl logs --tail=-1).",
  }),
  "pod-result-doubled": says<OfSegment & { actual: number }>({
    text: ({ subject, actual }) =>
      `Segment ${subject} ran ${actual} times: the target received more load than planned.`,
    fix: () => "Check whether the pod was restarted, and run it again.",
  }),
  "pod-starved": says<OfSegment & { actual: number; expected: number }>({
    text: ({ subject, actual, expected }) =>
      `The iterations of the pod with segment ${subject} started late, most likely for want of CPU: p95 ${milliseconds(actual)}, limit ${milliseconds(expected)}.`,
    fix: () =>
      "Give each pod more CPU (spec.runner.resources of the manifest), or share the load among more pods (--shards). A limit of the namespace may have lowered what the manifest requests: kubectl describe limitrange.",
  }),
};
export type ClusterCode = keyof typeof clusterWords;
declare module "../../schemas/contracts/finding.ts" {
  interface WordsByCode extends ClusterWords {}
}
type ClusterWords = typeof clusterWords;

/** `load --collect`: load that pods sent. */
export const cluster = door(
  { name: "cluster", words: clusterWords as WordsTable<ClusterCode> },
  { adds: { load: async () => (await import("./load-from-pods.ts")).loadFromPods } },
);
