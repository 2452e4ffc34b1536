import { describe, expect, test } from "vitest";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ClientCode, clientWords } from "./client-words.ts";

type Example<Code extends Finding["code"]> = Omit<FindingOf<Code>, "code">;

const requests = [4, 5];
const once = { seen: { count: 1, total: 8, of: "requests" } } as const;
const often = { seen: { count: 3, total: 8, of: "requests" } } as const;

/** Findings of each code, with their sentences. */
const examples: {
  readonly [Code in ClientCode]: readonly (readonly [Example<Code>, string])[];
} = {
  "sent-too-early": [
    [
      { ...once, details: { requests, seconds: 2, afterMilliseconds: 12, same: true } },
      "After a 429 with `Retry-After: 2`, the same request was sent after 12 ms.",
    ],
    [
      { ...often, details: { requests, seconds: 5, afterMilliseconds: 1480, same: false } },
      "After a 429 with `Retry-After: 5`, another request was sent after 1.5 s. 3 of 8 requests (37.5 %) came too early.",
    ],
  ],
  "not-sent-again": [
    [
      { ...once, details: { requests, status: 429 } },
      "A request that was refused with 429 was never sent again, although the task needs it.",
    ],
  ],
  "cursor-changed": [
    [
      { ...once, details: { requests, sent: "a b", given: "a+b" } },
      "The cursor that was sent is not the one that a page gave: sent `a b`, given `a+b`.",
    ],
  ],
  "walk-stopped": [
    [
      { ...once, details: { requests, category: "toys", products: 0 } },
      "The walk of `toys` ended at a page with no products, although its next_cursor was not empty.",
    ],
    [
      { ...once, details: { requests, category: "toys", products: 1 } },
      "The walk of `toys` ended at a page with 1 product, although its next_cursor was not empty.",
    ],
  ],
  "asked-after-the-end": [
    [
      { ...once, details: { requests, category: "toys" } },
      "After the empty next_cursor of `toys`, another page was requested with an empty cursor.",
    ],
  ],
  "retailer-never-listed": [
    [
      { ...once, details: { requests, slug: "acme" } },
      "The retailer `acme` was searched before any list of the service had named it.",
    ],
  ],
  "retailer-misspelled": [
    [
      { ...once, details: { requests, slug: "a%20b", listed: "a b", how: "escaped-twice" } },
      "The retailer `a%20b` was searched, which no list has. It looks like `a b`, escaped twice.",
    ],
  ],
  "retailer-has-left": [
    [
      { ...often, details: { requests, slug: "acme" } },
      "The retailer `acme` left, its slug was refused, and it was searched again in a later round: 3 of 8 searches (37.5 %).",
    ],
  ],
  "message-matters": [
    [
      { ...once, details: { requests, status: 404, repeated: "other" } },
      "Requests that ended with 404 were sent again only when the message had another wording.",
    ],
    [
      { ...once, details: { requests, status: 429, repeated: "usual" } },
      "Requests that ended with 429 were sent again only when the message had its usual wording.",
    ],
  ],
  "stopped-after": [
    [
      { details: { requests: [40], situation: "fields-omitted" } },
      "Request 41 was among the last of the client or of one of its workers: products with few of their fields. That may be why it stopped.",
    ],
    [
      { details: { requests: [40, 11], situation: "slow" } },
      "Request 41 was among the last of the client or of one of its workers: a response after 1.5 s. It had met the same at request 12, and went on. That may be why it stopped.",
    ],
  ],
  "several-identifiers": [
    [{ ...once, details: { requests, names: [] } }, "One request had none of `url`, `gtin` and `category`."],
    [{ ...once, details: { requests, names: ["url", "gtin"] } }, "One request had `url` and `gtin`."],
  ],
  "batch-too-large": [
    [{ ...once, details: { requests, items: 60 } }, "A batch had 60 items; at most 50 are allowed."],
  ],
  "no-key": [
    [
      { ...often, details: { requests } },
      "3 of 8 requests (37.5 %) had not the key as `Authorization: Bearer …` or `X-Api-Key: …`.",
    ],
  ],
  "key-outside-headers": [
    [{ ...once, details: { requests, where: "query" } }, "The key was in the query of a request."],
  ],
  "browser-headers": [
    [
      { ...once, details: { requests, names: ["origin"] } },
      "A request had `origin`, which a page in a browser sends.",
    ],
  ],
  "body-not-json": [[{ ...once, details: { requests } }, "The body of a batch was not JSON."]],
  "type-not-json": [
    [{ ...once, details: { requests } }, "A batch had no Content-Type."],
    [
      { ...once, details: { requests, contentType: "text/plain" } },
      "A batch had the Content-Type `text/plain`.",
    ],
  ],
  "repeated-refusal": [
    [
      { ...often, details: { requests, status: 404 } },
      "A request that was refused with 404 was sent 3 times, unchanged.",
    ],
  ],
  "retried-without-end": [
    [
      {
        seen: { count: 31, total: 40, of: "requests" },
        details: { requests, status: 502, withinMilliseconds: 420 },
      },
      "A request that ended with 502 each time was sent 31 times within 420 ms.",
    ],
  ],
  polled: [
    [
      { ...often, details: { requests, everyMilliseconds: 1000 } },
      "The same request was sent 3 times, every 1.0 s, although no task asks for it.",
    ],
  ],
  "not-attempted": [
    [{ details: { tasks: ["walk"] } }, "The client did not do the task `walk`."],
    [
      { details: { tasks: ["look-up", "walk"] } },
      "The client did neither of the tasks that would show it: `look-up` or `walk`.",
    ],
  ],
  "not-met": [
    [
      { details: { tasks: ["walk"] } },
      "In the tasks that judge it, the client met no response that shows it, or stopped there: it did only a part of `walk`.",
    ],
    [
      { details: { tasks: [] } },
      "In the tasks that judge it, the client met no response that shows it, or stopped there.",
    ],
  ],
  "not-http": [
    [{ details: { connections: 1, tls: false } }, "1 connection sent bytes that are no HTTP request."],
    [
      { details: { connections: 2, tls: true } },
      "2 connections began with TLS: the service speaks plain HTTP.",
    ],
  ],
};

describe.each(Object.entries(examples))("%s", (code, own) => {
  test("is said in these words", () => {
    for (const [fields, text] of own) {
      const finding = { code, ...fields } as FindingOf<ClientCode>;
      expect(findingText(finding, defaultWords, clientWords)).toBe(text);
      expect(findingFix(finding, defaultWords, clientWords) ?? "").toMatch(/^$|\.$/);
    }
  });
});
