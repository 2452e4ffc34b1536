/** What `init` knows about the service when it writes the config file. */
export interface ConfigFacts {
  readonly baseUrl?: string | undefined;
  readonly categories: readonly string[];
}

/** Names of the key variables in the generated config. */
export const generatedKeyVariables = {
  primary: "STAGING_API_KEY",
  sameOrg: "STAGING_SAME_ORG_API_KEY",
  otherOrg: "STAGING_OTHER_ORG_API_KEY",
} as const;

/** A commented `shelfcheck.config.ts`. It is valid as generated, and with any of the commented settings enabled. */
export function renderConfig({ baseUrl, categories }: ConfigFacts): string {
  const known = categories.length > 0;
  return `import { defineConfig } from "shelfcheck";

// Editors show a description of every setting. Flags override environment variables, which override this file. Only for
// the connection (TLS, proxy, headers, host) this file overrides the environment.
export default defineConfig({
  // The default of --target. "embedded" is the built-in reference service.
  defaultTarget: "staging",

  targets: {
    staging: {
      // Base URL of the service, with the scheme and the version segment /v1.${
        baseUrl === undefined ? "\n      // Replace it with yours." : ""
      }
      baseUrl: ${JSON.stringify(baseUrl ?? "https://catalog.staging.example/v1")},

      // Categories to browse. Without one, most requirements cannot be judged.
      ${known ? "" : "// "}categories: ${known ? `[${categories.map((name) => JSON.stringify(name)).join(", ")}]` : '["shoes"]'},

      // Names of the environment variables that hold the keys. Never write a key into this file.
      keys: {
        primary: "${generatedKeyVariables.primary}",
        // A second key of the same organization, to judge what both keys share.
        // sameOrg: "${generatedKeyVariables.sameOrg}",
        // A key of another organization, to judge entitlement completely.
        // otherOrg: "${generatedKeyVariables.otherOrg}",
      },

      // Additional certificate authorities, and a client certificate if the server requires one. Paths are relative to this file.
      // ca: "certs/root.pem",
      // clientCertificate: "certs/client.pem",
      // clientKey: "certs/client.key",

      // Do not verify the server's certificate. Every report says so.
      // insecure: true,

      // Use HTTP/1.1 even if the server offers HTTP/2.
      // http2: false,

      // Headers that a gateway in front of the service requires; environment variables hold their values.
      // headers: { "CF-Access-Client-Id": { env: "CF_ID" }, "CF-Access-Client-Secret": { env: "CF_SECRET" } },

      // Value of the Host header, if it differs from the host of the base URL.
      // host: "catalog.internal",

      // Header that carries an id of each request, to find it in the server's logs; "off" sends none.
      // requestIdHeader: "traceparent",

      // Required for load runs, and for the burst that finds the rate limit, on a public address.
      // allowLoad: true,

      // With "burst", shelfcheck never exceeds the rate limit; requirements that need that are not judged.
      // avoid: ["burst"],

      // Maximum requests per second, and concurrent requests, for conformance and load.
      // maxRequestsPerSecond: 20,
      // maxConcurrency: 4,

      // The rate limit of an organization, which load --scenario rate-limit judges.
      // expect: { rateLimit: { perSecond: 50, burst: 100 } },

      // What this target does not have. Requirements that need it are listed, but do not make a run incomplete.
      // optional: ["sameOrgKey", "otherOrgKey"],

      // Longest time to wait for a response.
      // timeoutMilliseconds: 10000,
    },
  },

  // What the command gate runs.
  // gate: { scenarios: ["lookup", "paging", "batch"], profile: "smoke", skip: [] },

  // Load profiles of your own: requests per second over time, and the limits that decide.
  // profiles: { evening: { description: "Two minutes at 20/s.", walkers: 1, maxResponseSeconds: 2, stages: [{ seconds: 0, rate: 20 }, { seconds: 120, rate: 20 }], thresholds: { p95Milliseconds: 500, failedShare: 0.01, invalidShare: 0, droppedShare: 0.01 } } },

  // Folder of the waivers and recorded baselines. Commit it.
  // baseline: "shelfcheck-baseline",

  // Maximum number of requests that the conformance part of a run may send.
  // maxRequests: 2000,
  // Longest time in which it sends requests, in seconds. Raise it for a low rate limit.
  // maxSeconds: 300,

  // Folder of the reports. Keep it out of version control.
  // out: "reports",
});
`;
}
