/** How a target is reached: settings of the network, not of the service, that apply to every request. */
export interface Connection {
  /** Headers that a gateway in front of the service requires. They are sent to the target only. */
  readonly headers?: readonly GatewayHeader[] | undefined;
  /** Value of the `Host` header. Default: the host of the base URL */
  readonly host?: string | undefined;
  /** Header that carries an id of each request, for finding it in the server's logs. Default: none */
  readonly requestIdHeader?: string | undefined;
  /** Certificates of authorities besides the usual ones, in PEM. */
  readonly ca?: readonly string[] | undefined;
  /** Those of this machine's system (SSL_CERT_FILE) among them. A pod has a system of its own. */
  readonly caOfSystem?: readonly string[] | undefined;
  /** Client certificate with its chain, in PEM, where the server requires one. */
  readonly clientCertificate?: string | undefined;
  /** Its private key, in PEM without a passphrase. */
  readonly clientKey?: string | undefined;
  /** Certificates are not checked, so the server may be anybody. */
  readonly insecure?: boolean | undefined;
  /** Whether to use HTTP/2 where the server offers it. Default: true */
  readonly http2?: boolean | undefined;
  /** URL of the HTTP proxy that the environment names for the target, with credentials. Default: none */
  readonly proxy?: string | undefined;
  /** Options with which curl reaches the target in the same way; `$NAME` is an environment variable. Default: none */
  readonly curl?: readonly string[] | undefined;
}

export interface GatewayHeader {
  readonly name: string;
  readonly value: string;
  /** The environment variable of the value, shown in its place. Without one the value is no secret. */
  readonly variable?: string;
}

/** The proxy has no setting of its own: the environment names it for every program. */
export type SettingName = Exclude<keyof Connection, "curl" | "caOfSystem" | "proxy">;

/** How one setting is spelled. Its name is that in the target's entry of the config file. */
interface Spelling {
  /** The environment variable for it. */
  readonly variable: string;
  /** What `--help` says about the variable. */
  readonly about: string;
  /** A boolean setting: what sets it, in the config and in the variable. */
  readonly set?: { readonly config: boolean; readonly variable: string; readonly otherwise: string };
  /** Option of curl for https, followed by the value unless the setting is a boolean one. */
  readonly curl?: string;
  /** Its name among the options of Node's TLS and of undici, or the options that a boolean setting sets. */
  readonly node?: "cert" | "key" | { readonly rejectUnauthorized?: boolean; readonly allowH2?: boolean };
  /** Whether k6's scripts read the same variable, or what a boolean sets in the environment of k6. */
  readonly k6?: "same" | Readonly<Record<string, string>>;
  /** Entry of the secret of a cluster that holds the value. Default: the manifest has the value */
  readonly secretEntry?: string;
}

/** Every setting of a connection. A new one is a row here, a field of `Connection` and one of the config. */
export const connectionSettings: Readonly<Record<SettingName, Spelling>> = {
  // k6 and clusters also get the variables that hold the values.
  headers: {
    variable: "SHELFCHECK_HEADERS",
    about: "headers that a gateway requires, as Name=VARIABLE, Name=VARIABLE",
  },
  host: { variable: "SHELFCHECK_HOST", about: "value of the Host header", k6: "same" },
  requestIdHeader: {
    variable: "SHELFCHECK_REQUEST_ID_HEADER",
    about: "header with an id of each request, or off (default: traceparent)",
    k6: "same",
  },
  // Node and k6 get them together with the usual ones, k6 in a file (SSL_CERT_FILE, SSL_CERT_DIR).
  ca: {
    variable: "SHELFCHECK_CA",
    about: "PEM file with additional certificate authorities",
    curl: "--cacert",
  },
  clientCertificate: {
    variable: "SHELFCHECK_CLIENT_CERTIFICATE",
    about: "PEM file with the client certificate",
    curl: "--cert",
    node: "cert",
    k6: "same",
    secretEntry: "client-certificate",
  },
  clientKey: {
    variable: "SHELFCHECK_CLIENT_KEY",
    about: "PEM file with the key of the client certificate",
    curl: "--key",
    node: "key",
    k6: "same",
    secretEntry: "client-key",
  },
  insecure: {
    variable: "SHELFCHECK_INSECURE",
    about: "true: do not verify the server's certificate",
    set: { config: true, variable: "true", otherwise: "false" },
    curl: "--insecure",
    node: { rejectUnauthorized: false },
    k6: "same",
  },
  http2: {
    variable: "SHELFCHECK_HTTP2",
    about: "off: use HTTP/1.1 only",
    set: { config: false, variable: "off", otherwise: "on" },
    curl: "--http1.1",
    node: { allowH2: false },
    k6: { GODEBUG: "http2client=0" },
  },
};

export const settingNames = Object.keys(connectionSettings) as SettingName[];

/** The text that the setting's variable has for a connection; undefined if it is not set, or is no text. */
export function settingText(name: SettingName, connection: Connection): string | undefined {
  const value = connection[name];
  const { set } = connectionSettings[name];
  if (set !== undefined) return value === set.config ? set.variable : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The headers to add to a request. */
export function headersOf({ headers = [], host }: Connection = {}): Record<string, string> {
  return Object.fromEntries([
    ...(host === undefined ? [] : [["host", host]]),
    ...headers.map(({ name, value }) => [name, value]),
  ]);
}
