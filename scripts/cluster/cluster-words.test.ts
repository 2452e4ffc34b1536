import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { type ClusterCode, clusterWords } from "./cluster-door.ts";

const subject = "0:1/2";
const range = (least: number, most: number) => ({ details: { least, most } });

test.each<[FindingOf<ClusterCode>, string]>([
  [
    { code: "pod-result-missing", subject },
    "The result of the pod with segment 0:1/2 is missing or damaged.",
  ],
  [
    { code: "pod-result-doubled", subject, actual: 2 },
    "2 pods ran segment 0:1/2: the target received more load than planned.",
  ],
  [
    { code: "pod-starved", subject, actual: 812, expected: 500, unit: "ms" },
    "The pod with segment 0:1/2 was short of CPU: its iterations started late, p95 812 ms, limit 500 ms.",
  ],
  [
    { code: "pod-totals", seen: { count: 4, of: "pods" }, ...range(2498, 2502) },
    "4 pods: 2,498 to 2,502 requests each.",
  ],
  [{ code: "pod-totals", seen: { count: 1, of: "pods" }, ...range(60, 60) }, "1 pod: 60 requests."],
])("%o in words", (finding, text) => {
  expect(findingText(finding, defaultWords, clusterWords)).toBe(text);
});
