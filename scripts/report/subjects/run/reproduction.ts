import { retryAfterHeader, retryAfterSeconds } from "../../../../schemas/api.ts";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { capitalized, counted, grouped, statusName } from "../../../../schemas/words/format.ts";
import type { ShownCheck } from "./requirements.ts";

// How a finding is reproduced by hand. One request is often not enough: a limit needs a burst, a race needs others.

/** A step of a ticket: what to do, with its command, and what came of it. */
export interface ReproductionStep {
  readonly text: string;
  readonly command?: string;
  /** The status that this command got in the run. */
  readonly got?: string;
}

/**
 * What a finding takes besides its request. `none` is shown by one request alone.
 * - `burst`: it occurs while the rate limit is exceeded
 * - `refusal`: it occurs once the rate limit was exceeded
 * - `together`: it occurs only while other requests are under way
 * - `sometimes`: the same request does not always show it
 * - `paging`: it shows only over all pages
 */
type Need = "none" | "burst" | "refusal" | "together" | "sometimes" | "paging";

const limitCodes: ReadonlySet<Finding["code"]> = new Set([
  "refused-after-wait",
  "limit-shared",
  "limit-per-key",
  "limit-per-header",
]);

function needOf(
  { attempts }: ShownCheck,
  { code, condition, seen, details, endpoint, from, afterRefusal }: Finding,
  { response: { status }, turns, beside = [], page }: Evidence,
  isUnsteady: boolean,
): Need {
  const isOfLimit = limitCodes.has(code) || condition === "burst";
  const own = (details as { readonly status?: number } | undefined)?.status;
  if (isOfLimit || status === 429 || own === 429) return "burst";
  if (afterRefusal !== undefined) return "refusal";
  // A page of a walk is not sent with others: its cursor may have expired.
  if (condition === "at-once" || (beside.length > 0 && page === undefined)) return "together";
  if (pagingCodes.has(code) && endpoint === "category-page") return "paging";
  const isRare =
    code === "false-not-found" ||
    code === "instances-differ" ||
    isUnsteady ||
    from?.answers !== undefined ||
    turns !== undefined ||
    (seen?.total !== undefined && seen.of === "requests" && seen.count < seen.total);
  return isRare || attempts !== undefined ? "sometimes" : "none";
}

const pagingCodes: ReadonlySet<Finding["code"]> = new Set([
  "item-missing",
  "item-repeated",
  "item-unexpected",
  "paging-never-ends",
]);

/** Requests that a burst by hand sends, and how many of them at once, as the check does. */
const burstRequests = 600;
const burstAtOnce = 50;
/** Exchanges of a check that become steps. */
const mostSteps = 4;
/**
 * The steps for the first finding of these checks; none without an exchange.
 * @param isUnsteady Whether the run saw the same request get different responses
 */
export function reproductionSteps(
  checks: readonly ShownCheck[],
  { baseUrl, isUnsteady = false }: { readonly baseUrl: string; readonly isUnsteady?: boolean },
): ReproductionStep[] {
  const check = checks.find(({ evidence }) => evidence.length > 0);
  const [first] = check?.evidence ?? [];
  if (check === undefined || first === undefined) return [];
  const [finding] = check.found;
  const { leftBy } = finding?.data ?? {};
  const kept = leftBy === undefined ? undefined : check.evidence[leftBy];
  // A cursor of the run may be unknown to the service by now.
  const filler = kept?.request.url.includes("cursor=") ? undefined : kept;
  const steps = stepsOf(check, first, isUnsteady);
  const ofList = listCodes.has(finding?.data.code ?? "")
    ? listStep(check.evidence[finding?.data.exchange ?? 0] ?? first, `${baseUrl}/retailers`)
    : [];
  const known = finding === undefined ? [] : knownStep(first, finding.data);
  return [...(filler === undefined ? [] : [fillStep(filler)]), ...known, ...steps, ...ofList];
}

/** The value of which the request has a changed one. */
function knownStep(
  { request, curl }: Evidence,
  { condition, subject, details }: Finding,
): ReproductionStep[] {
  const { instead } = (details ?? {}) as { readonly instead?: unknown };
  if (condition !== "changed-value" || subject === undefined || typeof instead !== "string") return [];
  const [url, flags] = partsOf(curl);
  const known = url.replace(encodeURIComponent(subject), encodeURIComponent(instead).replaceAll("'", "%27"));
  return request.method !== "GET" || known === url
    ? []
    : [
        {
          text: "Send this first, with the value as it is in the catalog:",
          command: `curl ${known} ${flags}`,
        },
      ];
}

