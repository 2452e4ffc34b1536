import type { Redaction } from "../../conformance/client/redaction.ts";
import { type CheckId, requirementOf, requirements } from "../../conformance/requirements/all.ts";
import { type Level, sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../../conformance/requirements/verdict.ts";
import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { CheckResult, RequirementResult } from "../../schemas/contracts/results.ts";
import { given, jsonIn } from "../../schemas/json.ts";
import type { ClientCode } from "../contract/client-words.ts";
import { clientTaskNames, type TaskProgress } from "../contract/tasks.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import {
  behaviourByMessage,
  endlessRetries,
  refusalsWithoutRepetition,
  repeatedRefusals,
  requestsDuringWaits,
} from "./errors.ts";
import {
  type ClientFinding,
  type ClientObservation,
  type ClientRun,
  type OwnDetails,
  observed,
} from "./observation.ts";
import { changedCursors, stoppedWalks, walksBeyondTheEnd } from "./pages.ts";
import { goesOnAfter, progressOf } from "./progress.ts";
import { retailersThatLeft, unlistedRetailers } from "./retailers.ts";
import { evidenceFrom } from "./shown-requests.ts";

/** Looks at each of some requests: its details, if it has the flaw. */
function each<Code extends ClientCode>(
  code: Code,
  isOne: (exchange: ClientExchange) => boolean,
  flawOf: (exchange: ClientExchange, run: ClientRun) => OwnDetails<Code> | undefined,
): ClientObservation["look"] {
  return (run) => {
    const all = run.exchanges.filter(isOne);
    const flaws = all.flatMap((exchange) => {
      const details = flawOf(exchange, run);
      return details === undefined ? [] : [{ ...details, requests: [exchange.index] }];
    });
    return observed(code, all.length, flaws);
  };
}

const isBatch = ({ kind }: ClientExchange) => kind === "batch";
const isQuery = ({ request: { path, query } }: ClientExchange) => path === "/v1/products" && query !== "";
// Whether a server is there at all may be tried without a key.
const isOfApi = ({ request }: ClientExchange) => request.path.startsWith("/v1/");
const isAny = () => true;

/** Only a page in a browser has these. Node's fetch sends `sec-fetch-mode` too, so that one says nothing. */
const browserHeaders = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"];

const withoutKeys = Object.fromEntries(Object.values(keyHeaders).map((name) => [name.toLowerCase(), ""]));

function hasKey({ request: { headers } }: ClientExchange, key: string): boolean {
  const [scheme, bearer] = (headers[keyHeaders.bearer.toLowerCase()] ?? "").split(/ +/);
  return (
    (scheme?.toLowerCase() === "bearer" && bearer === key) || headers[keyHeaders.plain.toLowerCase()] === key
  );
}

