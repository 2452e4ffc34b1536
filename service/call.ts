import type { IncomingHttpHeaders } from "node:http";
import type { KeyHeader as ApiKeyHeader } from "../schemas/api.ts";
import type { Permissions } from "./access.ts";

/** The endpoint of the spec that a request is for; `none` for any other path. */
export type Endpoint = "retailers" | "product" | "products" | "batch" | "none";

/** The header that carried the key. Both are equivalent (spec, Authentication). */
export type KeyHeader = Lowercase<ApiKeyHeader>;

/** The organization that sent the request with one of its keys. */
export interface Caller {
  readonly organization: number;
  /** Ids of the retailers that the organization may use now. */
  readonly entitled: ReadonlySet<number>;
  /** Permissions at the time of the request, which decide all of it. */
  readonly permissions: Permissions;
  readonly keyHeader: KeyHeader;
}

/** One request, as far as it was read. */
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

/** A response. A body that is text or bytes is JSON already. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string | Buffer;
}

/** A value now, or the promise of one. */
export type Eventually<T> = T | Promise<T>;
