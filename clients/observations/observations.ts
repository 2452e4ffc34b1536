import { mostBatchItems } from "../../schemas/api.ts";
import { clientTaskNames } from "../contract/client-findings.ts";
import { behaviourByMessage, endlessRetries, productsPolled, repeatedRefusals } from "./errors.ts";
import {
  bodiesThatAreNotJson,
  browserRequests,
  keysOutsideHeaders,
  largeBatches,
  otherThanOneIdentifier,
  requestsWithoutKey,
  typesThatAreNotJson,
} from "./form.ts";
import type { ClientObservation } from "./observation.ts";
import { changedCursors, stoppedWalks, walksBeyondTheEnd } from "./pages.ts";
import { retailersThatLeft, unlistedRetailers } from "./retailers.ts";
import { goesOnAfter } from "./stops.ts";
import { refusalsWithoutRepetition, requestsDuringWaits } from "./waits.ts";

/** What decides each requirement on clients: the requests alone, their times, bytes, headers and order. */
export const observations: readonly ClientObservation[] = [
  {
    id: "service.json-requests/body",
    title: "The body of a batch is JSON",
    tasks: ["batch"],
    look: bodiesThatAreNotJson,
  },
  {
    id: "service.request-content-type/batch",
    title: "The Content-Type of a batch is application/json",
    tasks: ["batch"],
    look: typesThatAreNotJson,
  },
  {
    id: "service.freshness/no-polling",
    title: "No product is requested again and again at a fixed interval",
    tasks: ["look-up", "walk"],
    look: productsPolled,
  },
  {
    id: "service.server-side-only/no-browser",
    title: "No request has the headers of a web page in a browser",
    tasks: clientTaskNames,
    look: browserRequests,
  },
  {
    id: "product.tolerant-reader/goes-on",
    title: "Products with fewer or with other fields do not stop the client",
    tasks: ["look-up", "walk"],
    look: goesOnAfter(["fields-omitted", "fields-added"]),
  },
  {
    id: "retailer.no-hard-coding/listed",
    title: "Retailers are taken from the list of the service",
    tasks: ["search-retailers"],
    look: unlistedRetailers,
  },
  {
    id: "retailer.no-hard-coding/after-leaving",
    title: "A retailer that has left is searched no more",
    tasks: ["search-retailers"],
    look: retailersThatLeft,
  },
  {
    id: "page.opaque-cursor/unchanged",
    title: "Each cursor is one that a page gave, byte for byte",
    tasks: ["walk"],
    look: changedCursors,
  },
  {
    id: "error-body.wording/goes-on",
    title: "An error whose message has another wording does not stop the client",
    tasks: ["look-up"],
    look: goesOnAfter(["message-changed"]),
  },
  {
    id: "query.one-identifier/one",
    title: "Each request has exactly one of url, gtin and category",
    tasks: ["look-up", "walk", "search-retailers"],
    look: otherThanOneIdentifier,
  },
  {
    id: "query.follow-cursor/to-the-end",
    title: "A walk follows next_cursor until it is empty, past short and empty pages",
    tasks: ["walk"],
    look: stoppedWalks,
  },
  {
    id: "query.follow-cursor/stops",
    title: "A walk ends at the empty next_cursor",
    tasks: ["walk"],
    look: walksBeyondTheEnd,
  },
  {
    id: "batch.most-items/at-most-50",
    title: `No batch has more than ${mostBatchItems} items`,
    tasks: ["batch"],
    look: largeBatches,
  },
  {
    id: "authentication.key-in-header/sent",
    title: "Each request has the key in one of the two headers",
    tasks: clientTaskNames,
    look: requestsWithoutKey,
  },
  {
    id: "authentication.key-in-header/nowhere-else",
    title: "The key is in no URL and in no body",
    tasks: clientTaskNames,
    look: keysOutsideHeaders,
  },
  {
    id: "errors.branch-on-code/same-behaviour",
    title: "Errors with the same code are treated alike, whatever their message",
    tasks: ["look-up"],
    look: behaviourByMessage,
  },
  {
    id: "errors.final-refusals/not-repeated",
    title: "A request that 400, 401, 403 or 404 refused is not sent again unchanged",
    tasks: ["look-up"],
    look: repeatedRefusals,
  },
  {
    id: "errors.patient-retries/gives-up",
    title: "A request that keeps failing with 502 is given up after some attempts",
    tasks: ["look-up"],
    look: endlessRetries,
  },
  {
    id: "limits.respect/waits",
    title: "After a 429, no request is sent before the seconds of Retry-After are over",
    tasks: ["look-up", "walk", "batch", "keep-looking-up"],
    look: requestsDuringWaits,
  },
  {
    id: "limits.sent-again/after-the-wait",
    title: "A refused request is sent again after the wait",
    tasks: ["look-up", "walk", "batch"],
    look: refusalsWithoutRepetition,
  },
];