/** A cache may have had the response from another request; without it, the next ones may be right. */
function fillStep(filler: Evidence): ReproductionStep {
  return {
    text: "Send this first, as the run did. It got the response that the next request got as well, so a cache may have kept it:",
    command: filler.curl,
    got: gotText(filler),
  };
}

/** Failures that only the list of retailers shows, of the key of the request. */
const listCodes: ReadonlySet<string> = new Set([
  "not-granted",
  "retailer-not-listed",
  "listed-retailer-refused",
] satisfies Finding["code"][]);

function listStep({ request, curl }: Evidence, url: string): ReproductionStep[] {
  if (request.method !== "GET" || request.url === url) return [];
  const flags = withoutHead(` ${partsOf(curl)[1]}`);
  return [{ text: "The retailers of this key, for comparison:", command: `curl '${url}'${flags}` }];
}

function stepsOf(check: ShownCheck, first: Evidence, isUnsteady: boolean): ReproductionStep[] {
  const [finding] = check.found;
  const shown = finding === undefined ? [first] : shownBy(check, finding.data);
  const [main = first] = shown;
  const failing = check.evidence[finding?.data.exchange ?? 0] ?? main;
  const need = finding === undefined ? "none" : needOf(check, finding.data, failing, isUnsteady);
  switch (need) {
    case "none":
      return inOrder(shown);
    case "burst":
      return atLimit(
        shown,
        check.evidence[finding?.data.comparedWith ?? -1] ?? main,
        finding?.data.code === "refused-after-wait",
      );
    case "refusal":
      return [
        {
          text: `It failed only after a request had been refused with 429. Exceed the limit with ${grouped(burstRequests)} requests, ${burstAtOnce} at once. Each line is how often a status and its Retry-After came:`,
          command: burst(failing, "burst", burstRequests),
        },
        ...inOrder(shown, "After that wait, "),
      ];
    case "together":
      return [
        ...inOrder(shown),
        {
          text: `${oftenText(failing, finding?.data)}Other requests were under way when it failed. Send it many times together with them. Each line is how often a response to it came, its length, and its beginning:`,
          command: together(failing),
        },
      ];
    case "paging":
      return pagingSteps(shown, main, finding?.data);
    case "sometimes":
      return [
        ...inOrder(shown),
        {
          text: `${oftenText(failing, finding?.data)}Send ${failing.page === undefined ? "it" : "the first page of that category"} many times. Each line is how often a response came, its length, and its beginning:`,
          command: manyTimes(failing),
        },
        // Which of two that were compared comes and goes is not known.
        ...shown
          .filter((one) => one !== failing)
          .map((one) => ({ text: "The same with what it was compared with:", command: manyTimes(one) })),
      ];
    default:
      return need satisfies never;
  }
}

/** The exchanges that a finding is about, in the order in which they were sent. */
function shownBy({ evidence }: ShownCheck, { exchange = 0, comparedWith, condition }: Finding): Evidence[] {
  const own =
    condition === "after-refusal" || condition === "in-turn"
      ? evidence
      : [comparedWith, exchange].flatMap((at) => (at === undefined ? [] : (evidence[at] ?? [])));
  return [...new Set(own)].toSorted((a, b) => sentAt(a) - sentAt(b)).slice(0, mostSteps);
}

function sentAt({ startedAt }: Evidence): number {
  return startedAt === undefined ? 0 : Date.parse(startedAt);
}

function inOrder(exchanges: readonly Evidence[], begin = ""): ReproductionStep[] {
  return exchanges.map((exchange, at) => ({
    ...requestStep(exchange, at === 0 ? begin : "Then "),
    got: gotText(exchange),
  }));
}

/** A page by the way to it: its cursor may have expired, or belong to a service that was started anew. */
function requestStep(exchange: Evidence, begin: string): ReproductionStep {
  const { request, page, curl, cursorFrom } = exchange;
  if (cursorFrom !== undefined)
    return {
      text: "Get a cursor with one key and send it with the other, which takes `jq`:",
      command: [
        `cursor=$(${withoutHead(cursorFrom)} | jq -r '.meta.next_cursor | @uri')`,
        `curl '${firstPage(request.url)}'"&cursor=$cursor" ${partsOf(curl)[1]}`,
      ].join("\n"),
    };
  if (page === undefined) {
    const hasCursor = URL.parse(request.url)?.searchParams.get("cursor");
    const fresh = hasCursor ? ", with the cursor of another page if this one has expired" : "";
    return { text: capitalized(`${begin}send${fresh}:`), command: curl };
  }
  return {
    text: capitalized(`${begin}walk to page ${page} of the category, which takes \`jq\`:`),
    command: [...walk(exchange, { most: page }), `printf '%s\\n' "$body"`].join("\n"),
  };
}

