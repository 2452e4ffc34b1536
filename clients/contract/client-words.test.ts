import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ClientCode, clientWords } from "./client-words.ts";

type DetailsOf<Code extends ClientCode> = Omit<FindingOf<Code>["details"], "requests">;

/** A finding that was seen three times, in requests 41 and 12, with its sentence. */
function said<Code extends ClientCode>(code: Code, details: DetailsOf<Code>, text: string) {
  const seen = { count: 3, total: 8, of: "requests" };
  const finding = { code, seen, details: { ...details, requests: [40, 11] } } as never;
  return { code, finding: finding as FindingOf<ClientCode>, text };
}

// Those whose sentence has cases.
test.each([
  said(
    "sent-too-early",
    { seconds: 2, afterMilliseconds: 12, same: true },
    "After a 429 with `Retry-After: 2`, the same request was sent after 12 ms.",
  ),
  said(
    "sent-too-early",
    { seconds: 5, afterMilliseconds: 1480, same: false },
    "After a 429 with `Retry-After: 5`, another request was sent after 1.48 s.",
  ),
  said(
    "cursor-changed",
    { sent: "a b", given: "a+b" },
    "The cursor that was sent is not the one that a page gave: sent `a b`, given `a+b`.",
  ),
  said(
    "walk-stopped",
    { category: "toys", products: 0 },
    "The walk of `toys` ended at a page with no products, although its next_cursor was not empty.",
  ),
  said(
    "walk-stopped",
    { category: "toys", products: 1 },
    "The walk of `toys` ended at a page with 1 product, although its next_cursor was not empty.",
  ),
  said(
    "retailer-misspelled",
    { slug: "a%20b", listed: "a b", how: "escaped-twice" },
    "The retailer `a%20b` was searched, which no list has. It looks like `a b`, escaped twice.",
  ),
  said(
    "message-matters",
    { status: 404, repeated: "another" },
    "Requests that ended with 404 were sent again only when the message had another wording.",
  ),
  said(
    "stopped-after",
    { situation: "slow" },
    "Request 41 was among the last of the client or of one of its workers: a response after 1.5 s. It had met the same at request 12, and went on. That may be why it stopped.",
  ),
  said("several-identifiers", { names: [] }, "One request had none of `url`, `gtin` and `category`."),
  said("several-identifiers", { names: ["url", "gtin"] }, "One request had `url` and `gtin`."),
  said("type-not-json", {}, "A batch had no Content-Type."),
  said("type-not-json", { contentType: "text/plain" }, "A batch had the Content-Type `text/plain`."),
  said(
    "repeated-refusal",
    { status: 404 },
    "A request that was refused with 404 was sent 3 times, unchanged.",
  ),
  said("not-attempted", { tasks: ["walk"] }, "The client did not do the task `walk`."),
  said(
    "not-attempted",
    { tasks: ["look-up", "walk"] },
    "The client did neither of the tasks that would show it: `look-up` or `walk`.",
  ),
  said(
    "not-met",
    { unfinished: ["walk"] },
    "In the tasks that judge it, the client met no response that shows it, or stopped there: it did only a part of `walk`.",
  ),
])("$code: $text", ({ finding, text }) => {
  expect(findingText(finding, defaultWords, clientWords)).toBe(text);
  expect(findingFix(finding, defaultWords, clientWords) ?? "").toMatch(/^$|\.$/);
});
