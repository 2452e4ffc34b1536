import { setTimeout as sleep } from "node:timers/promises";
import { keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/types.ts";
import { NotJudged } from "../engine/outcome.ts";
import type { Exchange } from "./exchange.ts";
import { BudgetSpent, type HttpClient, type SendOptions } from "./http-client.ts";
import type { Request } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

/** Asks as a well-behaved client does, and remembers whether the target is still there. */
export interface PoliteClient {
  /**
   * The answer to a request, after waiting out 429 and retrying 502, 503, 504 and broken connections.
   * @throws NotJudged when none of that led to an answer that can be judged.
   */
  ask(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /** The answer to a request that is sent once, regardless of any wait. @throws NotJudged when none came. */
  sendAtOnce(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /**
   * The answer to a request that the target may choke on, whatever its status, or the failure where none came: it is
   * the request's fault until another one shows otherwise, so it does not count towards a target that is gone.
   * @throws NotJudged where the rate limit or the budget leaves no answer.
   */
  tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError>;
  /** The last failure, once so many came in a row that the target counts as gone. */
  gone(): TransportError | undefined;
}

const attempts = { refused: 6, upstream: 4, internal: 2, transport: 2 } as const;
const failuresUntilGone = 3;
// Each silence costs the whole timeout, so not all of a run is spent on an endpoint that hangs.
const silencesUntilGone = 4;
const longestWaitMilliseconds = 120_000;
// A limit that accepts nothing after so many waits in a row will not accept anything within this run.
const waitsUntilShut = 8;
// Refusals of requests that were under way together count as one.
const leastWaitMilliseconds = 250;

/** A polite client on top of an HTTP client; one for each run, since it counts failures in a row. `now` in milliseconds. */
export function politely(http: HttpClient, now: () => number = () => performance.now()): PoliteClient {
  let failuresInARow = 0;
  let silences = 0;
  let lastFailure: TransportError | undefined;
  const gone = () =>
    failuresInARow >= failuresUntilGone || silences >= silencesUntilGone ? lastFailure : undefined;

  const shut = new Map<Request["caller"], { waits: number; until: number }>();

  function noteLimit({ caller }: Request, { response: { status } }: Exchange): void {
    if (status !== 429) {
      shut.delete(caller);
      return;
    }
    const { waits, until } = shut.get(caller) ?? { waits: 0, until: 0 };
    if (now() < until) return;
    shut.set(caller, { waits: waits + 1, until: now() + Math.max(leastWaitMilliseconds, http.wait(caller)) });
  }

  async function sendOnce(
    request: Request,
    options: SendOptions,
    mayChoke = false,
  ): Promise<Exchange | TransportError> {
    const lost = gone();
    if (lost !== undefined) throw new NotJudged(transportFinding("target-stopped", lost), { cause: lost });
    const polite = options.regardlessOfLimit !== true;
    if (polite && (shut.get(request.caller)?.waits ?? 0) > waitsUntilShut) {
      throw new NotJudged(stillLimited(waitsUntilShut));
    }
    const wait = http.wait(request.caller);
    if (wait > longestWaitMilliseconds && polite) {
      throw new NotJudged({
        code: "wait-too-long",
        expected: longestWaitMilliseconds / 1000,
        actual: Math.ceil(wait / 1000),
        unit: "s",
      });
    }
    try {
      const exchange = await http.send(request, options);
      failuresInARow = 0;
      // What the burst provokes says nothing about waiting.
      if (polite || exchange.response.status !== 429) noteLimit(request, exchange);
      return exchange;
    } catch (error) {
      if (error instanceof BudgetSpent) {
        const { budget: expected, unit: subject } = error;
        throw new NotJudged({ code: "budget-spent", subject, expected }, { cause: error });
      }
      if (!(error instanceof TransportError)) throw error;
      if (mayChoke) return error;
      failuresInARow++;
      if (error.failure === "silent") silences++;
      lastFailure = error;
      return error;
    }
  }

  // Where either header would do and one is refused, the other shows the rest; that they are not equivalent is
  // for the checks of authentication.equivalent to say, which name the header.
  async function ask(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const answer = await askPatiently(request, signal);
    if (answer.response.status !== 401 || request.keyHeader !== "either" || request.caller === "nobody")
      return answer;
    const other = http.preferred() === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
    const second = await askPatiently({ ...request, keyHeader: other }, signal);
    return second.response.status === 401 ? answer : second;
  }

  async function askPatiently(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const left: Record<keyof typeof attempts, number> = { ...attempts };
    for (;;) {
      const answer = await sendOnce(request, signal === undefined ? {} : { signal });
      const trouble = troubleWith(answer);
      if (trouble === undefined) return answer as Exchange;
      left[trouble]--;
      if (left[trouble] <= 0) {
        // A failure on the service side that stays is an answer like any other: what it means is for the check to say.
        if (trouble === "internal") return answer as Exchange;
        throw notJudgedAfter(trouble, answer);
      }
      // The HTTP client waits after a 429; an upstream needs a moment of its own.
      if (trouble !== "refused")
        await sleep(150 * 2 ** (attempts[trouble] - left[trouble]), undefined, signal && { signal });
    }
  }

  async function sendAtOnce(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const answer = await sendOnce(request, {
      regardlessOfLimit: true,
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer instanceof TransportError) throw notJudgedAfter("transport", answer);
    return answer;
  }

  async function tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError> {
    const left = { ...attempts };
    for (;;) {
      const answer = await sendOnce(request, signal === undefined ? {} : { signal }, true);
      const trouble = troubleWith(answer);
      if (trouble !== "refused" && trouble !== "upstream") return answer;
      left[trouble]--;
      if (left[trouble] <= 0) {
        if (trouble === "upstream") return answer;
        throw notJudgedAfter(trouble, answer);
      }
      if (trouble === "upstream") await sleep(150, undefined, signal && { signal });
    }
  }

  return { ask, sendAtOnce, tryOut, gone };
}

function stillLimited(count: number): Finding {
  return { code: "still-rate-limited", seen: { count, of: "attempts" } };
}

function transportFinding(code: "target-stopped" | "no-answer", { failure, url }: TransportError): Finding {
  return { code, subject: failure, details: { url } };
}

function troubleWith(answer: Exchange | TransportError): keyof typeof attempts | undefined {
  if (answer instanceof TransportError) return "transport";
  const { status } = answer.response;
  if (status === 429) return "refused";
  if (status === 500) return "internal";
  return status === 502 || status === 503 || status === 504 ? "upstream" : undefined;
}

function notJudgedAfter(trouble: keyof typeof attempts, answer: Exchange | TransportError): NotJudged {
  if (answer instanceof TransportError)
    return new NotJudged(transportFinding("no-answer", answer), { cause: answer });
  if (trouble === "refused") return new NotJudged(stillLimited(attempts.refused));
  return new NotJudged({
    code: "upstream-failing",
    endpoint: answer.endpoint,
    actual: answer.response.status,
    seen: { count: attempts.upstream, of: "attempts" },
  });
}
