import { defineConfig } from "shelfcheck";

// Editors list every setting, also those that are not here. Flags override environment variables, which override this
// file; for keys and the connection (TLS, headers, host) this file overrides the environment.
export default defineConfig({
  // Used without --target. "embedded" is the built-in reference service.
  defaultTarget: "staging",

  targets: {
    staging: {
      // Base URL of your service, with the scheme and the version segment /v1.
      baseUrl: "https://catalog.staging.example/v1",

      // Categories to browse. Without one, most requirements cannot be judged.
      // categories: ["shoes"],

      // Names of the environment variables that hold the keys. Never write a key into this file.
      keys: {
        primary: "STAGING_API_KEY",
        // A second key of the same organization, to judge what both keys share.
        // sameOrg: "STAGING_SAME_ORG_API_KEY",
        // A key of another organization, to judge entitlement.
        // otherOrg: "STAGING_OTHER_ORG_API_KEY",
      },

      // Files in PEM, beside this one: additional authorities, and a client certificate if the server requires one.
      // ca: "certs/root.pem",
      // clientCertificate: "certs/client.pem",
      // clientKey: "certs/client.key",

      // Headers that a gateway in front of the service requires; environment variables hold their values.
      // headers: { "CF-Access-Client-Id": { env: "CF_ID" }, "CF-Access-Client-Secret": { env: "CF_SECRET" } },

      // Allows load runs, and the burst that finds the rate limit, on a public address.
      // allowLoad: true,

      // Never exceed the rate limit; requirements that need that are not judged.
      // avoid: ["burst"],

      // Maximum requests a second, and concurrent requests, for conformance and load.
      // maxRequestsPerSecond: 20,
      // maxConcurrency: 4,

      // Names that the spec leaves open, where a run does not find them.
      // dialect: { gtin: "identifiers[].value", batchRequestField: "lookups" },

      // Longest wait for a response. Default: 10_000.
      // timeoutMilliseconds: 30_000,

      // What this target does not have. Requirements that need it are listed, but do not make a run incomplete.
      // optional: ["sameOrgKey", "otherOrgKey"],
    },
  },

  // What the command gate runs.
  // gate: { scenarios: ["lookup", "paging", "batch"], profile: "smoke", skip: ["limits"] },

  // Failures that are accepted for a time. A run prints the line for each; it fails when one has expired, or passes now.
  // waivers: [{ id: "errors.not-found", reason: "until the import is fixed", owner: "amy", ticket: "SHOP-12", expires: "2027-01-31" }],

  // Folder of the reports. Keep it out of version control.
  // out: "reports",
});
