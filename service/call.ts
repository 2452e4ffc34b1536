import type { IncomingHttpHeaders } from "node:http";
import type { Permissions } from "./access/permissions.ts";

/** Which endpoint of the spec a request is for; `none` for everything that is not one of them. */
export type Endpoint = "retailers" | "product" | "products" | "batch" | "none";

/** The header that a key came in. Both are equal (spec, Authentication). */
export type KeyHeader = "authorization" | "x-api-key";

/** Who asks: an organization, through one of its keys. */
export interface Caller {
  readonly organization: number;
  /** Ids of the retailers that the organization may use now. */
  readonly entitled: ReadonlySet<number>;
  /** What was permitted to whom when the request came; all of it is answered by that. */
  readonly permissions: Permissions;
  readonly keyHeader: KeyHeader;
}

/** One request, as far as the framework has read it. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path as it was sent, still encoded. */
  readonly path: string;
  /** Query as it was sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded path parameters. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON body; undefined when there is none or it was not read yet. */
  body: unknown;
  /** Set once the key is accepted. */
  caller: Caller | undefined;
}

/** What goes back. A body that is text or bytes is JSON already. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string | Buffer;
}

/** A value now, or the promise of one. */
export type Eventually<T> = T | Promise<T>;
