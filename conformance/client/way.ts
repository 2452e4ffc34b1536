import { placeholderOf, type Secret, secretsOfHeader, shortestKey } from "../../schemas/redaction.ts";

/** How a target is reached: settings of the network, not of the service, that apply to every request. */
export interface Way {
  /** Headers that a gateway in front of the service requires. They are sent to the target only. */
  readonly headers?: readonly GatewayHeader[];
  /** Value of the `Host` header. Default: the host of the base URL */
  readonly host?: string;
  readonly tls?: Tls;
  /** Whether to use HTTP/2 where the server offers it. Default: true */
  readonly http2?: boolean;
  /** Header that carries an id of each request, for finding it in the server's logs. Default: none */
  readonly requestIdHeader?: string;
  /** Response header with the server's own id of the request, besides the usual ones. */
  readonly responseIdHeader?: string;
  /** The same connection for the curl lines in reports. Default: no options */
  readonly curl?: CurlSettings;
}

/** Options with which curl reaches the target in the same way. */
export interface CurlSettings {
  /** `$NAME` stands for an environment variable. */
  readonly options: readonly string[];
  /** The environment variables that the options name. */
  readonly variables: readonly string[];
  /** curl takes the TLS server name from the URL: `to` replaces the scheme and host of the target there. */
  readonly origin?: { readonly from: string; readonly to: string };
}

/** TLS settings besides the public authorities. Certificates and keys are in PEM. */
export interface Tls {
  readonly authorities?: readonly string[];
  /** Client certificate with its chain, where the server requires one. */
  readonly certificate?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** Name to send in SNI and to verify the certificate against. Default: the host of the base URL */
  readonly serverName?: string;
  /** Certificates are not checked, so the server may be anybody. */
  readonly insecure?: boolean;
}

export interface GatewayHeader {
  readonly name: string;
  readonly value: string;
  /** The environment variable that the value came from, shown in its place. Without one the value is no secret. */
  readonly variable?: string;
}

/** The values of gateway headers that must not be shown. */
export function secretsOf({ headers = [] }: Way = {}): Secret[] {
  return headers.flatMap(({ value, variable }) =>
    variable === undefined ? [] : secretsOfHeader(value, placeholderOf(variable)),
  );
}

/** The headers to add to a request. */
export function headersOf({ headers = [], host }: Way = {}): Record<string, string> {
  return Object.fromEntries([
    ...(host === undefined ? [] : [["host", host]]),
    ...headers.map(({ name, value }) => [name, value]),
  ]);
}

/** The password of a proxy, decoded and as spelled in its URL. */
export function secretsOfProxy(proxy: string | undefined): Secret[] {
  const password = proxy === undefined ? "" : new URL(proxy).password;
  const isLong = password.length >= shortestKey;
  return isLong ? secretsOfHeader(decodeURIComponent(password), "$PROXY_PASSWORD") : [];
}
