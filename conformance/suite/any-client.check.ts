import { isDeepStrictEqual } from "node:util";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "../client/exchange.ts";
import { byCategory, byId, query, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { type Outcome, together } from "../requirements/outcome.ts";
import { nextCursor } from "../response/readers.ts";
import type { Check, CheckContext, ResponseView } from "./check/check.ts";
import { configuredHeaders, eachEndpoint, unknownProduct } from "./check/inputs.ts";
import { sameContent } from "./check/product-comparison.ts";
import { compared, section } from "./check/rows.ts";
import { clientRows, openRows, type RequestSpelling, type SpellingRow, settledRows } from "./spellings.ts";

const mostShown = 3;

/** One request of each endpoint, and of each error, in every spelling of spellings.ts. */
export default section(
  "service",
  [
    ...onEveryEndpoint(
      "service.any-client",
      settledRows,
      "from usual clients and in other spellings of HTTP, URIs and JSON",
    ),
    {
      id: "service.any-client/errors",
      title: "Usual clients get the same status for a missing product, parameter or key",
      requests: 3 + clientRows.length,
      async run(context) {
        const { retailer, productId } = await unknownProduct(context);
        const missing = byId(retailer, productId);
        const errors: readonly Request[] = [
          missing,
          query("other", {}),
          { ...retailers(), caller: "nobody" },
        ];
        const rows = clientRows.map((row, at) => ({ ...row, of: () => errors[at % errors.length] }));
        return await alike(context, rows, missing);
      },
    },
    {
      id: "service.any-client/after-head",
      title: "GET after HEAD of the same page returns JSON",
      send({ fixtures }) {
        // No other check asks for pages of this size: a cache that has the page already would show nothing.
        const request = byCategory(need(fixtures.category).category, { limit: "4" });
        return [{ ...request, endpoint: "other", method: "HEAD" }, request];
      },
      how: "in turn",
      rules: ["service.json/every-response"],
    },
    ...onEveryEndpoint("service.open-spellings", openRows, "in spellings that HTTP lets a service refuse"),
  ],
  "How clients write requests",
);

function onEveryEndpoint(
  requirement: "service.any-client" | "service.open-spellings",
  rows: readonly SpellingRow[],
  how: string,
): Check[] {
  return eachEndpoint.map(({ ending, label, request }) => ({
    id: `${requirement}/${ending}`,
    title: `${label}: a request gets the same status, products and retailers ${how}`,
    requests: 2 + rows.length,
    async run(context) {
      await context.control(request(context));
      return await alike(context, rows, request(context));
    },
  }));
}

const isPart = ({ endpoint, response }: Exchange): boolean =>
  endpoint === "category-page" && nextCursor(response.json) !== "";

/** A category may be in another order each time, so that two of its pages need not show the same products. */
const sameButOrder: ResponseView = (one, other, context) =>
  sameContent("other-spelling")(one, other, context).filter(
    ({ code }) => code !== "shown-by-one-only" || !isPart(one) || !isPart(other),
  );

/** Compares a request with itself in each spelling; several at once, and then each alone if they differ. */
async function alike(context: CheckContext, rows: readonly SpellingRow[], good: Request): Promise<Outcome> {
  const failures: Outcome[] = [];
  for (const { spellings, of, refusedBy } of rows) {
    const request = of === undefined ? good : of(good, context);
    if (request === undefined || failures.length >= mostShown) continue;
    const all = await differing(context, request, spellings);
    const actual = all[0]?.findings[0]?.actual;
    if (actual !== undefined && actual === refusedBy) continue;
    const alone: Outcome[] = [];
    if (all.length > 0 && spellings.length > 1)
      for (const one of spellings) alone.push(...(await differing(context, request, [one])));
    failures.push(...(alone.length > 0 ? alone : all));
  }
  return together(failures);
}

/** The failure of a request that is written in these ways at once, if it fails. */
async function differing(
  context: CheckContext,
  request: Request,
  spellings: readonly RequestSpelling[],
): Promise<Outcome[]> {
  const { keys } = context.target;
  const own = configuredHeaders(context);
  const key = request.caller === "nobody" ? "" : (keys[request.caller] ?? "");
  const written = spellings
    .filter(({ header = "" }) => !own.includes(header))
    .reduce((one, { write }) => write(one, key), request);
  // What has nothing to be written in this way stays as it is.
  if (isDeepStrictEqual(written, request)) return [];
  const outcome = await compared(context, [request, written], sameButOrder);
  const [{ name: spelling, sent } = { name: "together" as const }] = spellings.length === 1 ? spellings : [];
  const findings = outcome.findings.map(
    (one) => ({ ...one, details: { ...one.details, spelling, sent } }) as Finding,
  );
  return outcome.kind === "fail" ? [{ ...outcome, findings }] : [];
}
