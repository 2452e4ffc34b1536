import type { FastifyRequest } from "fastify";
import { httpRefusal } from "./http-refusal.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a body as JSON in well-formed UTF-8. @throws Refusal 400, also for an empty body. */
export async function parseJson(_request: FastifyRequest, body: Buffer): Promise<unknown> {
  try {
    // A member named __proto__ is plain data here: nothing copies the body's members onto other objects.
    return JSON.parse(utf8.decode(body));
  } catch {
    throw httpRefusal(400);
  }
}
