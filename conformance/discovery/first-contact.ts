import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { responderName } from "../../schemas/words/responder.ts";
import { responseWords } from "../../schemas/words/response.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import type { Exchange } from "../client/exchange.ts";
import { fromOf } from "../client/from.ts";
import type { HttpClient } from "../client/http-client.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { type Request, retailers } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { TransportError } from "../client/transport-error.ts";

/**
 * The target cannot be judged at all: it is unreachable, refuses the key, or is not a product catalog lookup service.
 */
export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
  readonly what: string;
  readonly where: string;
  readonly fix: string;
  constructor(problem: { what: string; where: string; fix: string }, options?: ErrorOptions) {
    super(`${problem.what}: ${problem.where}. ${problem.fix}`, options);
    this.what = problem.what;
    this.where = problem.where;
    this.fix = problem.fix;
  }
}

/**
 * Checks that the target responds and accepts the primary key in one of the two headers.
 * @returns the header in which it was accepted, used wherever either would do, and the list of retailers with it
 * @throws CannotJudge when the target is unreachable or rejects the key in both headers
 */
export async function acceptedKeyHeader(
  http: HttpClient,
  target: Target,
): Promise<{ readonly keyHeader: KeyHeader; readonly list: Exchange }> {
  const { primary: variable } = target.keyVariables ?? keyVariables;
  if (target.keys.primary === undefined) {
    throw new CannotJudge({
      what: "No API key is set",
      where: target.baseUrl,
      fix: `Set ${variable}.`,
    });
  }
  const refused: Exchange[] = [];
  for (const keyHeader of Object.values(keyHeaders)) {
    const list = await contact(http, { ...retailers(), keyHeader }, target);
    if (list.response.status !== 401) return { keyHeader, list };
    refused.push(list);
  }
  throw keyRejected(refused, http, target);
}

/** Why the key got no list: something in front of the service refused it, a cache did, or the service. */
function keyRejected(
  refused: readonly Exchange[],
  { redaction }: HttpClient,
  { baseUrl, keyVariables: { primary } = keyVariables }: Target,
): CannotJudge {
  const [first] = refused;
  const where = `${baseUrl}/retailers`;
  const said = first === undefined ? "" : ` (response: ${responseWords(first.response)})`;
  const from = first && fromOf(first);
  if (from !== undefined && from.by !== "cache")
    return new CannotJudge({
      what: redaction.redact(`${responderName(from)} rejected the key with 401 in both headers${said}`),
      where,
      fix: "The service's errors have another form. Check which headers or client certificate a gateway requires: headers, clientCertificate and clientKey in the target's entry.",
    });
  const cache = refused.map((one) => fromOf(one)?.cache).find((one) => one !== undefined);
  return new CannotJudge({
    what: redaction.redact(`The key was rejected with 401 in both headers${said}`),
    where,
    fix:
      cache === undefined
        ? `Check ${primary}: is it complete, of this environment, and are the terms accepted? If the message says that no key arrived, something in front of the service removes it.`
        : `The response comes from a cache (${cache}), which may have kept the refusal of a request without a key: a cache must not keep responses with 401.`,
  });
}

async function contact(
  http: HttpClient,
  request: Request,
  { connection }: Pick<Target, "connection">,
): Promise<Exchange> {
  try {
    // A single lost request is sent again.
    const exchange = await http.send(request).catch(async (error: unknown) => {
      if (error instanceof TransportError) return await http.send(request);
      throw error;
    });
    // Later, such a response violates service.json. At first it says that this is no service to judge.
    if (exchange.response.undecodable !== undefined)
      throw new TransportError("undecodable", http.redaction.redact(exchange.request.url));
    return exchange;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { text } = transportFailureWords(error.failure);
    // Nothing is known about the target behind a proxy that fails.
    const problem =
      error.failure === "proxy" && connection?.proxy !== undefined
        ? { what: capitalized(text), where: `${new URL(connection.proxy).origin}, for ${error.url}` }
        : { what: `The target does not respond (${text})`, where: error.url };
    throw new CannotJudge({ ...problem, fix: error.fix }, { cause: error });
  }
}

