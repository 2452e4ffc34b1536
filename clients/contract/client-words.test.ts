import { expect, test } from "vitest";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ClientCode, clientWords } from "./client-words.ts";

type DetailsOf<Code extends ClientCode> = Omit<FindingOf<Code>["details"], "requests">;

/** Details of findings of each code, with their sentences. Each was seen three times, in requests 41 and 12. */
const examples: {
  readonly [Code in ClientCode]: readonly (readonly [details: DetailsOf<Code>, text: string])[];
} = {
  "sent-too-early": [
    [
      { seconds: 2, afterMilliseconds: 12, same: true },
      "After a 429 with `Retry-After: 2`, the same request was sent after 12 ms.",
    ],
    [
      { seconds: 5, afterMilliseconds: 1480, same: false },
      "After a 429 with `Retry-After: 5`, another request was sent after 1.5 s.",
    ],
  ],
  "not-sent-again": [
    [
      { status: 429 },
      "A request that was refused with 429 was never sent again, although the task needs it.",
    ],
  ],
  "cursor-changed": [
    [
      { sent: "a b", given: "a+b" },
      "The cursor that was sent is not the one that a page gave: sent `a b`, given `a+b`.",
    ],
  ],
  "walk-stopped": [
    [
      { category: "toys", products: 0 },
      "The walk of `toys` ended at a page with no products, although its next_cursor was not empty.",
    ],
    [
      { category: "toys", products: 1 },
      "The walk of `toys` ended at a page with 1 product, although its next_cursor was not empty.",
    ],
  ],
  "asked-after-the-end": [
    [
      { category: "toys" },
      "After the empty next_cursor of `toys`, another page was requested with an empty cursor.",
    ],
  ],
  "retailer-never-listed": [
    [{ slug: "acme" }, "The retailer `acme` was searched before any list of the service had named it."],
  ],
  "retailer-misspelled": [
    [
      { slug: "a%20b", listed: "a b", how: "escaped-twice" },
      "The retailer `a%20b` was searched, which no list has. It looks like `a b`, escaped twice.",
    ],
  ],
  "retailer-has-left": [
    [
      { slug: "acme" },
      "The retailer `acme` left, its slug was refused, and it was searched again in a later round.",
    ],
  ],
  "message-matters": [
    [
      { status: 404, repeated: "another" },
      "Requests that ended with 404 were sent again only when the message had another wording.",
    ],
  ],
  "stopped-after": [
    [
      { situation: "slow" },
      "Request 41 was among the last of the client or of one of its workers: a response after 1.5 s. It had met the same at request 12, and went on. That may be why it stopped.",
    ],
  ],
  "several-identifiers": [
    [{ names: [] }, "One request had none of `url`, `gtin` and `category`."],
    [{ names: ["url", "gtin"] }, "One request had `url` and `gtin`."],
  ],
  "batch-too-large": [[{ items: 60 }, "A batch had 60 items; at most 50 are allowed."]],
  "no-key": [[{}, "A request had not the key as `Authorization: Bearer …` or `X-Api-Key: …`."]],
  "key-outside-headers": [[{ where: "query" }, "The key was in the query of a request."]],
  "browser-headers": [[{ names: ["origin"] }, "A request had `origin`, which a page in a browser sends."]],
  "body-not-json": [[{}, "The body of a batch was not JSON."]],
  "type-not-json": [
    [{}, "A batch had no Content-Type."],
    [{ contentType: "text/plain" }, "A batch had the Content-Type `text/plain`."],
  ],
  "repeated-refusal": [[{ status: 404 }, "A request that was refused with 404 was sent 3 times, unchanged."]],
  "retried-without-end": [
    [
      { status: 502, withinMilliseconds: 420 },
      "A request that ended with 502 each time was sent 3 times within 420 ms.",
    ],
  ],
  polled: [
    [
      { everyMilliseconds: 1000 },
      "The same request was sent 3 times, every 1.0 s, although no task asks for it.",
    ],
  ],
  "not-attempted": [
    [{ tasks: ["walk"] }, "The client did not do the task `walk`."],
    [
      { tasks: ["look-up", "walk"] },
      "The client did neither of the tasks that would show it: `look-up` or `walk`.",
    ],
  ],
  "not-met": [
    [
      { unfinished: ["walk"] },
      "In the tasks that judge it, the client met no response that shows it, or stopped there: it did only a part of `walk`.",
    ],
  ],
  "not-http": [
    [{ connections: 1, tls: false }, "1 connection sent bytes that are no HTTP request."],
    [{ connections: 2, tls: true }, "2 connections began with TLS: the service speaks plain HTTP."],
  ],
};

test.each(Object.entries(examples))("%s is said in these words", (code, own) => {
  for (const [details, text] of own) {
    const seen = { count: 3, total: 8, of: "requests" };
    const finding = { code, seen, details: { ...details, requests: [40, 11] } } as FindingOf<ClientCode>;
    expect(findingText(finding, defaultWords, clientWords)).toBe(text);
    expect(findingFix(finding, defaultWords, clientWords) ?? "").toMatch(/^$|\.$/);
  }
});
