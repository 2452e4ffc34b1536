import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { httpRefusal } from "./http-refusal.ts";

/** Parses a body as JSON in well-formed UTF-8; a Refusal 400 for anything else, also for an empty body. */
export function parseJson(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let parsed: unknown;
  try {
    if (!isUtf8(body)) throw new SyntaxError("not UTF-8");
    // A member named __proto__ is plain data here: nothing copies the body's members onto other objects.
    parsed = JSON.parse(body.toString());
  } catch {
    done(httpRefusal(400));
    return;
  }
  done(null, parsed);
}
