import { type EndpointId, endpoints } from "../api.ts";
import type { Condition, ConformanceCode, Finding } from "../types.ts";
import type { FindingWords, WordsContext } from "./finding-words.ts";
import { capitalized, counted, figure, grouped, listed, percent, perSecond, second } from "./format.ts";
import { transportFailureWords } from "./transport.ts";
import { code, place, typeName, typeOf, value } from "./values.ts";

/** The words of what checks, rules and discovery find. Grouped as in `results.schema.json`. */
export const conformanceWords = {
  // Failures of the target.
  "wrong-status": {
    text: (finding) =>
      `${requested(finding)} returned ${statusSeen(finding)}; expected ${statusExpected(finding.expected)}.`,
  },
  "not-json": {
    text: (finding) => `${bodyOf(finding)} is ${notJson(finding)}${seenIn(finding)}.`,
  },
  "not-utf8": { text: (finding) => `${bodyOf(finding)} is not valid UTF-8${seenIn(finding)}.` },
  "missing-header": {
    text: (finding) =>
      `The header ${code(subject(finding))} is missing with status ${detail(finding, "status")}${seenIn(finding)}.`,
  },
  "wrong-header": {
    text: (finding) =>
      `The header ${code(subject(finding))} is ${value(finding.actual)} with status ${detail(finding, "status")}${seenIn(finding)}; expected ${formatName(finding.expected)}.`,
  },
  "error-in-success": {
    text: (finding) =>
      `A response with status ${detail(finding, "status")} has an error body${seenIn(finding)}: ${place(finding.path)} is ${value(finding.actual)}.`,
  },
  "error-code-mismatch": {
    text: (finding) =>
      `${place(finding.path)} is ${value(finding.actual)} with status ${detail(finding, "status")}${seenIn(finding)}; ${
        finding.expected === undefined
          ? `that code belongs to ${oneOf(finding.details?.belongsTo)}`
          : `expected ${value(finding.expected)}`
      }.`,
  },
  "missing-field": { text: (finding) => `${field(finding)} is missing${seenAt(finding)}.` },
  "null-value": { text: (finding) => `${field(finding)} is null${seenAt(finding)}.` },
  "empty-string": { text: (finding) => `${field(finding)} is an empty string${seenAt(finding)}.` },
  "wrong-type": {
    text: (finding) =>
      `${field(finding)} must be ${typeNames(finding.expected)}; it is ${typeOf(finding.actual)}${seenAt(finding)}.`,
  },
  "wrong-format": {
    text: (finding) =>
      `${field(finding)} is ${value(finding.actual)}${seenAt(finding)}; expected ${formatName(finding.expected)}.`,
  },
  "wrong-count": { text: countText },
  "counters-disagree": {
    text: (finding) => `${amount(finding)}${seenIn(finding)}; ${sumText(finding)}.`,
  },
  "page-over-limit": {
    text: ({ expected, actual }) =>
      `A page requested with ${code(`limit=${String(expected)}`)} has ${counted(Number(actual), "product")}.`,
  },
  "other-product": {
    text: (finding) => {
      const { path, actual, expected, condition, product } = finding;
      const [one, other] = (condition && pairs[condition]) ?? [];
      if (one !== undefined)
        return `${endpointName(finding)} returned two products: ${place(path)} is ${value(expected)} ${one}, and ${value(actual)} ${other}.`;
      const wanted =
        expected === undefined
          ? `which ${retailerName(finding)} does not have`
          : `expected ${value(expected)}`;
      const request =
        condition === undefined && product !== undefined
          ? `${endpointName(finding)} of ${productName(product)}`
          : requested(finding);
      return `${request} returned another product${seenIn(finding)}: ${place(path)} is ${value(actual)}, ${wanted}.`;
    },
  },
  "wrapped-product": {
    text: ({ path = "" }) =>
      path === ""
        ? "The body is an array; expected the product itself."
        : `The product is under ${place(path)}; expected the product itself.`,
  },
  "name-for-slug": {
    text: (finding) =>
      `${place(finding.path)} is the name of a retailer, ${value(finding.actual)}${seenIn(finding)}; expected its slug.`,
  },
  "not-granted": {
    text: (finding) =>
      `A product of a retailer that GET /retailers does not list for ${callerName(finding.subject)}: ${place(finding.path)} is ${value(finding.actual)}${seenIn(finding)}.`,
  },
  "item-not-sent": {
    text: (finding) => {
      const { retailer, product_id: id } = asObject(finding.actual);
      const shown = (name: string, given: unknown) =>
        given === undefined ? `no ${name}` : `${name} ${value(given)}`;
      return `${place(finding.path)} has ${shown("retailer", retailer)} and ${shown("product_id", id)}${seenIn(finding)}: no such item was sent.`;
    },
  },
  "item-missing": {
    text: (finding) => {
      const { endpoint, condition } = finding;
      if (endpoint !== "batch")
        return finding.details?.limit === undefined
          ? `${productOf(finding)} is found by id, but is on no page of ${category(finding)}.`
          : `${productsSeen(finding)} of ${category(finding)} ${are(finding)} missing in pages of ${detail(finding, "limit")}, such as ${productOf(finding)}.`;
      return condition === "known-items"
        ? `${productOf(finding)} was requested, but is not among the found products.`
        : `${condition === "incomplete-item" ? "An item without product_id" : productOf(finding)} is neither found nor listed under ${code("errors")}.`;
    },
  },
  "item-repeated": {
    text: (finding) => {
      if (finding.product === undefined)
        return `The slug ${value(finding.actual)} is listed more than once${seenIn(finding)}.`;
      const pages = finding.details?.limit === undefined ? "" : ` in pages of ${detail(finding, "limit")}`;
      return `${productsSeen(finding)} of ${category(finding)} ${finding.seen?.count === 1 ? "appears" : "appear"} more than once${pages}, such as ${productOf(finding)}.`;
    },
  },
  "item-unexpected": {
    text: (finding) => {
      if (finding.endpoint === "batch")
        return `${requested(finding)} lists that item as found; expected it to be refused or reported under ${code("errors")}.`;
      return `${productsSeen(finding)} of ${category(finding)} ${finding.seen?.count === 1 ? "appears" : "appear"} only in pages of ${detail(finding, "limit")}, such as ${productOf(finding)}.`;
    },
  },
  "no-found-list": {
    text: (finding) =>
      finding.expected === undefined
        ? `The batch result has no array of found products${seenIn(finding)}.`
        : `${code("meta.found")} is ${String(finding.expected)}, but no array of the batch result holds a product${seenIn(finding)}.`,
  },
  "retailer-not-listed": {
    text: (finding) =>
      `${productOf(finding)} is returned, but GET /retailers does not list ${code(subject(finding))}.`,
  },
  "listed-retailer-refused": {
    text: (finding) =>
      `GET /retailers lists ${code(subject(finding))}${finding.condition === "other-organization" ? " for the other organization" : ""}, but a request for it returned ${statusSeen(finding)}.`,
  },
  "write-accepted": {
    text: (finding) =>
      `${subject(finding)} on a product returned ${statusSeen(finding)}; expected an error status: the service is read-only.`,
  },
  "differs-between-ways": {
    text: (finding) => {
      const { expected, actual, endpoint } = finding;
      const name = `${code(subject(finding))} of ${productOf(finding)}`;
      const way = wayNames[endpoint ?? "other"];
      const { seen } = finding;
      const more =
        seen?.total === undefined
          ? ""
          : `, as with ${seen.count} of ${counted(seen.total, "product")}, each time`;
      if (actual === undefined) return `${name} is returned by id, but not ${way}${more}.`;
      if (expected === undefined) return `${name} is returned ${way}, but not by id${more}.`;
      return `${name} is ${value(expected)} by id, and ${value(actual)} ${way}${more}.`;
    },
  },
  "status-differs": {
    text: (finding) => {
      const [one, other] = pair(finding);
      return `${endpointName(finding)} returned ${String(finding.expected)} ${one}, and ${statusSeen(finding)} ${other}.`;
    },
  },
  "shown-by-one-only": {
    text: (finding) => {
      const [one, other] = pair(finding);
      const [by, not] = finding.details?.by === "one" ? [one, other] : [other, one];
      const what =
        finding.product !== undefined
          ? productOf(finding)
          : finding.subject !== undefined
            ? `Retailer ${code(finding.subject)}`
            : "A product";
      return `${what} is returned ${by}, but not ${not}${moreOf(finding)}.`;
    },
  },
  "paging-never-ends": {
    text: (finding) => {
      const pages = counted(finding.seen?.count ?? 0, "page");
      return finding.details?.repeats === "cursor"
        ? `Paging through ${category(finding)} never ends: page ${finding.seen?.count} repeats the cursor of an earlier page.`
        : `Paging through ${category(finding)} never ends: after ${pages} the same ${counted(Number(finding.details?.products), "product")} repeat.`;
    },
  },
  "cursor-rejected": {
    text: (finding) =>
      finding.seen?.count === 1
        ? `The first page of ${category(finding)} returned ${statusSeen(finding)}, although it was browsed before.`
        : `The cursor of page ${(finding.seen?.count ?? 0) - 1} of ${category(finding)} returned ${statusSeen(finding)} instead of a page.`,
  },
  "refused-after-wait": {
    text: ({ expected }) =>
      `Still refused with 429 after waiting the ${String(expected)} s given in Retry-After.`,
  },
  "limit-shared": {
    text: (finding) =>
      `The two organizations share one limit: ${tally(finding.seen)} of the other were accepted, and ${tally(finding.details?.first)} of the first.`,
  },
  "limit-per-key": {
    text: (finding) =>
      `Two keys of one organization have separate limits: at the same time, ${tally(finding.details?.first)} of the first key were accepted, and ${tally(finding.seen)} of the second.`,
  },
  "false-not-found": {
    text: (finding) => {
      const { endpoint, seen } = finding;
      const what =
        endpoint === "batch"
          ? `${productOf(finding)} was missing from a batch`
          : endpoint === "category-page"
            ? `A page of ${category(finding)} was empty`
            : `${endpointName(finding)} of ${productOf(finding)} returned ${String(finding.actual)}`;
      return `${what}, although the same request found it before and after. In all, ${figure(seen?.count ?? 0)} of ${counted(seen?.total ?? 0, "request")} for existing data found nothing.`;
    },
  },
  "retailer-of-other-organization": {
    text: (finding) =>
      `GET /retailers returned ${code(subject(finding))}, which only the other organization may use.`,
  },
  "closed-on-input": {
    text: (finding) =>
      `${requested(finding)} got no response: ${transportFailureWords(detail(finding, "failure")).text}; expected ${statusExpected(finding.expected)}. Other requests got a response before and after.`,
  },

  // Allowed readings that were seen, and how much was checked.
  answered: {
    text: ({ expected, actual }) => {
      const others = Array.isArray(expected) ? expected.filter((one) => one !== actual) : [];
      const allowed = others.length === 0 ? "" : ` (${oneOf(others)} would be allowed too)`;
      return `Returned ${String(actual)}${allowed}.`;
    },
  },
  checked: {
    text: ({ seen, details }) => {
      const ways = Array.isArray(details?.endpoints) ? details.endpoints.map(labelOf) : [];
      const on = ways.length === 0 ? "" : `: ${listed(ways)}`;
      return `${counted(seen?.count ?? 0, seenNoun(seen))} checked${on}.`;
    },
  },
  "judged-elsewhere": { text: (finding) => `Judged by ${code(subject(finding))}.` },
  "item-reported": { text: () => `Reported under ${code("errors")}.` },
  "walk-ended": {
    text: (finding) =>
      `${capitalized(category(finding))} ends after ${counted(finding.seen?.count ?? 0, "page")}${
        finding.details?.products === undefined
          ? ""
          : ` with ${counted(Number(finding.details.products), "product")}`
      }.`,
  },
  "limit-reached": {
    text: ({ seen }) => `The rate limit was reached within ${counted(seen?.count ?? 0, "request")}.`,
  },
  "accepted-after-wait": {
    text: ({ actual }) => `Accepted after waiting the ${String(actual)} s given in Retry-After.`,
  },
  "limit-tally": {
    text: (finding) =>
      finding.subject === "otherOrg"
        ? `While the first organization was limited, ${tally(finding.seen)} of the other were accepted.`
        : `While the organization was limited, ${tally(finding.details?.first)} of the first key and ${tally(finding.seen)} of the second were accepted.`,
  },

  // Why something was not judged.
  "no-response-exercised": { text: notExercised, fix: toExercise },
  "status-not-seen": { text: statusNotSeen },
  "control-failed": {
    text: (finding) =>
      `The control request (${endpointName(finding)}) returned ${statusSeen(finding)}, so a changed request would prove nothing.`,
    fix: () => "See the findings on that request, and run again when it succeeds.",
  },
  "target-stopped": {
    text: (finding) => `The target stopped responding: ${failure(finding).text}.`,
    fix: (finding) => failure(finding).fix,
  },
  "target-unavailable": {
    text: ({ actual, seen, details }) =>
      `The target has returned ${String(actual)} to every request since ${second(String(details?.since))} (${counted(seen?.count ?? 0, "request")} in a row).`,
    fix: ({ actual }) =>
      actual === 429 ? toHaveLimitFree : "Start it, or wait until it has recovered, then run again.",
  },
  "endpoint-silent": {
    text: (finding) =>
      `${endpointName(finding)} did not respond in time to ${counted(finding.seen?.count ?? 0, "request")} in a row, so no more are sent.`,
    fix: () => transportFailureWords("silent").fix,
  },
  "requests-lost": {
    text: ({ seen: { count = 0, total = 0 } = {}, details }) =>
      `${grouped(count)} of ${counted(total, "request")} (${percent(count / total)}) got no response: ${Object.entries(
        details ?? {},
      )
        .map(([name, times]) => `${transportFailureWords(name).text} (${String(times)})`)
        .join(", ")}.`,
    fix: ({ details }) => transportFailureWords(Object.keys(details ?? {})[0] ?? "").fix,
  },
  "no-answer": {
    text: (finding) => `No response was received: ${failure(finding).text}.`,
    fix: (finding) => failure(finding).fix,
  },
  "still-rate-limited": {
    text: ({ seen }) =>
      `Still refused with 429 after ${counted(seen?.count ?? 0, "attempt")}, each after Retry-After.`,
    fix: () => toHaveLimitFree,
  },
  "wait-too-long": {
    text: ({ expected, actual }) =>
      `Retry-After requires a wait of ${figure(Number(actual))} s; a run waits at most ${figure(Number(expected))} s.`,
    fix: () => "Run again later, or on a target whose limit has a shorter window.",
  },
  "upstream-failing": {
    text: ({ actual, seen }) =>
      `The target returned ${String(actual)} on ${counted(seen?.count ?? 0, "attempt")} in a row.`,
    fix: () => "Its internal catalog seems to be failing: run again when it has recovered.",
  },
  "budget-spent": {
    text: ({ expected, subject: what }) =>
      what === "megabytes"
        ? `The responses of this run exceed ${String(expected)} MB.`
        : `The budget of ${counted(Number(expected), "request")} is used up.`,
    fix: ({ subject: what }) =>
      what === "megabytes"
        ? "Check what the service sends, or judge fewer sections with --only."
        : "Raise --max-requests, or judge fewer sections with --only.",
  },
  "product-gone": {
    text: (finding) => `${productOf(finding)} is no longer in the catalog.`,
    fix: () => "Run again.",
  },
  "not-reached": { text: () => "The run ended before this check.", fix: () => "Run again." },
  "lost-on-the-way": {
    text: ({ subject = "", seen, details = {} }) =>
      `On the way: ${seen?.count ?? 0} of ${counted(seen?.total ?? 0, "request")} were answered by a gateway (${code(subject)}) and not by the service: ${Object.entries(
        details,
      )
        .map(([status, count]) => `${String(count)} with ${status}`)
        .join(", ")}.`,
    fix: () => "Check the gateway's log and its time limits.",
  },
  "certificate-unchecked": {
    text: () =>
      `The target's certificate was not checked (${code("insecure")}), so any server may have responded.`,
    fix: () => "Name the authority's certificate as ca in the target's entry instead.",
  },
  "certificate-ends": {
    text: ({ actual, expected }) =>
      `The target's certificate expires in ${counted(Number(actual), "day")}, on ${String(expected).slice(0, 10)}.`,
    fix: () => "Renew it before that day.",
  },
  avoided: {
    text: ({ subject }) =>
      `Excused: the config excludes this for the target (${code(`avoid: ["${subject}"]`)}).`,
  },
  "harness-error": {
    text: ({ actual }) => `The check itself failed: ${String(actual)}.`,
    fix: () => "This is a bug in shelfcheck, not in the target: please report it.",
  },
  "no-category": {
    text: () => "No category was given.",
    fix: () => "Name one with --category or SHELFCHECK_CATEGORIES.",
  },
  "category-not-browsable": {
    text: (finding, context) => `No category could be browsed. ${outcomesOfCategories(finding, context)}`,
    fix: fixOfCategories,
  },
  "category-shows-nothing": {
    text: outcomesOfCategories,
    fix: fixOfCategories,
  },
  "no-product": {
    text: (finding) => {
      const { seen, expected, actual, details } = finding;
      const names = categoryNames(finding);
      if (typeof details?.unlisted === "number")
        return `GET /retailers does not list the ${details.unlisted === 1 ? "retailer" : "retailers"} of ${counted(details.unlisted, "product")} of ${names}.`;
      if (details?.hasList === false) return `The pages of ${names} have no array under ${code("products")}.`;
      if (seen === undefined || seen.count === 0) return `${capitalized(names)} returned no products.`;
      const products =
        seen.count === 1 ? "the only product seen" : `all ${counted(seen.count, "product")} seen`;
      return `${code(`product.${subject(finding)}`)} is ${actual === undefined ? "missing" : `${typeOf(actual)} instead of ${typeNames(expected)}`} on ${products}, so none can be looked up.`;
    },
    fix: (finding) => {
      if (finding.details?.unlisted !== undefined)
        return "See product.retailer and authentication.entitlement.";
      if (finding.details?.hasList === false) return "See page.products.";
      if (finding.seen === undefined || finding.seen.count === 0)
        return "Name a category that has products for this key (--category).";
      return finding.actual === undefined
        ? `Name a category whose products have ${code("retailer")} and ${code("product_id")} (--category).`
        : `Correct ${code(subject(finding))} in the service first: see product.field-types.`;
    },
  },
  "nothing-found-by": { text: nothingFound, fix: toFindSomething },
  "no-product-with": {
    text: (finding) =>
      `No product of ${retailerName(finding)} with a ${fieldName(finding.subject)} was seen.`,
    fix: (finding) =>
      `Name a category in which ${retailerName(finding)} has products with a ${fieldName(finding.subject)} (--category).`,
  },
  "no-retailer": {
    text: ({ actual, subject: caller, details }) => {
      const key = caller === "otherOrg" ? " for the other organization" : "";
      if (actual !== 200) return `GET /retailers returned no retailers${key} (status ${String(actual)}).`;
      if (typeof details?.entries !== "number")
        return `GET /retailers has no array under ${code("retailers")}${key}.`;
      return details.entries === 0
        ? `GET /retailers lists no retailers${key}.`
        : `GET /retailers lists ${counted(details.entries, "retailer")}${key}, none with a string under ${code("slug")}.`;
    },
    fix: ({ actual, subject: caller, details }) =>
      actual === 200 && details?.entries === 0
        ? `Use a key whose organization has at least one retailer${caller === "otherOrg" ? ", for the other organization too" : ""}.`
        : "See retailers.shape.",
  },
  "no-same-org-key": {
    text: () => "No second key of the organization is set.",
    fix: (_finding, { keyVariables }) => `Set ${keyVariables.sameOrg}.`,
  },
  "no-other-org-key": {
    text: () => "No key of another organization is set.",
    fix: (_finding, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that has a retailer yours does not have.`,
  },
  "key-refused": {
    text: (finding, context) =>
      `The service refused the key in ${keyVariable(finding, context)} with ${String(finding.actual)}.`,
    fix: (finding, context) =>
      finding.subject === "otherOrg"
        ? `Set ${keyVariable(finding, context)} to an active key of another organization, or unset it.`
        : `Set ${keyVariable(finding, context)} to an active key of the organization of ${context.keyVariables.primary}, or unset it.`,
  },
  "key-role-unclear": {
    text: (finding, context) =>
      finding.subject === "otherOrg"
        ? `The keys in ${context.keyVariables.primary} and ${keyVariable(finding, context)} see the same retailers, so it is unclear whether they belong to different organizations.`
        : `Nothing in this run distinguishes a key of the organization of ${context.keyVariables.primary} from a key of another organization, so it is unclear whether ${keyVariable(finding, context)} belongs to that organization.`,
    fix: (finding, context) =>
      finding.subject === "otherOrg"
        ? `Make sure that ${keyVariable(finding, context)} holds a key of another organization, ideally one with other retailers.`
        : `Make sure that ${keyVariable(finding, context)} holds a key of that organization, and set ${context.keyVariables.otherOrg} to a key of an organization that has other retailers.`,
  },
  "key-lists-differ": {
    text: (finding, context) => {
      const lacks = strings(finding.details?.lacks).map(code);
      const more = strings(finding.details?.more).map(code);
      const seen = [
        lacks.length > 0 ? `it lacks ${listed(lacks)}` : undefined,
        more.length > 0 ? `it also sees ${listed(more)}` : undefined,
      ].filter((part) => part !== undefined);
      const what = seen.length > 0 ? ` (${seen.join("; ")})` : "";
      return `The key in ${keyVariable(finding, context)} does not see the same retailers as the one in ${context.keyVariables.primary}${what}: it is a key of another organization, or the service treats two keys of one organization differently.`;
    },
    fix: (finding, context) =>
      `Make sure that ${keyVariable(finding, context)} holds a key of the organization of ${context.keyVariables.primary}. If it does, the service is at fault: see service.organization-scope.`,
  },
  "no-foreign-retailer": {
    text: () => "Every retailer of the other organization also belongs to the organization of the first key.",
    fix: (_finding, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that has a retailer of its own.`,
  },
  "no-foreign-product": {
    text: (finding) =>
      `No product of a retailer that the key may not use (${retailerNames(finding)}) was seen in ${categoryNames(finding)}.`,
    fix: () => "Name a category in which such a retailer has products (--category).",
  },
  "no-own-product": {
    text: () => "Every product seen belongs to a retailer that the other organization may use as well.",
    fix: (finding, { keyVariables }) =>
      strings(finding.details?.retailers).length > 0
        ? `Name a category in which ${retailerNames(finding)} has products (--category).`
        : `Set ${keyVariables.otherOrg} to a key of an organization that lacks one of your retailers.`,
  },
  "batch-not-understood": {
    text: (finding) => {
      const tried = strings(finding.details?.tried);
      return finding.details?.answered === true
        ? "Batch lookup returned 200, but no array in it holds the product that was requested."
        : `Batch lookup accepted the items under none of ${counted(tried.length, "name")} tried: ${someOf(tried.map((name) => code(JSON.stringify(name))))}.`;
    },
    fix: () => "Name the fields in the config: targets.<name>.dialect.batchRequestField and batchFoundField.",
  },
  "category-too-long": {
    text: (finding) => `${capitalized(category(finding))} has more pages than a run follows.`,
    fix: () => "Name a smaller category as well (--category).",
  },
  "no-cursor": {
    text: (finding) =>
      `A page of ${category(finding)} has no string under ${code("meta.next_cursor")}, so it cannot be followed.`,
    fix: () => "See page.next-cursor.",
  },
  "no-unused-gtin": {
    text: () => "Every invented GTIN that was tried belongs to a product.",
    fix: () => "Run again with another category (--category).",
  },
  "no-retailer-without-gtin": {
    text: () => "No listed retailer is known to lack a known GTIN.",
    fix: ({ seen }) =>
      (seen?.count ?? 0) < 2
        ? "Use a key whose organization has two retailers or more."
        : "Name a category with products that only one retailer has (--category).",
  },
  "limit-not-reached": {
    text: ({ seen, actual, details }) => {
      const burst = `A burst of ${counted(seen?.count ?? 0, "request")} to GET /retailers at ${perSecond(Number(actual))} reached no rate limit`;
      const refused = Number(details?.refused ?? 0);
      return refused === 0
        ? `${burst}.`
        : `${burst}, although ${counted(refused, "earlier response")} of this run ${refused === 1 ? "was" : "were"} 429.`;
    },
    fix: ({ details }) =>
      Number(details?.refused ?? 0) > 0
        ? "The limit seems to apply to other endpoints, or over a longer period: run again, and look at the 429 responses."
        : "Run this check on a target with a lower rate limit, or waive it: a limit that is never reached cannot be observed.",
  },
  "limit-unclear": {
    text: (finding) =>
      finding.subject === "otherOrg"
        ? `${capitalized(tally(finding.seen))} of the other organization were accepted, and ${tally(finding.details?.first)} of the limited one: too few to tell whether they share the limit.`
        : "Both keys were accepted again before it was clear whether they share the limit.",
    fix: ({ subject: other }) =>
      other === "otherOrg"
        ? "Run again when the machine is less busy, or on a target with a lower rate limit."
        : "Run this check on a target with a lower rate limit.",
  },
  "no-wait-given": {
    text: () => "The 429 response does not give the wait in whole seconds.",
    fix: () => "See errors.retry-after.",
  },
} as const satisfies Record<ConformanceCode, FindingWords>;

// What was special about a request; follows the name of the endpoint.
const conditionWords = {
  "good-key": ({ subject: header = "" }) => `with a valid key in ${code(header)}`,
  "known-retailers": () => "with the key",
  "no-key": () => "without a key",
  "invalid-key": () => "with an invalid key",
  "both-headers": () => "with the same valid key in both headers",
  "either-header": () => "with the key in either header",
  "second-key": () => "with the second key of the organization",
  "other-organization": () => "with the key of the other organization",
  "retailer-not-granted": (finding) => `at retailer ${code(subject(finding))}, which the key may not use,`,
  "unknown-retailer": (finding) => `at retailer ${code(subject(finding))}, which does not exist,`,
  "known-product": (finding) => `of ${productOf(finding)}, which a category page lists,`,
  "unknown-product": (finding) => `of ${productOf(finding)}, which does not exist,`,
  "known-url": (finding) => `${code(subject(finding))} of ${productOf(finding)}`,
  "unknown-url": (finding) => `${code(subject(finding))}, which no product has,`,
  "unknown-site": (finding) => `${code(subject(finding))}, on no retailer's site,`,
  "known-gtin": (finding) => `${code(subject(finding))} of ${productOf(finding)}`,
  "unknown-gtin": (finding) => `${code(subject(finding))}, which no product has,`,
  "known-gtin-scoped": (finding) =>
    `${code(subject(finding))} of ${productOf(finding)}, scoped to its retailer,`,
  "gtin-of-other-retailer": (finding) =>
    `${code(subject(finding))} of ${productOf(finding)}, scoped to ${retailerName(finding)},`,
  "known-category": (finding) => `of ${code(subject(finding))}, which was browsed before,`,
  "unknown-category": (finding) => `of ${code(subject(finding))}, which does not exist,`,
  parameters: ({ details }) => {
    const pairs = Object.entries(asObject(details?.parameters));
    return pairs.length === 0
      ? "without parameters"
      : `with ${pairs.map(([name, given]) => code(`${name}=${String(given)}`)).join(" and ")}`;
  },
  "known-items": ({ details }) => `of ${counted(Number(details?.items), "known product")}`,
  "duplicate-item": () => "with an item that is sent twice",
  "unknown-item": () => "with one unknown product",
  "only-unknown-items": () => "of unknown products only",
  "batch-size": ({ details }) => `of ${counted(Number(details?.items), "item")}`,
  "malformed-batch": ({ subject: form = "" }) => malformedForms[form] ?? "with a malformed body",
  "incomplete-item": () => "with an item without product_id",
  "every-batch-form": () => "with known products, in every form that was tried,",
  "unknown-path": () => "to a path that is not an endpoint",
  burst: () => "in a burst of requests",
  "base-address": () => "below the base URL",
  "at-once": (finding) => `of ${productOf(finding)}, sent together with other requests,`,
  "after-refusal": (finding) => `of ${productOf(finding)}, after a refused request,`,
  "in-turn": (finding) =>
    `${finding.product === undefined ? "" : `of ${productOf(finding)}, `}right after the same request with the key of ${detail(finding, "after") === "otherOrg" ? "the other organization" : "the first organization"},`,
  "hostile-input": (finding) =>
    `with ${hostileKinds[detail(finding, "kind")] ?? "an unusual value"} in ${hostileParts[subject(finding)] ?? code(subject(finding))}${drawnText(finding)}`,
} as const satisfies Record<Condition, (finding: Finding) => string>;

// The kinds of hostile values in conformance/suite/hostile-input.ts.
const hostileKinds: Readonly<Record<string, string>> = {
  nul: "a NUL",
  "invalid-utf8": "bytes that are not UTF-8",
  surrogate: "a lone surrogate",
  long: "5,000 characters",
  "long-number": "a number of 5,000 digits",
  unicode: "combining characters, right-to-left text and emoji",
  punctuation: "quotes and other punctuation",
  "line-break": "a line break",
  blank: "a space",
  "32-bit": "a number beyond 32 bits",
  "64-bit": "a number beyond 64 bits",
  "huge-number": "a number of 40 digits",
  "negative-number": "a negative number",
  infinite: "a number beyond the range of a double",
  hexadecimal: "a hexadecimal number",
  "arabic-digits": "Arabic digits",
  "no-host": "no host",
  "bad-port": "a port out of range",
  "bad-address": "a malformed IPv6 address",
  "long-host": "a host name of 300 characters",
  "other-scheme": "another scheme",
  "bad-escape": "malformed percent-encoding",
  empty: "nothing",
  "json-as-base64": "made-up JSON in base64",
  repeated: "repeated parameters",
  "in-brackets": "names in brackets",
  "no-pairs": "empty pairs",
  prototype: "the name `__proto__`",
  "not-asked-for": "unknown parameters",
  "several-kinds": "unusual values of several kinds",
  "empty-body": "nothing",
  "null-body": "null",
  "number-body": "a number",
  "string-body": "a string",
  "null-list": "null in place of the list",
  "object-for-list": "an object in place of the list",
  "empty-list": "an empty list",
  "null-item": "null as an item",
  "number-item": "a number as an item",
  "string-item": "a string as an item",
  "nested-list": "a list in the list",
  "number-id": "a number as product_id",
  "infinite-id": "a number beyond the range of a double as product_id",
  "null-id": "null as product_id",
  "object-id": "an object as product_id",
  "list-id": "an array as product_id",
  "deep-nesting": "5,000 nested arrays",
  "repeated-key": "a duplicate key",
  "trailing-comma": "a trailing comma",
  "byte-order-mark": "a byte order mark",
  "no-content-type": "nothing",
  "text-type": "`text/plain`",
  "form-type": "a form type",
  "broken-type": "a malformed type",
  drawn: "a random value",
};

/** The shrunk value that was drawn, and how to draw it again. */
function drawnText({ details }: Finding): string {
  if (details?.seed === undefined) return "";
  return ` (${code(String(details.value))}; repeat with ${code(`--fuzz ${String(details.runs)} --seed ${String(details.seed)}`)})`;
}

const hostileParts: Readonly<Record<string, string>> = {
  body: "the body",
  query: "the query",
  "content-type": "the content type",
};

const malformedForms: Readonly<Record<string, string>> = {
  "not-json": "whose body is not JSON",
  "no-list": "whose body has no list of items",
  "text-for-list": "whose body has a string in place of the list",
};

// The difference between the two requests of a comparison: first request, second request.
const pairs: Readonly<Partial<Record<Condition, readonly [string, string]>>> = {
  "either-header": [`with the key in ${code("Authorization")}`, `with the key in ${code("X-Api-Key")}`],
  "second-key": ["with the first key", "with the second key of the organization"],
};

const wayNames: Readonly<Record<NonNullable<Finding["endpoint"]>, string>> = {
  retailers: "in the list of retailers",
  "lookup-by-id": "by id",
  "lookup-by-url": "by URL",
  "lookup-by-gtin": "by GTIN",
  "category-page": "on a category page",
  batch: "in a batch",
  other: "otherwise",
};

const formatNames: Readonly<Record<string, string>> = {
  "currency-code": "a currency code",
  url: "a URL",
  "utc-timestamp": "an ISO 8601 timestamp in UTC",
  "host-name": "a host name",
  "whole-seconds": "whole seconds",
  "json-content-type": "a JSON content type",
  count: "a whole number, zero or more",
  "not-blank": "text that is not blank",
};

/**
 * The value that is expected at the place of a finding, in a few words: the value itself, or its type or format. Undefined
 * if the finding has no place, or no particular value is expected there.
 */
export function expectedThere({ code: found, path, expected }: Finding): string | undefined {
  if (path === undefined) return undefined;
  switch (found) {
    case "null-value":
    case "empty-string":
      return "a value, or no field at all";
    case "missing-field":
      return expected === undefined ? "the field" : typeNames(expected);
    case "wrong-type":
      return typeNames(expected);
    case "wrong-format":
      return formatName(expected);
    case "error-code-mismatch":
    case "other-product":
    case "wrong-count":
    case "counters-disagree":
    case "differs-between-ways":
      return expected === undefined ? undefined : value(expected);
    case "page-over-limit":
      return `at most ${counted(Number(expected), "product")}`;
    default:
      return undefined;
  }
}

function notExercised(finding: Finding): string {
  const { subject: what, details } = finding;
  switch (what) {
    case "response":
      return "No response was received.";
    case "success":
      return "No request succeeded.";
    case "error":
      return "No response with an error status in the error shape was received.";
    case "status":
      return statusNotSeen(finding);
    default: {
      const statuses = Object.entries(asObject(details?.statuses));
      if (statuses.length === 0) return "No response in this run exercised this rule.";
      const each = statuses.map(([status, count]) => `${String(count)} with status ${status}`);
      return `No response in this run exercised this rule. ${labelOf(exercisedBy[what ?? ""] ?? "other")}: ${listed(each)}.`;
    }
  }
}

function statusNotSeen({ expected, seen }: Finding): string {
  if (seen === undefined || seen.count === 0)
    return `No response with status ${oneOf(expected)} was received.`;
  const received = `${counted(seen.count, "response")} with status ${oneOf(expected)}`;
  return seen.count === 1
    ? `${received} was received, without an ${code("error.code")}.`
    : `${received} were received, none with an ${code("error.code")}.`;
}

const exercisedBy: Readonly<Record<string, EndpointId>> = {
  "lookup-by-id": "lookup-by-id",
  product: "category-page",
  page: "category-page",
  batch: "batch",
  retailer: "retailers",
};

function toExercise({ subject: what, seen, details }: Finding): string {
  const statuses = asObject(details?.statuses);
  const succeeded = statuses["200"] !== undefined;
  const source = details?.provokedBy;
  if (typeof source === "string" && !succeeded) return toProvoke(source, details?.verdict);
  switch (what) {
    case "response":
      return "Run `shelfcheck doctor`.";
    case "success":
      return "See the findings on the failed requests.";
    case "error":
      return "Run the whole suite: its checks provoke errors of every kind.";
    case "status":
      return seen !== undefined && seen.count > 0
        ? "See errors.shape and error-body.code."
        : "Run the whole suite: its checks provoke each status.";
    case "retailer":
      return succeeded ? "Use a key whose organization has at least one retailer." : "See retailers.shape.";
    case "batch":
      return succeeded
        ? "See the findings on batch lookups that returned 200."
        : "Name the fields of a batch in the config: targets.<name>.dialect.";
    case "lookup-by-id":
      return "See the findings on lookups by id.";
    case "page":
      return "See the findings on category pages.";
    default:
      return succeeded
        ? "Name another category (--category): the given ones returned no products."
        : "See the findings on category pages.";
  }
}

/**
 * The fix when a response was not provoked by the requirement whose checks usually do, by the verdict of that requirement.
 */
function toProvoke(requirement: string, verdict: unknown): string {
  if (verdict === undefined) return `Run the whole suite, or add --only ${requirement}, which provokes it.`;
  return verdict === "pass" || verdict === "notApplicable"
    ? `Run again: ${requirement} should have provoked it, but did not.`
    : `See the findings on ${requirement}, which provokes it.`;
}

/** The outcome of browsing: one sentence for all categories with the same outcome. */
function outcomesOfCategories(finding: Finding, context: WordsContext): string {
  const groups = Map.groupBy(categoriesTried(finding), ({ status, cause }) =>
    cause === undefined ? String(status) : `${cause.code} ${cause.subject ?? ""}`,
  );
  return [...groups.values()]
    .map((group) => {
      const names = someOf(group.map(({ category: name }) => code(name)));
      const [{ status, cause } = {}] = group;
      const categories = `${group.length === 1 ? "Category" : "Categories"} ${names}`;
      if (cause !== undefined) return `${categories}: ${textOf(cause, context)}`;
      return status === 200 ? `${categories} returned no products.` : `${categories} returned ${status}.`;
    })
    .join(" ");
}

/** The fix depends on the outcome: a misspelled category does not cause an unreadable response. */
function fixOfCategories(finding: Finding, context: WordsContext): string {
  const [first] = categoriesTried(finding).flatMap(({ cause }) => cause ?? []);
  if (first !== undefined) return fixOf(first, context) ?? "Check what the target returns for them.";
  const all = categoriesTried(finding).map(({ status = 0 }) => status);
  if (all.every((status) => status === 200))
    return "Check the spelling, or name one that has products for this key (--category).";
  return all.every((status) => status === 200 || status === 400 || status === 404)
    ? "Check the spelling of the categories (--category)."
    : "Check what the target returns for these categories.";
}

function nothingFound({ endpoint, seen }: Finding): string {
  const count = seen?.count ?? 0;
  switch (endpoint) {
    case "lookup-by-url":
      return count === 0
        ? `No product seen has a ${code("product_url")}.`
        : `None of ${counted(count, "product")} is found by its ${code("product_url")}.`;
    case "lookup-by-gtin":
      return count === 0
        ? "No product seen has a GTIN."
        : `None of ${counted(count, "product")} is found by its GTIN.`;
    default:
      return `None of ${counted(count, "product")} seen on category pages is found by id.`;
  }
}

function toFindSomething({ endpoint, seen }: Finding): string {
  const count = seen?.count ?? 0;
  switch (endpoint) {
    case "lookup-by-url":
      return count === 0
        ? `Name a category whose products have a ${code("product_url")} (--category).`
        : `Compare a ${code("product_url")} on a category page with a lookup by that URL manually.`;
    case "lookup-by-gtin":
      return "Name a category whose products have GTINs, or the field in the config: targets.<name>.dialect.gtin.";
    default:
      return "Compare a category page with a lookup by id manually.";
  }
}

function countText(finding: Finding): string {
  const expected = Number(finding.expected);
  switch (finding.details?.counted) {
    case "sent":
      return `${amount(finding)}; ${counted(expected, "item")} ${expected === 1 ? "was" : "were"} sent.`;
    case "unknown":
      return `${amount(finding)}; ${counted(expected, "unknown product")} ${expected === 1 ? "was" : "were"} sent.`;
    case "known":
      return `${counted(expected, "known product")} ${expected === 1 ? "was" : "were"} sent; ${amount(finding)}.`;
    case "accounted":
      return `${counted(expected, "item")} were sent; ${String(finding.actual)} are found or listed under ${code("errors")}.`;
    default:
      return `${amount(finding)}${seenIn(finding)}; ${code(subject(finding))} has ${counted(expected, "entry", "entries")}.`;
  }
}

/** A counter with its value, or a list with its length. */
function amount({ path = "", actual }: Finding): string {
  return path.startsWith("/meta/")
    ? `${place(path)} is ${value(actual)}`
    : `${place(path)} has ${counted(Number(actual), "entry", "entries")}`;
}

function sumText({ expected, details }: Finding): string {
  const parts = Object.entries(asObject(details?.counters));
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return `${code(`meta.${first[0]}`)} is ${String(first[1])}`;
  return `${parts.map(([name, count]) => `${code(name)} ${String(count)}`).join(" + ")} add up to ${String(expected)}`;
}

function requested(finding: Finding): string {
  const condition = finding.condition === undefined ? "" : conditionWords[finding.condition](finding);
  return condition === "" ? endpointName(finding) : `${endpointName(finding)} ${condition}`;
}

function endpointName({ endpoint = "other" }: Finding): string {
  // The label `Retailers` names the list, not the request.
  const { method, path } = endpoints.retailers;
  return endpoint === "retailers" ? `${method} ${path}` : labelOf(endpoint);
}

function labelOf(endpoint: unknown): string {
  return Object.hasOwn(endpoints, String(endpoint)) ? endpoints[endpoint as EndpointId].label : "A request";
}

function statusSeen({ actual, details }: Finding): string {
  const errorCode = details?.errorCode;
  return typeof errorCode === "string" ? `${String(actual)} (${code(errorCode)})` : String(actual);
}

function statusExpected(expected: unknown): string {
  return Array.isArray(expected) ? oneOf(expected) : `an error status`;
}

function bodyOf(finding: Finding): string {
  return `The body of a response with status ${detail(finding, "status")}`;
}

function notJson({ details }: Finding): string {
  switch (details?.cause) {
    case "empty":
      return "empty instead of JSON";
    case "depth":
      return `nested deeper than ${String(details.deepest)} levels and was not read`;
    default:
      return "not JSON";
  }
}

function field(finding: Finding): string {
  return finding.product === undefined
    ? place(finding.path)
    : `${place(finding.path)} (product ${productName(finding.product)})`;
}

function seenIn({ seen }: Finding): string {
  if (seen?.of !== "responses" || seen.total === undefined || seen.total < 2) return "";
  return `, in ${figure(seen.count)} of ${counted(seen.total, "response")}`;
}

function seenAt(finding: Finding): string {
  const status = finding.details?.status === undefined ? "" : ` with status ${detail(finding, "status")}`;
  return `${status}${seenIn(finding)}`;
}

function moreOf({ seen }: Finding): string {
  return seen === undefined || seen.count < 2 ? "" : `, as are ${seen.count - 1} more`;
}

function pair({ condition }: Finding): readonly [string, string] {
  return (condition && pairs[condition]) ?? ["in one response", "in the other"];
}

function productsSeen({ seen }: Finding): string {
  return counted(seen?.count ?? 1, "product");
}

function are({ seen }: Finding): string {
  return seen?.count === 1 ? "is" : "are";
}

function tally(given: unknown): string {
  const { count, total } = asObject(given);
  return `${String(count)} of ${counted(Number(total), "request")}`;
}

function productName({ retailer, productId }: NonNullable<Finding["product"]>): string {
  return code(`${retailer} / ${productId}`);
}

function productOf({ product }: Finding): string {
  return product === undefined ? "a product" : productName(product);
}

function category(finding: Finding): string {
  return `category ${code(subject(finding))}`;
}

function categoryNames({ details }: Finding): string {
  const names = strings(details?.categories).map(code);
  return `${names.length === 1 ? "category" : "categories"} ${listed(names)}`;
}

function retailerName(finding: Finding): string {
  return code(detail(finding, "retailer"));
}

function retailerNames({ details }: Finding): string {
  return listed(strings(details?.retailers).map(code));
}

function callerName(caller: string | undefined): string {
  return caller === "otherOrg" ? "the key of the other organization" : "this key";
}

/** The variable of the second key that a finding is about. */
function keyVariable({ subject: role }: Finding, { keyVariables }: WordsContext): string {
  return role === "otherOrg" ? keyVariables.otherOrg : keyVariables.sameOrg;
}

function fieldName(name: string | undefined): string {
  return name === "gtin" ? "GTIN" : code(name ?? "");
}

function formatName(format: unknown): string {
  return Array.isArray(format)
    ? `one of ${format.map(value).join(", ")}`
    : (formatNames[String(format)] ?? value(format));
}

function typeNames(types: unknown): string {
  return (Array.isArray(types) ? types : [types]).map(typeName).join(" or ");
}

function oneOf(values: unknown): string {
  return (Array.isArray(values) ? values : [values]).map(String).join(" or ");
}

function subject(finding: Finding): string {
  return finding.subject ?? "";
}

function seenNoun(seen: Finding["seen"]): string {
  return (seen?.of ?? "responses").slice(0, -1);
}

function detail({ details }: Finding, name: string): string {
  return String(details?.[name] ?? "");
}

interface CategoryTried {
  readonly category: string;
  readonly status?: number;
  readonly cause?: Finding;
}

function categoriesTried({ details }: Finding): readonly CategoryTried[] {
  return Array.isArray(details?.categories) ? details.categories : [];
}

const toHaveLimitFree =
  "Run when nothing else uses this organization's rate limit, or ask the operator for a higher one.";

function failure({ subject: name = "" }: Finding): { readonly text: string; readonly fix: string } {
  return transportFailureWords(name);
}

// A cause inside another finding is always a conformance finding.
function textOf(finding: Finding, context: WordsContext): string {
  const words: FindingWords | undefined = conformanceWords[finding.code as ConformanceCode];
  return words?.text(finding, context) ?? "";
}

function fixOf(finding: Finding, context: WordsContext): string | undefined {
  const words: FindingWords | undefined = conformanceWords[finding.code as ConformanceCode];
  return words?.fix?.(finding, context);
}

function strings(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}

function asObject(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

/** The first names of a long list, and the number of the others. */
function someOf(texts: readonly string[]): string {
  const more = texts.length - mostNames;
  return more > 0 ? `${texts.slice(0, mostNames).join(", ")} and ${more} more` : texts.join(", ");
}

const mostNames = 8;
