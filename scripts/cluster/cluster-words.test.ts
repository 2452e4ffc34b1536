import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { type ClusterCode, clusterWords } from "./cluster-door.ts";

const subject = "0:1/2";

test.each<[FindingOf<ClusterCode>, string]>([
  [
    { code: "pod-result-missing", subject },
    "The result of the pod with segment 0:1/2 is missing or damaged.",
  ],
  [
    { code: "pod-result-doubled", subject, actual: 2 },
    "Segment 0:1/2 ran 2 times: the target received more load than planned.",
  ],
  [
    { code: "pod-starved", subject, actual: 812, expected: 500, unit: "ms" },
    "The iterations of the pod with segment 0:1/2 started late, most likely for want of CPU: p95 812 ms, limit 500 ms.",
  ],
])("%o in words", (finding, text) => {
  expect(findingText(finding, defaultWords, clusterWords)).toBe(text);
});