/** The seconds of Retry-After. Only digits: the header comes from the target, and the command is for a shell. */
function secondsOf({ response }: Evidence): number | undefined {
  const name = retryAfterHeader.toLowerCase();
  const [, value] = Object.entries(response.headers).find(([header]) => header.toLowerCase() === name) ?? [];
  return retryAfterSeconds(value);
}

function gotText({ response: { status } }: Evidence): string {
  return `The run got ${statusName(status)}.`;
}

function oftenText({ turns }: Evidence, finding: Finding | undefined): string {
  const { seen } = finding ?? {};
  if (turns !== undefined)
    return `It failed ${turns.same} of ${counted(turns.same + turns.other, "time")} in the run. `;
  return seen?.total === undefined
    ? "It does not fail each time. "
    : `It failed in ${seen.count} of ${counted(seen.total, "request")}. `;
}

/** A walk that is longer than this does not end. */
const mostPages = 100;

/** Walks through the category in the pages of the finding, and in those that it was compared with. */
function pagingSteps(shown: readonly Evidence[], main: Evidence, finding?: Finding): ReproductionStep[] {
  const { product, seen, code } = finding ?? {};
  const limit = limitOf(finding);
  const most = code === "paging-never-ends" ? 2 * (seen?.count ?? mostPages) : mostPages;
  const lines = (of: string | undefined) =>
    walk(main, {
      most,
      limit: of,
      each: `printf '%s' "$body" | jq -r '.products[] | "\\(.retailer) \\(.product_id)"'`,
    });
  const lookups = inOrder(shown.filter(({ request }) => !request.url.includes("category=")));
  if (product === undefined) {
    const command = `${lines(limit).join("\n")} | sort | uniq -c | sort -rn | head -20`;
    return [
      ...lookups,
      {
        text: `Walk through the whole category, at most ${counted(most, "page")}, which takes \`jq\`. Each line is a product and how often it was returned, most often first:`,
        command,
      },
      { text: "Walk once more, as the run did: cursors may be lost only later.", command },
    ];
  }
  const own = URL.parse(main.request.url)?.searchParams.get("limit") ?? undefined;
  const limits = limit === undefined || limit === own ? [limit, undefined] : [limit, own];
  const line = `'${`${product.retailer} ${product.productId}`.replaceAll("'", `'\\''`)}'`;
  return [
    ...lookups,
    ...[...new Set(limits)].map((of) => ({
      text: `Walk through the whole category in ${of === undefined ? "pages of the usual size" : `pages of ${of}`}, which takes \`jq\`. This counts how often the product was returned:`,
      command: `${lines(of).join("\n")} | grep -cxF ${line}`,
    })),
  ];
}

/** The page size of a finding, or the first of several. */
function limitOf(finding: Finding | undefined): string | undefined {
  const { limit } = (finding?.details ?? {}) as { readonly limit?: number | string };
  return limit === undefined ? undefined : /\d+/.exec(`${limit}`)?.[0];
}

/** The URL without its cursor, for single quotes. */
function firstPage(of: string): string {
  const url = new URL(of);
  url.searchParams.delete("cursor");
  return url.href.replaceAll("'", "%27");
}

/** A loop that follows `meta.next_cursor` from the first page. `limit` is that of the request unless it is named. */
function walk(
  { request, curl }: Evidence,
  { most, each, ...of }: { most: number; limit?: string | undefined; each?: string },
): string[] {
  const url = new URL(firstPage(request.url));
  if ("limit" in of) url.searchParams.delete("limit");
  if (of.limit !== undefined) url.searchParams.set("limit", of.limit);
  const flags = withoutHead(` ${partsOf(curl)[1]}`);
  return [
    `page='${url.href}'; cursor=`,
    `for n in $(seq ${most}); do`,
    `  body=$(curl "$page\${cursor:+&cursor=$cursor}"${flags})`,
    ...(each === undefined ? [] : [`  ${each}`]),
    `  cursor=$(printf '%s' "$body" | jq -r '.meta.next_cursor // "" | @uri')`,
    `  [ -n "$cursor" ] || break`,
    "done",
  ];
}

const statusAndWait = `%{http_code} %header{${retryAfterHeader}}`;
/** How often requests are sent after the burst: more than what the limit accepts again meanwhile. */
const requestsAfter = 40;
/** Requests at once of a burst that goes on: few, so that those beside it, one at a time, get their turn. */
const goingOnAtOnce = 10;

/**
 * A burst with the key that the run limited, and right after it the exchanges, each in one process. If one of them is of that key, it goes on
 * as a second burst: the limit may show only while it is exceeded. An exchange after a wait follows in the same command: by hand the wait
 * would be longer.
 */
