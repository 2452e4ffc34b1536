import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { CannotJudge } from "../client/cannot-judge.ts";
import type { Exchange, HttpClient } from "../client/exchange.ts";
import { type Request, retailers } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { TransportError } from "../client/transport-error.ts";

/** What the first requests showed. */
export interface FirstContact {
  /** The header that carried the key when it was accepted; the checks use it wherever either would do. */
  readonly keyHeader: KeyHeader;
}

/**
 * Makes sure that something answers and that it takes the primary key, in either header.
 * @throws CannotJudge when nothing answers, or the key is refused in both.
 */
export async function firstContact(http: HttpClient, target: Target): Promise<FirstContact> {
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
    const answer = await contact(http, { ...retailers(), keyHeader });
    answers.push(answer);
    if (answer.response.status !== 401) return { keyHeader };
  }
  throw new CannotJudge({
    what: `the key was refused with ${answers.map(({ response }) => response.status).join(" and ")}, in ${Object.values(keyHeaders).join(" and in ")}`,
    where: `${target.baseUrl}/retailers`,
    fix: `Check ${variable}: is it complete, of this environment, and are the terms accepted?`,
  });
}

async function contact(http: HttpClient, request: Request): Promise<Exchange> {
  try {
    return await http.send(request);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new CannotJudge(
      { what: `the target does not answer (${error.failure})`, where: error.url, fix: error.fix },
      { cause: error },
    );
  }
}
