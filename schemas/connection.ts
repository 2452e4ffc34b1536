/** How a target is reached: settings of the network, not of the service, that apply to every request. */
export interface Connection {
  /** Headers that a gateway in front of the service requires. They are sent to the target only. */
  readonly headers?: readonly GatewayHeader[] | undefined;
  /** Value of the `Host` header. Default: the host of the base URL */
  readonly host?: string | undefined;
  /** Header that carries an id of each request, for finding it in the server's logs. Default: none */
  readonly requestIdHeader?: string | undefined;
  /** Response header with the server's own id of the request, besides the usual ones. */
  readonly responseIdHeader?: string | undefined;
  /** Certificates of authorities besides the usual ones, in PEM. */
  readonly ca?: readonly string[] | undefined;
  /** Client certificate with its chain, in PEM, where the server requires one. */
  readonly clientCertificate?: string | undefined;
  /** Its private key, in PEM without a passphrase. */
  readonly clientKey?: string | undefined;
  /** Name to send in SNI and to verify the certificate against. Default: the host of the base URL */
  readonly serverName?: string | undefined;
  /** Certificates are not checked, so the server may be anybody. */
  readonly insecure?: boolean | undefined;
  /** Whether to use HTTP/2 where the server offers it. Default: true */
  readonly http2?: boolean | undefined;
  /** URL of the HTTP proxy, with credentials. Default: none */
  readonly proxy?: string | undefined;
  /** The same connection for the curl lines in reports. Default: no options */
  readonly curl?: CurlSettings | undefined;
}

export interface GatewayHeader {
  readonly name: string;
  readonly value: string;
  /** The environment variable that the value came from, shown in its place. Without one the value is no secret. */
  readonly variable?: string;
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

/** The passphrase is used when the connection is read, and then forgotten. */
export type SettingName = Exclude<keyof Connection, "curl"> | "clientKeyPassphrase";

/** How one setting is spelled. Its name is that in the target's entry of the config file. */
interface Spelling {
  /**
   * - `text`: the value itself
   * - `file`: the path of a file in PEM
   * - `secret`: in the config the name of the variable that holds the value
   * - `switch`: set by a boolean in the config, and by a word in the variable
   * - `own`: read by a function of its own
   */
  readonly kind: "text" | "file" | "secret" | "switch" | "own";
  /** The environment variable for it. */
  readonly variable: string;
  /** What `--help` says about the variable. */
  readonly about: string;
  /** Of a switch: what sets it. */
  readonly set?: { readonly config: boolean; readonly variable: string };
  /** Whether it means something for https only. */
  readonly tls?: true;
  /** Option of curl, followed by the value unless it is a switch. */
  readonly curl?: string;
  /** Its name among the options of Node and undici, or the options that a switch sets. */
  readonly node?: keyof NodeOptions | NodeOptions;
  /** Whether the scripts of k6 read the same variable, with the contents of a file as its value. */
  readonly script?: true;
  /** The options of k6 that a switch sets in the scripts. */
  readonly k6Options?: Readonly<Record<string, boolean>>;
  /** The environment of k6 that a switch sets. */
  readonly k6Environment?: Readonly<Record<string, string>>;
  /** Entry of the secret of a cluster that holds the value. Default: the manifest has the value */
  readonly secretEntry?: string;
}

/** Options of Node's TLS and of undici's connections. */
export interface NodeOptions {
  readonly ca?: readonly string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
  readonly allowH2?: boolean;
}

/** Every setting of a connection. A new one is a row here, a field of `Connection` and one of the config. */
export const connectionSettings: Readonly<Record<SettingName, Spelling>> = {
  headers: {
    // With the values in variables of their own, of which k6 and clusters get those that hold secrets.
    kind: "own",
    variable: "SHELFCHECK_HEADERS",
    about: "headers that a gateway requires, as Name=VARIABLE, Name=VARIABLE",
  },
  host: { kind: "text", variable: "SHELFCHECK_HOST", about: "value of the Host header", script: true },
  requestIdHeader: {
    kind: "text",
    variable: "SHELFCHECK_REQUEST_ID_HEADER",
    about: "header with an id of each request, or off (default: traceparent)",
    script: true,
  },
  responseIdHeader: {
    kind: "text",
    variable: "SHELFCHECK_RESPONSE_ID_HEADER",
    about: "response header with the server's own id of a request",
    script: true,
  },
  ca: {
    kind: "file",
    variable: "SHELFCHECK_CA",
    about: "PEM file with additional certificate authorities",
    tls: true,
    curl: "--cacert",
    // k6 reads a file that has the usual ones as well (SSL_CERT_FILE, SSL_CERT_DIR).
    node: "ca",
  },
  clientCertificate: {
    kind: "file",
    variable: "SHELFCHECK_CLIENT_CERTIFICATE",
    about: "PEM file with the client certificate",
    tls: true,
    curl: "--cert",
    node: "cert",
    script: true,
    secretEntry: "client-certificate",
  },
  clientKey: {
    kind: "file",
    variable: "SHELFCHECK_CLIENT_KEY",
    about: "PEM file with the key of the client certificate",
    tls: true,
    curl: "--key",
    node: "key",
    script: true,
    secretEntry: "client-key",
  },
  clientKeyPassphrase: {
    kind: "secret",
    variable: "SHELFCHECK_CLIENT_KEY_PASSPHRASE",
    about: "passphrase of that key",
    tls: true,
    curl: "--pass",
  },
  serverName: {
    kind: "text",
    variable: "SHELFCHECK_SERVER_NAME",
    about: "name that the server's certificate must be for",
    tls: true,
    // curl takes it from the URL (--connect-to), as k6 does, which has no setting for it (SHELFCHECK_HOSTS).
    node: "servername",
  },
  insecure: {
    kind: "switch",
    variable: "SHELFCHECK_INSECURE",
    about: "true: do not verify the server's certificate",
    set: { config: true, variable: "true" },
    tls: true,
    curl: "--insecure",
    node: { rejectUnauthorized: false },
    script: true,
    k6Options: { insecureSkipTLSVerify: true },
  },
  http2: {
    kind: "switch",
    variable: "SHELFCHECK_HTTP2",
    about: "off: use HTTP/1.1 only",
    set: { config: false, variable: "off" },
    curl: "--http1.1",
    node: { allowH2: false },
    k6Environment: { GODEBUG: "http2client=0" },
  },
  // curl: --proxy, --proxy-user. k6 gets the same variables, a cluster with credentials the entry proxy-url of its secret.
  proxy: { kind: "own", variable: "HTTP_PROXY, HTTPS_PROXY, NO_PROXY", about: "as in curl" },
};

export const settingNames = Object.keys(connectionSettings) as SettingName[];

/** Whether a switch of a connection is set. */
export function isSet(name: SettingName, connection: Connection): boolean {
  const { set } = connectionSettings[name];
  return set !== undefined && settingValue(name, connection) === set.config;
}

/** The value of a setting; undefined for none, and for the passphrase, which no connection keeps. */
export function settingValue(name: SettingName, connection: Connection): Connection[keyof Connection] {
  return name === "clientKeyPassphrase" ? undefined : connection[name];
}

/** The headers to add to a request. */
export function headersOf({ headers = [], host }: Connection = {}): Record<string, string> {
  return Object.fromEntries([
    ...(host === undefined ? [] : [["host", host]]),
    ...headers.map(({ name, value }) => [name, value]),
  ]);
}
