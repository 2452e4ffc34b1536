import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtempDisposable, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeCertificate } from "./certificates.ts";
import { freePort } from "./server.ts";

// Real gateways and caches, each started with a configuration of its own in front of addresses.

/** A running gateway. */
interface Front extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The authority of its certificate, if it speaks TLS. */
  readonly ca?: string | undefined;
}

/** A configured gateway. */
export interface FrontProgram {
  readonly software: Software;
  /** Starts it in front of an address. */
  readonly open: (behind: string) => Promise<Front>;
}

const paths = {
  nginx: "/usr/sbin/nginx",
  haproxy: "/usr/sbin/haproxy",
  varnish: "/usr/sbin/varnishd",
  apache: "/usr/sbin/apache2",
} as const;
export type Software = keyof typeof paths;

/** A gateway that is started with the file that `configure` writes. */
function gateway(software: Software, configure: (place: Place) => Configured, ca?: string): FrontProgram {
  return { software, open: async (behind) => ({ ...(await run(behind, configure)), ca }) };
}

/** How to get what is not there; undefined where it is. */
export function missing(software: Software): string | undefined {
  if (existsSync(paths[software])) return undefined;
  return `${software} is not installed: apt-get install ${software === "apache" ? "apache2" : software}`;
}

interface Place {
  readonly port: number;
  readonly folder: string;
  readonly behind: string;
}

interface Configured {
  readonly text: string;
  readonly command: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a program with the file that `configure` writes, and waits until it listens. */
async function run(behind: string, configure: (place: Place) => Configured): Promise<Front> {
  const { path: folder, remove } = await mkdtempDisposable(join(tmpdir(), "shelfcheck-gateway-"));
  await chmod(folder, 0o777);
  const port = freePort();
  const { text, command, files } = configure({ port, folder, behind });
  for (const [name, content] of Object.entries({ ...files, config: text }))
    await writeFile(join(folder, name), content);
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (more: string) => {
      said = (said + more).slice(-4000);
    });
  await untilListening(port, child, () => `${said || text}`);
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await stopped(child);
      await remove();
    },
  };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([ended, setTimeout(3000)]);
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}

const longestStart = 60_000;

async function untilListening(port: number, child: ChildProcess, whatFailed: () => string): Promise<void> {
  const until = performance.now() + longestStart;
  while (performance.now() < until) {
    if (child.exitCode !== null) break;
    const socket = connect(port, "127.0.0.1");
    const isListening = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isListening) return;
    await setTimeout(20);
  }
  child.kill("SIGKILL");
  throw new Error(`a gateway did not start: ${whatFailed()}`);
}

/** Parts of the configuration of nginx. `UP` is the upstream. */
interface NginxParts {
  readonly http?: string;
  readonly server?: string;
  readonly location?: string;
  /** Default: `http://UP` */
  readonly pass?: string;
  /** It speaks HTTP/2 over TLS. Default: HTTP/1.1 without */
  readonly http2?: boolean;
}

const authority = makeCertificate({ isAuthority: true });

export function nginx({
  http = "",
  server = "",
  location = "",
  pass = "http://UP",
  http2 = false,
}: NginxParts = {}): FrontProgram {
  const { certificate, key } = http2 ? makeCertificate({ by: authority }) : { certificate: "", key: "" };
  const configure = ({ port, folder, behind }: Place): Configured => ({
    files: { certificate, key },
    command: [paths.nginx, "-e", join(folder, "error.log"), "-c", join(folder, "config")],
    text: `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 2048; }
http { access_log off;
${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
proxy_cache_path ${folder}/cache keys_zone=cache:1m;
upstream UP { server ${behind} max_fails=0; keepalive 32; }
proxy_http_version 1.1; proxy_set_header Connection "";
${http}
server { listen 127.0.0.1:${port}${http2 ? ` ssl http2; ssl_certificate FOLDER/certificate; ssl_certificate_key FOLDER/key` : ""}; ${server}
location / { ${location} proxy_pass ${pass}; } } }`.replaceAll("FOLDER", folder),
  });
  return gateway("nginx", configure, http2 ? authority.certificate : undefined);
}

export const haproxy = ({ frontend = "" } = {}): FrontProgram =>
  gateway("haproxy", ({ port, folder, behind }) => ({
    command: [paths.haproxy, "-db", "-f", join(folder, "config")],
    text: `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 30s
frontend f
  bind 127.0.0.1:${port}
${frontend}
  default_backend b
backend b
  server s ${behind}
`,
  }));

/** It passes every request on: a cache by URL is tried with nginx. */
export const varnish = (): FrontProgram =>
  gateway("varnish", ({ port, folder, behind }) => {
    const [host = "", upPort = ""] = behind.split(":");
    return {
      command: [
        paths.varnish,
        ...["-F", "-j", "none", "-n", join(folder, "work"), "-f", join(folder, "config")],
        ...["-a", `127.0.0.1:${port}`, "-s", "malloc,20M"],
      ],
      text: `vcl 4.1;
backend default { .host = "${host}"; .port = "${upPort}"; }
sub vcl_recv { return (pass); }
`,
    };
  });

const apacheModules = "mpm_event authz_core authn_core unixd proxy proxy_http headers";

export const apache = ({ server = "" } = {}): FrontProgram =>
  gateway("apache", ({ port, folder, behind }) => ({
    command: [paths.apache, "-DFOREGROUND", "-f", join(folder, "config")],
    text: `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
Mutex file:${folder}
ErrorLog ${folder}/error.log
DocumentRoot ${folder}
${process.getuid?.() === 0 ? "User www-data\nGroup www-data" : ""}
${apacheModules
  .split(" ")
  .filter((name) => existsSync(`/usr/lib/apache2/modules/mod_${name}.so`))
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join("\n")}
ServerSignature Off
ServerLimit 8
ThreadsPerChild 64
MaxRequestWorkers 512
<Location />
Require all granted
</Location>
AllowEncodedSlashes NoDecode
ProxyPass / http://${behind}/ nocanon keepalive=On
${server}
`,
  }));
