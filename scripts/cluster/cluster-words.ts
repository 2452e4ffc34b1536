import { says } from "../../schemas/words/finding-words.ts";
import {
  between,
  capitalized,
  counted,
  grouped,
  listed,
  milliseconds,
  minute,
  outOf,
} from "../../schemas/words/format.ts";

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
    text: ({ subject, seen }) =>
      `The result of the pod with segment ${subject} is ${seen === undefined ? "missing" : `incomplete: ${outOf(seen.count, seen.total ?? 0, "line")} are missing or damaged`}.`,
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
  "pod-not-as-planned": says<Named & { details: { differs: string[] } }>({
    text: ({ subject, details, seen }) =>
      `${seen === undefined ? "A pod" : capitalized(outOf(seen.count, seen.total ?? 1, "pod"))} did not run what was planned: that with segment ${subject} differs in ${listed(details.differs.map((name) => JSON.stringify(name)))}.`,
    fix: () => "Collect the logs of one run only, and create its manifests as they were written together.",
  }),
  "pods-ended": says<Named & { details: { endedAt: string; collectedAt: string; compared: boolean } }>({
    text: ({ subject, details: { endedAt, collectedAt, compared } }) =>
      `The pods of run ${subject} ended at ${minute(endedAt)}, ${between(endedAt, collectedAt)} before their logs were collected.${compared ? "" : " They were not compared with a plan: name the manifest of the run (--plan)."}`,
  }),
};
export type ClusterCode = keyof typeof clusterWords;
declare module "../../schemas/contracts/words.ts" {
  interface WordsByCode extends ClusterWords {}
}
type ClusterWords = typeof clusterWords;
