import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import type { Exchange } from "../client/exchange.ts";
import type { HttpClient } from "../client/http-client.ts";
import { concernsHost } from "../client/liveness.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { type Request, retailers } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { TransportError } from "../client/transport-error.ts";

/** The target cannot be judged at all: it does not answer, does not accept the key, or is no such service. */
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
 * Makes sure that something answers and that it accepts the primary key, in either header.
 * @returns The header in which it was accepted; the checks use it wherever either would do.
 * @throws CannotJudge when nothing answers, or the key is rejected in both.
 */
export async function acceptedKeyHeader(client: PoliteClient, target: Target): Promise<KeyHeader> {
  const { primary: variable } = target.keyVariables ?? keyVariables;
  if (target.keys.primary === undefined) {
    throw new CannotJudge({
      what: "there is no API key to ask with",
      where: target.baseUrl,
      fix: `Set ${variable}.`,
    });
  }
  const answers: Exchange[] = [];
  for (const keyHeader of Object.values(keyHeaders)) {
    const answer = await contact(client, { ...retailers(), keyHeader });
    answers.push(answer);
    if (answer.response.status !== 401) return keyHeader;
  }
  throw new CannotJudge({
    what: `the key was refused with ${answers.map(({ response }) => response.status).join(" and ")}, in ${Object.values(keyHeaders).join(" and in ")}`,
    where: `${target.baseUrl}/retailers`,
    fix: `Check ${variable}: is it complete, of this environment, and are the terms accepted?`,
  });
}

async function contact(client: PoliteClient, request: Request): Promise<Exchange> {
  try {
    // One request may be lost on the way; that is judged on the rest.
    return await client.contact(request).catch(async (error: unknown) => {
      if (error instanceof TransportError && !concernsHost(error)) return await client.contact(request);
      throw error;
    });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new CannotJudge(
      {
        what: `the target does not answer: ${transportFailureWords(error.failure).text}`,
        where: error.url,
        fix: error.fix,
      },
      { cause: error },
    );
  }
}

/**
 * A target that is down, that limits every request, or that redirects them all, is told as that.
 * @throws CannotJudge when it is gone, and when no answer to a key until now was one that such a service gives.
 */
export function mustBeThere(
  { exchanges, redaction }: HttpClient,
  client: PoliteClient,
  target: Target,
): void {
  const gone = client.gone();
  if (gone !== undefined) throw new CannotJudge(problemFrom(gone, target.baseUrl));
  const answers = exchanges.filter(({ caller }) => caller !== "nobody");
  const [first] = answers;
  if (first === undefined || answers.some(({ response }) => isOfService(response.status))) return;
  const { status, headers } = first.response;
  const { location } = headers;
  if (location === undefined) {
    throw new CannotJudge({
      what: `the target answers ${status} to everything`,
      where: target.baseUrl,
      fix: "Look at the service's log, and at any proxy in between.",
    });
  }
  throw new CannotJudge({
    what: redaction.redact(`the target redirects every request (${status}) to ${location}`),
    where: target.baseUrl,
    fix: "A key is not sent to another address on a response's word: set the base URL to where the service is.",
  });
}

function isOfService(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

/**
 * A base URL that points at a web site answers everything with a page: that is no service to judge.
 * @throws CannotJudge when no response until now was JSON.
 */
export function mustSpeakJson({ exchanges, redaction }: HttpClient, target: Target): void {
  if (exchanges.some(({ response }) => response.json !== undefined)) return;
  const first = exchanges[0];
  throw new CannotJudge({
    what: redaction.redact(
      `no answer is JSON (${first?.response.status} ${first?.response.headers["content-type"] ?? "without a content type"})`,
    ),
    where: target.baseUrl,
    fix: "This does not look like a product catalog lookup service: correct the base URL.",
  });
}