/**
 * Rejects a target that is down, limits every request or redirects every request.
 * @throws CannotJudge when the target is down, or no response so far had a status that such a service returns
 */
export function mustBeThere(http: HttpClient, client: PoliteClient, target: Target): void {
  const { exchanges, redaction } = http;
  mustReachService(http, target);
  const gone = client.gone();
  if (gone !== undefined) throw new CannotJudge(problemFrom(gone, target.baseUrl));
  const responses = exchanges.filter(({ caller }) => caller !== "nobody");
  const [first] = responses;
  if (first === undefined) return;
  // GET /retailers is among them, and needs nothing but the right path.
  if (responses.every(({ response }) => response.status === 404)) {
    throw new CannotJudge({
      what: "The target returns 404 to every request, GET /retailers among them",
      where: target.baseUrl,
      fix: "Correct the base URL: the service has nothing at this path.",
    });
  }
  if (responses.some(({ response }) => isOfService(response.status))) return;
  const { status, headers } = first.response;
  const { location } = headers;
  if (location === undefined) {
    throw new CannotJudge({
      what: `The target returns ${status} to every request`,
      where: target.baseUrl,
      fix: "Look at the service's log, and at any proxy in between.",
    });
  }
  throw new CannotJudge({
    what: redaction.redact(`The target redirects every request (${status}) to ${location}`),
    where: target.baseUrl,
    fix: "The key is only sent to the configured address: set the base URL to the address of the service.",
  });
}

/** @throws CannotJudge when no response to a request with a key is in the form of the service's, and all are errors. */
function mustReachService({ exchanges, redaction }: HttpClient, target: Target): void {
  const withKey = exchanges.filter(({ caller }) => caller !== "nobody");
  const [first] = withKey;
  const from = first && fromOf(first);
  const isStranger = (one: Exchange) =>
    one.response.status >= 400 && !["cache", undefined].includes(fromOf(one)?.by);
  if (from === undefined || first === undefined || !withKey.every(isStranger)) return;
  const { status } = first.response;
  throw new CannotJudge({
    what: redaction.redact(
      `${responderName(from)} responds with ${status} to every request (response: ${responseWords(first.response)})`,
    ),
    where: target.baseUrl,
    fix:
      status === upgradeRequired
        ? otherVersion
        : status >= 500
          ? "Check that the service runs, and the log of the gateway in front of it."
          : "Check the path of the base URL, and which headers or client certificate a gateway requires: headers, clientCertificate and clientKey in the target's entry.",
  });
}

const upgradeRequired = 426;
const otherVersion =
  "Something behind the first gateway requires a newer version of HTTP: set the version with which the gateway in front of it sends requests.";

/** What the service returns to a valid or an invalid request (spec, Errors). One that returns nothing else cannot be judged. */
function isOfService(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 401, 403, 404].includes(status);
}

/**
 * Rejects a base URL that leads to a web site rather than an API.
 * @throws CannotJudge when no response so far was JSON
 */
export function mustReturnJson(http: HttpClient, target: Target): void {
  const { exchanges, redaction } = http;
  mustReachService(http, target);
  if (exchanges.some(({ response }) => response.json !== undefined)) return;
  const first = exchanges[0]?.response;
  const contentType = first?.headers["content-type"];
  throw new CannotJudge({
    what: redaction.redact(
      `No response is JSON (${first?.status} ${contentType ?? "without a content type"})`,
    ),
    where: target.baseUrl,
    fix: /json/i.test(contentType ?? "")
      ? whyInvalid(first?.text ?? "")
      : first?.status === upgradeRequired
        ? otherVersion
        : "This does not look like a product catalog lookup service: correct the base URL.",
  });
}

function whyInvalid(text: string): string {
  if (text === "") return "The body is empty, although its Content-Type is JSON: look at the service's log.";
  return text.startsWith("\uFEFF")
    ? "The body begins with a byte order mark, which JSON does not allow: remove it in the service."
    : "The body is not valid JSON, although its Content-Type is JSON: look at it with curl.";
}
