import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Problem } from "../../schemas/contracts/results.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { responderName, responseWords } from "../../schemas/words/response.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import { type Exchange, fromOf } from "../client/exchange.ts";
import type { HttpClient } from "../client/http-client.ts";
import { BudgetSpent, TransportError } from "../client/no-response.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { type Request, retailers } from "../client/requests.ts";
import type { Target } from "../client/target.ts";

/** The target is unreachable, refuses the key, or is not a product catalog lookup service. */
export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
  readonly problem: Problem;
  constructor(problem: Problem, options?: ErrorOptions) {
    super(`${problem.what}: ${problem.where}. ${problem.fix}`, options);
    this.problem = problem;
  }
}

/**
 * Checks that the target responds and accepts the primary key in one of the two headers.
 * @returns the accepted header, used wherever either would do, and the list of retailers with it
 * @throws CannotJudge when the target is unreachable or rejects the key in both headers
 */
export async function acceptedKeyHeader(
  http: HttpClient,
  target: Target,
): Promise<{ readonly keyHeader: KeyHeader; readonly list: Exchange }> {
  const { keys, baseUrl, keyVariables, keyNames = keyVariables } = target;
  if (keys.primary === undefined)
    throw new CannotJudge({ what: "No API key is set", where: baseUrl, fix: `Set ${keyNames.primary}.` });
  let refusal: Exchange | undefined;
  for (const keyHeader of Object.values(keyHeaders)) {
    const list = await contact(http, { ...retailers(), keyHeader }, target);
    if (list.response.status !== 401) return { keyHeader, list };
    refusal ??= list;
  }
  const from = refusal && fromOf(refusal);
  const isOther = from !== undefined && from.by !== "cache";
  const rejected = isOther ? `${responderName(from)} rejected the key` : "The key was rejected";
  const response = refusal && responseWords(refusal.response);
  throw new CannotJudge({
    what: http.redaction.redact(`${rejected} with 401 in both headers (response: ${response})`),
    where: `${baseUrl}/retailers`,
    fix: isOther
      ? fixes.keyOnTheWay
      : `Check ${keyNames.primary}: is it complete, of this environment, and are the terms accepted? If the message says that no key arrived, something in front of the service removes it.`,
  });
}

const outOfTime = {
  what: "The time of this run ended before a response came",
  fix: "Check whether the target responds. If it does, raise --max-time.",
} as const;

async function contact(http: HttpClient, request: Request, target: Target): Promise<Exchange> {
  try {
    // A single lost request is sent again.
    const exchange = await http.send(request).catch(async (error: unknown) => {
      if (error instanceof TransportError) return await http.send(request);
      throw error;
    });
    // Later, such a response violates service.json. At first it says that this is no service to judge.
    if (exchange.response.undecodable !== undefined)
      throw new TransportError("undecodable", http.redaction.redactRequest(exchange.request));
    return exchange;
  } catch (error) {
    if (error instanceof BudgetSpent)
      throw new CannotJudge({
        ...problemFrom(error.reason, target),
        ...(error.reason.subject === "seconds" && outOfTime),
      });
    if (!(error instanceof TransportError)) throw error;
    const { connection } = target;
    const { text, fix } = transportFailureWords(error.failure);
    const { url } = error.request;
    // Nothing is known about the target behind a proxy that fails.
    const problem =
      error.failure === "proxy" && connection?.proxy !== undefined
        ? { what: capitalized(text), where: `${new URL(connection.proxy).origin}, for ${url}` }
        : { what: `No response (${text})`, where: url };
    throw new CannotJudge({ ...problem, fix }, { cause: error });
  }
}

/**
 * Rejects a target that is down, limits or redirects every request, or is a web site rather than an API.
 * @throws CannotJudge when the target is down, or no response so far is one that such a service returns
 */
export function mustBeService(
  { exchanges, redaction }: HttpClient,
  client: PoliteClient,
  target: Target,
): void {
  const withKey = exchanges.filter(({ caller }) => caller !== "nobody");
  const gone = client.gone();
  const problem = gone === undefined ? wrongOfAll(withKey) : problemFrom(gone, target);
  if (problem !== undefined)
    throw new CannotJudge({ where: target.baseUrl, ...problem, what: redaction.redact(problem.what) });
}

/** What is wrong with all responses; undefined if one of them may be the service's. */
function wrongOfAll(exchanges: readonly Exchange[]): Pick<Problem, "what" | "fix"> | undefined {
  const [first] = exchanges;
  if (first === undefined) return undefined;
  const { headers, status } = first.response;
  const statuses = new Set(exchanges.map(({ response }) => response.status));
  const returned = `${responderName(fromOf(first))} returned ${[...statuses].join(" or ")} to every request`;
  const what = `${returned} (response: ${responseWords(first.response)})`;
  // GET /retailers is among them, and needs nothing but the right path.
  if (statuses.size === 1 && status === 404) return { what, fix: fixes.nothingThere };
  if (![...statuses].some(isOfService)) {
    if (headers.location !== undefined)
      return { what: `${returned}, and redirects to ${headers.location}`, fix: fixes.redirect };
    return { what, fix: status === 429 ? fixes.limited : fixes.otherStatus };
  }
  if (exchanges.every(isOfGateway)) return { what, fix: fixes.gateway };
  if (exchanges.some(({ response }) => response.json !== undefined)) return undefined;
  const { "content-type": type = "without a content type" } = headers;
  const fix = /json/i.test(type) ? fixes.invalidJson : fixes.noApi;
  return { what: `No response is JSON (${status} ${type})`, fix };
}

/** Whether a response is an error that is not in the form of the service's. */
function isOfGateway(exchange: Exchange): boolean {
  return exchange.response.status >= 400 && !["cache", undefined].includes(fromOf(exchange)?.by);
}

/** A status of a valid or invalid request (spec, Errors). Who returns nothing else cannot be judged. */
function isOfService(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 401, 403, 404].includes(status);
}

const ofGateway =
  "which headers or client certificate a gateway requires: headers, clientCertificate and clientKey in the target's entry.";

/** How to fix each reason why nothing can be judged. */
const fixes = {
  keyOnTheWay: `The service's errors have another form. Check ${ofGateway}`,
  gateway: `Check the path of the base URL, and ${ofGateway}`,
  nothingThere: "Correct the base URL: nothing is at this path.",
  limited: "Try again when the wait is over, or with a key whose limit is not exceeded.",
  otherStatus: "Check that the service runs. Look at its log, and at that of any gateway in front of it.",
  redirect: "The key is only sent to the configured address: set the base URL to the address of the service.",
  noApi: "This does not look like a product catalog lookup service: correct the base URL.",
  invalidJson:
    "The Content-Type is JSON, and the body is not: it may be empty, cut, or begin with a byte order mark. Look at it with curl.",
} as const;
