import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ClusterCode, clusterWords } from "./cluster-words.ts";

const segment = "0:1/2";
const times = { endedAt: "2026-11-25T09:00:00Z", collectedAt: "2026-11-25T12:02:00Z" };

test.each<[FindingOf<ClusterCode>, string, string | undefined]>([
  [
    { code: "pod-result-missing", subject: segment },
    "The result of the pod with segment 0:1/2 is missing or damaged.",
    "Check that the pod ran to its end (kubectl get pods), and collect its log again, whole and unchanged (kubectl logs --tail=-1).",
  ],
  [
    { code: "pod-result-doubled", subject: segment, actual: 2 },
    "2 pods ran segment 0:1/2: the target received more load than planned.",
    "Check whether the pod was restarted, and run it again; collect the logs of one run only.",
  ],
  [
    { code: "pod-starved", subject: segment, actual: 812, expected: 500, unit: "ms" },
    "The pod with segment 0:1/2 was short of CPU: its iterations started late, p95 812 ms, limit 500 ms.",
    "Give each pod more CPU (--pod-cpu), or share the load among more pods (--shards). A limit of the namespace may have lowered what the manifest requests: kubectl describe limitrange.",
  ],
  [
    {
      code: "pod-totals",
      seen: { count: 4, of: "pods" },
      details: { requests: { least: 2498, most: 2502 }, lateMilliseconds: { least: 3, most: 12 } },
    },
    "4 pods: 2,498 to 2,502 requests each, iterations late by 3 ms to 12 ms (p95).",
    undefined,
  ],
  [
    { code: "pod-totals", seen: { count: 1, of: "pods" }, details: { requests: { least: 60, most: 60 } } },
    "1 pod: 60 requests each.",
    undefined,
  ],
  [
    {
      code: "pods-of-other-runs",
      subject: "5f1c",
      seen: { count: 2, total: 6, of: "pods" },
      details: { runs: ["a1", "b2"] },
    },
    "Among the logs are those of 2 pods of another run than 5f1c: a1 and b2.",
    "Collect the logs of one run only.",
  ],
  [
    { code: "pods-ended", subject: "5f1c", details: times },
    "The pods of run 5f1c ended at 2026-11-25 09:00 UTC, 3 h 2 min before their logs were collected.",
    undefined,
  ],
])("%o in words", (finding, text, fix) => {
  expect(findingText(finding, defaultWords, clusterWords)).toBe(text);
  expect(findingFix(finding, defaultWords, clusterWords)).toBe(fix);
});