/** What decides each requirement on clients: the requests alone, their times, bytes, headers and order. */
const rows = {
  "service.json-requests/body": {
    title: "The body of a batch is JSON",
    tasks: ["batch"],
    look: each("body-not-json", isBatch, ({ request }) =>
      jsonIn(request.body.toString()) === undefined ? {} : undefined,
    ),
  },
  "service.request-content-type/batch": {
    title: "The Content-Type of a batch is application/json",
    tasks: ["batch"],
    look: each("type-not-json", isBatch, ({ request: { headers } }) => {
      const contentType = headers["content-type"];
      return /^application\/json *(?:;|$)/i.test(contentType ?? "") ? undefined : given({ contentType });
    }),
  },
  "service.server-side-only/no-browser": {
    title: "No request has the headers of a web page in a browser",
    tasks: clientTaskNames,
    look: each("browser-headers", isAny, ({ request: { headers } }) => {
      const names = browserHeaders.filter((name) => headers[name] !== undefined);
      return names.length === 0 ? undefined : { names };
    }),
  },
  "product.tolerant-reader/goes-on": {
    title: "Products with fewer or with other fields do not stop the client",
    tasks: ["look-up", "walk"],
    look: goesOnAfter(["fields-omitted", "fields-added"]),
  },
  "retailer.no-hard-coding/listed": {
    title: "Retailers are taken from the list of the service",
    tasks: ["search-retailers"],
    look: unlistedRetailers,
  },
  "retailer.no-hard-coding/after-leaving": {
    title: "A retailer that has left is searched no more",
    tasks: ["search-retailers"],
    look: retailersThatLeft,
  },
  "page.opaque-cursor/unchanged": {
    title: "Each cursor is one that a page gave, byte for byte",
    tasks: ["walk"],
    look: changedCursors,
  },
  "error-body.wording/goes-on": {
    title: "An error whose message has another wording does not stop the client",
    tasks: ["look-up"],
    look: goesOnAfter(["message-changed"]),
  },
  "query.one-identifier/one": {
    title: "Each request has exactly one of url, gtin and category",
    tasks: ["look-up", "walk", "search-retailers"],
    look: each("several-identifiers", isQuery, ({ modes }) =>
      modes.length === 1 ? undefined : { names: [...modes] },
    ),
  },
  "query.follow-cursor/to-the-end": {
    title: "A walk follows next_cursor until it is empty, past short and empty pages",
    tasks: ["walk"],
    look: stoppedWalks,
  },
  "query.follow-cursor/stops": {
    title: "A walk ends at the empty next_cursor",
    tasks: ["walk"],
    look: walksBeyondTheEnd,
  },
  "batch.most-items/at-most-50": {
    title: `No batch has more than ${mostBatchItems} items`,
    tasks: ["batch"],
    look: each("batch-too-large", isBatch, ({ items }) =>
      items.length > mostBatchItems ? { items: items.length } : undefined,
    ),
  },
  "authentication.key-in-header/sent": {
    title: "Each request has the key in one of the two headers",
    tasks: clientTaskNames,
    look: each("no-key", isOfApi, (exchange, { key }) => (hasKey(exchange, key) ? undefined : {})),
  },
  "authentication.key-in-header/nowhere-else": {
    title: "The key is in no URL, in no body and in no other header",
    tasks: clientTaskNames,
    look: each("key-outside-headers", isAny, ({ request }, { key }) => {
      const { path, query, body, headers } = request;
      const parts = Object.entries({ ...headers, ...withoutKeys, path, query, body });
      const found = parts.find(([, text]) => text.includes(key));
      return found && { where: found[0] };
    }),
  },
  "errors.branch-on-code/same-behaviour": {
    title: "Errors with the same code are treated alike, whatever their message",
    tasks: ["look-up"],
    look: behaviourByMessage,
  },
  "errors.final-refusals/not-repeated": {
    title: "A request that 400, 401, 403 or 404 refused is not sent again unchanged",
    tasks: ["look-up"],
    look: repeatedRefusals,
  },
  "errors.patient-retries/gives-up": {
    title: "A request that keeps failing with 502 is given up after some attempts",
    tasks: ["look-up"],
    look: endlessRetries,
  },
  "limits.respect/waits": {
    title: "After a 429, no request is sent before the seconds of Retry-After are over",
    tasks: ["look-up", "walk", "batch", "keep-looking-up"],
    look: requestsDuringWaits,
  },
  "limits.sent-again/after-the-wait": {
    title: "A refused request is sent again after the wait",
    tasks: ["look-up", "walk", "batch"],
    look: refusalsWithoutRepetition,
  },
} as const satisfies Partial<Record<CheckId, Omit<ClientObservation, "id">>>;

export const observations = Object.entries(rows).map(
  ([id, row]): ClientObservation => ({ id: id as CheckId, ...row }),
);

/** The verdict of each requirement that the tasks of a run can judge, and the number of all on clients. */
export function judgeClient(run: ClientRun, redaction: Redaction) {
  const progress = progressOf(run);
  const checkOf = ({ id, title, tasks, look }: ClientObservation, level: Level): CheckResult => {
    const { chances, finding, reason } = look(run);
    const outcome = chances > 0 ? "pass" : "inconclusive";
    const verdict = finding === undefined ? outcome : verdictOf(level, "fail");
    const why = finding ?? reason ?? notMet(progress.filter((task) => tasks.includes(task.do)));
    const evidence = finding === undefined ? [] : evidenceFrom(finding, run, redaction);
    return { id, title, verdict, findings: verdict === "pass" ? [] : [why], evidence };
  };
  const isSet = (one: ClientObservation) => run.tasks.some((task) => one.tasks.includes(task.do));
  const inScope = Map.groupBy(observations.filter(isSet), ({ id }) => requirementOf(id));
  const judged = requirements.flatMap(({ id, level, statement }): RequirementResult[] => {
    const checks = inScope.get(id)?.map((observation) => checkOf(observation, level));
    if (checks === undefined) return [];
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return [{ id, section: sections[sectionOf(id)], level, statement, verdict, checks }];
  });
  return { requirements: judged, of: new Set(observations.map(({ id }) => requirementOf(id))).size };
}

function notMet(own: readonly TaskProgress[]): ClientFinding {
  const namesOf = (tasks: readonly TaskProgress[]) => tasks.map((task) => task.do);
  if (own.every(({ done }) => done === 0)) return { code: "not-attempted", details: { tasks: namesOf(own) } };
  const unfinished = namesOf(own.filter(({ done, of }) => done > 0 && done < of));
  return { code: "not-met", details: { unfinished } };
}
