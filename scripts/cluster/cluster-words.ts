import { says } from "../../schemas/words/finding-words.ts";
import { between, counted, grouped, listed, milliseconds, minute } from "../../schemas/words/format.ts";

/** The segment of a pod, or the id of a run. */
interface Named {
  subject: string;
}

/** The lowest and the highest value of all pods. */
interface PodRange {
  least: number;
  most: number;
}

function rangeOf({ least, most }: PodRange, text: (value: number) => string): string {
  return least === most ? text(least) : `${text(least)} to ${text(most)}`;
}

/** The words of what the logs of pods show. */
export const clusterWords = {
  "pod-result-missing": says<Named>({
    text: ({ subject }) => `The result of the pod with segment ${subject} is missing or damaged.`,
    fix: () =>
      "Check that the pod ran to its end (kubectl get pods), and collect its log again, whole and unchanged (kubectl logs --tail=-1).",
  }),
  "pod-result-doubled": says<Named & { actual: number }>({
    text: ({ subject, actual }) =>
      `${counted(actual, "pod")} ran segment ${subject}: the target received more load than planned.`,
    fix: () => "Check whether the pod was restarted, and run it again; collect the logs of one run only.",
  }),
  "pod-starved": says<Named & { actual: number; expected: number }>({
    text: ({ subject, actual, expected }) =>
      `The pod with segment ${subject} was short of CPU: its iterations started late, p95 ${milliseconds(actual)}, limit ${milliseconds(expected)}.`,
    fix: () =>
      "Give each pod more CPU (--pod-cpu), or share the load among more pods (--shards). A limit of the namespace may have lowered what the manifest requests: kubectl describe limitrange.",
  }),
  "pod-totals": says<{ details: { requests: PodRange; lateMilliseconds?: PodRange | undefined } }>({
    text: ({ seen, details: { requests, lateMilliseconds: late } }) =>
      `${counted(seen?.count ?? 0, "pod")}: ${rangeOf(requests, grouped)} requests each${late === undefined ? "" : `, iterations late by ${rangeOf(late, milliseconds)} (p95)`}.`,
  }),
  "pods-of-other-runs": says<Named & { details: { runs: string[] } }>({
    text: ({ subject, seen, details: { runs } }) =>
      `Among the logs are those of ${counted(seen?.count ?? 0, "pod")} of another run than ${subject}: ${listed(runs)}.`,
    fix: () => "Collect the logs of one run only.",
  }),
  "pods-ended": says<Named & { details: { endedAt: string; collectedAt: string } }>({
    text: ({ subject, details: { endedAt, collectedAt } }) =>
      `The pods of run ${subject} ended at ${minute(endedAt)}, ${between(endedAt, collectedAt)} before their logs were collected.`,
  }),
};
export type ClusterCode = keyof typeof clusterWords;
declare module "../../schemas/contracts/words.ts" {
  interface WordsByCode extends ClusterWords {}
}
type ClusterWords = typeof clusterWords;
