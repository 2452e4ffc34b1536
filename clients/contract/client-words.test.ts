import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ClientCode, clientWords } from "./client-words.ts";

type DetailsOf<Code extends ClientCode> = Omit<FindingOf<Code>["details"], "requests">;

/** The sentence on a finding that was seen three times, in requests 41 and 12, and its fix. */
function said<Code extends ClientCode>(code: Code, details: DetailsOf<Code>): string {
  const seen = { count: 3, total: 8, of: "requests" };
  const finding = {
    code,
    seen,
    details: { ...details, requests: [40, 11] },
  } as never as FindingOf<ClientCode>;
  const fix = findingFix(finding, defaultWords, clientWords);
  return `${code}: ${findingText(finding, defaultWords, clientWords)}${fix === undefined ? "" : `\n  fix: ${fix}`}`;
}

// Those whose sentence has cases. After an intended change: npx vitest run clients/contract -u
test("what is said of a client", async () => {
  const lines = [
    said("sent-too-early", { seconds: 2, afterMilliseconds: 12, same: true }),
    said("sent-too-early", { seconds: 5, afterMilliseconds: 1480, same: false }),
    said("cursor-changed", { sent: "a b", given: "a+b" }),
    said("cursor-changed", { sent: "a b", given: "a b" }),
    said("walk-stopped", { category: "toys", products: 0 }),
    said("walk-stopped", { category: "toys", products: 1 }),
    said("retailer-misspelled", { slug: "a%20b", listed: "a b", how: "escaped-twice" }),
    said("message-matters", { status: 404, repeated: "another" }),
    said("several-identifiers", { names: [] }),
    said("several-identifiers", { names: ["url", "gtin"] }),
    said("type-not-json", {}),
    said("type-not-json", { contentType: "text/plain" }),
    said("repeated-refusal", { status: 404 }),
    said("not-attempted", { tasks: ["walk"] }),
    said("not-attempted", { tasks: ["look-up", "walk"] }),
    said("not-met", { unfinished: ["walk"] }),
  ];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("client-words.snapshot.txt");
});
