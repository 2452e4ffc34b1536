import type { IncomingHttpHeaders } from "node:http";
import type { EndpointId } from "../schemas/api.ts";
import type { AuthenticatedCaller } from "./access.ts";

/** Where a request goes: `products` is the endpoint with modes, `none` any path that is not of the spec. */
export type Route = Extract<EndpointId, "retailers" | "lookup-by-id" | "batch"> | "products" | "none";

/** One request, as far as it was read. */
export interface ServiceRequest {
  readonly route: Route;
  /** Query as it was sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded path parameters. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON body; undefined when there is none or it was not read yet. */
  body: unknown;
  /** Set once the key is accepted. */
  caller: AuthenticatedCaller | undefined;
}

/** A response. A body that is text or bytes is JSON already. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string | Buffer;
}
