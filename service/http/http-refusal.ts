import { internalError, notFound, Refusal } from "../refusal.ts";

/** Statuses that the router and the parser come upon by themselves, with what we say about them. */
const messages: Readonly<Record<number, string>> = {
  400: "The request is malformed: bad percent-encoding, bad JSON, or a body of another length than announced.",
  408: "The request did not arrive in time.",
  413: "The request body is too large.",
  414: "The request URL is too long.",
  415: "The request body is not JSON: send `Content-Type: application/json`.",
  417: "No expectation but 100-continue can be met.",
  431: "The request headers are too large.",
};

/**
 * A refusal for a status that HTTP gives and the spec's table does not name: it is the client's mistake, and
 * so has the code for a malformed request.
 */
export function httpRefusal(status: number, headers: Record<string, string> = {}): Refusal {
  return new Refusal(status, "bad_request", messages[status] ?? "The request is malformed.", headers);
}

/** 405: the path is right, the method is not. */
export function wrongMethod(allowed: string): Refusal {
  return new Refusal(405, "bad_request", `This path answers ${allowed} only.`, { allow: allowed });
}

/** What a client is told about anything thrown on the way of a request. */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status === 404) return notFound("There is no such endpoint.");
  return status >= 400 && status < 500 ? httpRefusal(status) : internalError();
}
