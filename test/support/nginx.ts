import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./server.ts";

/** Debian's nginx; undefined where none is installed. */
export const nginxPath = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"].find((path) =>
  existsSync(path),
);

interface NginxOptions {
  /** Where requests go: `host:port`, or a variable of `http`. */
  readonly upstream: string;
  /** Directives of the http block. Default: none */
  readonly http?: string;
  /** Directives of the location. Default: none */
  readonly location?: string;
}

interface Nginx extends AsyncDisposable {
  /** Ends in /v1. */
  readonly baseUrl: string;
}

/** Starts nginx on a free port of this machine, as a gateway in front of a service. */
export async function startNginx({ upstream, http = "", location = "" }: NginxOptions): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-nginx-"));
  const port = await freePort();
  const errors = join(folder, "error.log");
  const config = join(folder, "nginx.conf");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    config,
    `daemon off; pid ${folder}/pid; error_log ${errors};
    events {}
    http {
      access_log off; ${paths.join(" ")}
      ${http}
      server { listen 127.0.0.1:${port}; location / { ${location} proxy_pass http://${upstream}; } }
    }`,
  );
  const server = spawn(nginxPath ?? "nginx", ["-e", errors, "-c", config], { stdio: "ignore" });
  await untilListening(port);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isListening = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isListening) return;
    await setTimeout(20);
  }
}
