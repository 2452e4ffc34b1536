/** What is known of the service when the config file is written. */
export interface ConfigFacts {
  readonly baseUrl?: string | undefined;
  readonly categories: readonly string[];
}

/** Names of the environment variables that the written config reads keys from. */
export const keyVariables = {
  primary: "STAGING_API_KEY",
  sameOrg: "STAGING_SAME_ORG_API_KEY",
  otherOrg: "STAGING_OTHER_ORG_API_KEY",
} as const;

/** A commented `shelfcheck.config.ts`; valid as it stands, and with any of its commented settings put in force. */
export function renderConfig({ baseUrl, categories }: ConfigFacts): string {
  const known = categories.length > 0;
  return `import { defineConfig } from "shelfcheck";

// Every setting has its description in the editor. A flag beats the environment, which beats this file.
export default defineConfig({
  // The target when no --target is given. "embedded" is the reference service that is built into shelfcheck.
  defaultTarget: "staging",

  targets: {
    staging: {
      // Base address of the service, with scheme and the version segment /v1.${
        baseUrl === undefined ? "\n      // Yours goes here." : ""
      }
      baseUrl: ${JSON.stringify(baseUrl ?? "https://catalog.staging.example/v1")},

      // Categories to browse. Without any, paging cannot be judged.
      ${known ? "" : "// "}categories: ${known ? `[${categories.map((name) => JSON.stringify(name)).join(", ")}]` : '["shoes"]'},

      // Names of the environment variables that hold the keys; a key itself never stands in this file.
      keys: {
        primary: "${keyVariables.primary}",
        // A second key of the same organization, to have its shared limit judged.
        // sameOrg: "${keyVariables.sameOrg}",
        // A key of another organization, to have entitlement judged in full.
        // otherOrg: "${keyVariables.otherOrg}",
      },

      // Authorities to trust beside the usual ones, and the client certificate that the server asks for: files beside this one.
      // ca: "certs/root.pem",
      // clientCertificate: "certs/client.pem",
      // clientKey: "certs/client.key",
      // clientKeyPassphrase: "STAGING_KEY_PASSPHRASE",

      // The name that the server's certificate is for, where that is not the host of the address.
      // serverName: "catalog.internal",

      // Do not check the server's certificate; every report states it.
      // insecure: true,

      // A proxy, where HTTP_PROXY, HTTPS_PROXY and NO_PROXY do not say it; "none" for none.
      // proxy: "http://proxy.example.com:3128",
      // proxyCredentials: "PROXY_CREDENTIALS",

      // HTTP/1.1 alone, also where the server offers HTTP/2.
      // http2: false,

      // Headers that a gateway in front of the service wants; their values stand in environment variables.
      // headers: { "CF-Access-Client-Id": { env: "CF_ID" }, "CF-Access-Client-Secret": { env: "CF_SECRET" } },

      // What the Host header says, where that is not the host of the address.
      // host: "catalog.internal",

      // Header with an id of each request, by which the server's logs have it; "off" for none.
      // requestIdHeader: "traceparent",

      // Load runs, and the burst that looks for the rate limit, go to a public address only with this line.
      // allowLoad: true,

      // What must not be done to the service: with "burst", it is never sent more than its rate limit accepts.
      // avoid: ["burst"],

      // Most requests a second, and at the same time, of conformance and of load.
      // maxRequestsPerSecond: 20,
      // maxConcurrency: 4,

      // What this target will never have: what only that can judge is listed, and does not make a run incomplete.
      // optional: ["sameOrgKey", "otherOrgKey"],

      // Longest wait for one answer.
      // timeoutMilliseconds: 10000,
    },
  },

  // Folder of the waivers and of what was recorded to compare with: commit it.
  // baseline: "shelfcheck-baseline",

  // Most requests that the conformance part of a run may send.
  // maxRequests: 2000,

  // Folder of the reports: leave it out of version control.
  // out: "reports",
});
`;
}