function atLimit(shown: readonly Evidence[], limited: Evidence, isWaited: boolean): ReproductionStep[] {
  const during = isWaited ? shown.slice(0, 1) : shown;
  const after = shown.slice(during.length);
  const statuses = during.map(({ response }) => response.status).join(", then ");
  const seconds = secondsOf(limited) ?? 1;
  const waited = after.length === 0 ? "" : ` After a wait of ${seconds} s, as Retry-After says, once more:`;
  return [
    {
      text: `Send ${grouped(burstRequests)} requests, ${burstAtOnce} at once, and right after them ${during.length === 1 ? `this one ${requestsAfter} times` : `the first as often again, ${goingOnAtOnce} at once, and beside it the ${during.length === 2 ? "other" : "others"} ${requestsAfter} times`}. Each line is how often a status and its Retry-After came.${waited}`,
      command: [
        burst(limited, "burst", burstRequests),
        ...during.map((exchange, at) => {
          const [times, atOnce] =
            during.length === 1
              ? [requestsAfter, burstAtOnce]
              : exchange === limited
                ? [burstRequests, goingOnAtOnce]
                : [requestsAfter, 1];
          return `(${burst(exchange, `request ${at + 1}`, times, atOnce)}) &`;
        }),
        "wait",
        ...after.map(
          ({ curl }) =>
            `sleep ${seconds}; ${withoutHead(curl)} -o /dev/null -w 'after the wait: ${statusAndWait}\\n'`,
        ),
      ].join("\n"),
      got: `The run got ${statuses}${after.map(({ response }) => `; after the wait, ${response.status}`).join("")}.`,
    },
  ];
}

/** Many requests at once; each line is how often a status and its Retry-After came. */
function burst({ curl }: Evidence, name: string, times: number, atOnce = burstAtOnce): string {
  return `${repeated(curl, { times, atOnce, shown: `${name}: ${statusAndWait}` })} | sort | uniq -c`;
}

function withoutHead(curl: string): string {
  return curl.replace(/ -i(?= |$)/, "");
}

/** The request, or the first page of its walk, one after the other. */
function manyTimes(exchange: Evidence): string {
  const [url, flags] = partsOf(exchange.curl);
  const sent = exchange.page === undefined ? url : `'${firstPage(exchange.request.url)}'`;
  return `${repeated(`curl ${sent} ${flags}`, { times: 100, atOnce: 1, shown: "", output: "-" })} ${bodies}`;
}

/** Each different response in a line: how often it came, its length, and its beginning. */
const bodies = "| sed 's/}{/}\\n{/g' | grep . | awk '{ print length, $0 }' | sort | uniq -c | cut -c 1-300";

const turnsTogether = 50;

/** The request and those that were under way beside it; only its responses are shown. */
function together({ request, curl, beside = [] }: Evidence): string {
  if (request.method !== "GET") {
    const others = beside.length > 0 ? beside : Array<string>(10).fill(curl);
    return [
      `for n in $(seq ${turnsTogether}); do`,
      ...others.map((other) => `  ${withoutHead(other)} -o /dev/null &`),
      `  ${withoutHead(curl)} -w '\\n' &`,
      "  wait",
      `done ${bodies}`,
    ].join("\n");
  }
  const [url, flags] = partsOf(curl);
  const urls = [...new Set(beside.map((other) => partsOf(other)[0]))].filter((one) => one !== url);
  const unseen = urls.length > 0 ? urls : Array<string>(4).fill(url);
  return [
    `for n in $(seq ${turnsTogether}); do`,
    `  printf 'url = "%s"\\noutput = /dev/null\\n' ${unseen.join(" ")}`,
    `  printf 'url = "%s"\\noutput = -\\n' ${url}`,
    `done | curl -Z --parallel-max 20 -g${withoutHead(` ${flags}`)} -w '\\n' -K - 2>/dev/null ${bodies}`,
  ].join("\n");
}

/** The URL of a curl command, in quotes, and its flags. */
function partsOf(curl: string): readonly [string, string] {
  const [, url = "", flags = ""] = /^curl ('(?:[^']|'\\'')*') (.*)$/.exec(curl) ?? [];
  return [url, flags];
}

/** With one curl for all: a process for each request is too slow to exceed a limit. */
function repeated(
  curl: string,
  {
    times,
    atOnce: parallel,
    shown,
    output = "/dev/null",
  }: { times: number; atOnce: number; shown: string; output?: string },
): string {
  const [url, flags] = partsOf(curl);
  const urls = `for n in $(seq ${times}); do printf 'url = "%s"\\noutput = ${output}\\n' ${url}; done`;
  // stderr would have a progress meter, and a line for each request to a target that is gone.
  return `${urls} | curl -Z --parallel-max ${parallel} -g${withoutHead(` ${flags}`)} -w '${shown}\\n' -K - 2>/dev/null`;
}
