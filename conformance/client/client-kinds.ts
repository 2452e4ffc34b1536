/**
 * What clients send besides the key. The plain one is the usual one of a run; a part of the ordinary requests goes out like
 * the others, as curl, Go, Python's requests and axios send them.
 */
export const clientKinds = {
  plain: { accept: "application/json" },
  "without-accept": {},
  "any-type": { accept: "*/*", "accept-encoding": "gzip" },
  compressing: { accept: "*/*", "accept-encoding": "gzip, deflate" },
  "several-types": { accept: "application/json, text/plain, */*", "accept-encoding": "gzip, deflate, br" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type ClientKind = keyof typeof clientKinds;

/** These clients name the charset of what they send. */
const namesCharset: ReadonlySet<ClientKind> = new Set(["any-type", "several-types"]);

const json = "application/json";

/** What the headers of a request depend on. */
interface FromClient {
  /** Default: the plain one */
  readonly client?: ClientKind | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The headers of a request from a kind of client.
 * @param others headers of the connection and the key, which the request's own headers replace
 */
export function headersOfClient(
  { client = "plain", headers }: FromClient,
  others: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = namesCharset.has(client) && headers["content-type"] === json;
  return {
    ...clientKinds[client],
    ...others,
    ...headers,
    ...(names ? { "content-type": `${json}; charset=utf-8` } : {}),
  };
}
