import { type Secret, secretsOfHeader, shortestKey } from "../../schemas/redaction.ts";

/** How a target is reached. Nothing of it is part of the service, and all of it holds for every request to the target. */
export interface Way {
  /** Headers that a gateway in front of the service wants. They are sent to the target and to nobody else. */
  readonly headers?: readonly GatewayHeader[];
  /** What the `Host` header says in place of the base URL's host. */
  readonly host?: string;
  readonly tls?: Tls;
  /** Whether HTTP/2 may be spoken where the server offers it. Default: true */
  readonly http2?: boolean;
  /** Header that carries an id of each request, by which it is found in the server's logs. Default: none */
  readonly requestIdHeader?: string;
  /** Header by which the server answers with an id of its own, beside the usual ones. */
  readonly responseIdHeader?: string;
}

/** What TLS takes beside the authorities that everybody trusts. All but the name in PEM. */
export interface Tls {
  readonly authorities?: readonly string[];
  /** Certificate, and the chain behind it, that the server asks of its clients. */
  readonly certificate?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** Name that the server is asked for, and that its certificate must be for, in place of the base URL's host. */
  readonly serverName?: string;
  /** Certificates are not checked: what answers may be anybody. */
  readonly insecure?: boolean;
}

export interface GatewayHeader {
  readonly name: string;
  readonly value: string;
  /** The environment variable that the value came from, by which it is shown; one without is no secret. */
  readonly variable?: string;
}

/** What must not be shown of a way. */
export function secretsOf({ headers = [] }: Way = {}): Secret[] {
  return headers.flatMap(({ value, variable }) =>
    variable === undefined ? [] : secretsOfHeader(value, `$${variable}`),
  );
}

/** The headers that the way adds to a request. */
export function headersOf({ headers = [], host }: Way = {}): Record<string, string> {
  return Object.fromEntries([
    ...(host === undefined ? [] : [["host", host]]),
    ...headers.map(({ name, value }) => [name, value]),
  ]);
}

/** The password of a proxy, as it stands and as its URL spells it. */
export function secretsOfProxy(proxy: string | undefined): Secret[] {
  const password = proxy === undefined ? "" : new URL(proxy).password;
  const isLong = password.length >= shortestKey;
  return isLong ? secretsOfHeader(decodeURIComponent(password), "$PROXY_PASSWORD") : [];
}
