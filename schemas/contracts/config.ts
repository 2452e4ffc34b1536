import { fieldNames } from "./product.ts";
import { profile } from "./profile.ts";
import * as t from "./schema.ts";

const headerValue = t.custom<string | { env: string }>({
  description: 'env("NAME"), the value of an environment variable; or a string that is not a secret.',
  minLength: 1,
  additionalProperties: false,
  properties: { env: { description: "Name of the variable.", type: "string", minLength: 1 } },
  required: ["env"],
  type: ["string", "object"],
});

export const timeoutMilliseconds = t.integer(
  "Longest wait for a response, from 1 to 600000 (ten minutes). Default: 10000",
  { minimum: 1, maximum: 600000 },
);

const baseUrl = t.filled("Base URL of the service, with the scheme and the version segment /v1.");
const categories = t.array(t.filled(), "Categories to browse.");

const targetConfig = t.object({
  baseUrl,
  "categories?": categories,
  "keys?": t.object(
    {
      "primary?": t.filled("Default: SHELFCHECK_API_KEY"),
      "sameOrg?": t.filled("A second key of the same organization. Default: SHELFCHECK_SAME_ORG_API_KEY"),
      "otherOrg?": t.filled("A key of another organization. Default: SHELFCHECK_OTHER_ORG_API_KEY"),
    },
    "Names of the environment variables that hold the keys. Never write a key into this file.",
  ),
  "dialect?": fieldNames,
  "ca?": t.filled(
    "File with the certificates of authorities to trust in addition to the usual ones, in PEM, beside this file. Default: that of SHELFCHECK_CA",
  ),
  "clientCertificate?": t.filled(
    "File with the client certificate that the server requires, in PEM, beside this file.",
  ),
  "clientKey?": t.filled("File with its private key, in PEM without a passphrase, beside this file."),
  "insecure?": t.boolean("Do not check the server's certificate; every report states it. Default: false"),
  "http2?": t.boolean("Whether to use HTTP/2 where the server offers it. Default: true"),
  "headers?": t.mapOf(
    headerValue,
    'Headers that a gateway in front of the service requires. Each value is an environment variable, env("CF_SECRET"), or a string that is not a secret. Default: those of SHELFCHECK_HEADERS',
  ),
  "host?": t.filled("Value of the Host header, if it differs from the host of the base URL."),
  "requestIdHeader?": t.filled(
    "Header with the id of each request, by which you find it in the server's logs; off for none. Default: traceparent",
  ),
  "allowLoad?": t.boolean(
    "Allows load runs, and the burst of the conformance checks, on this address even if it is public. Default: false",
  ),
  "avoid?": t.array(
    t.choice(["burst"]),
    "What shelfcheck must not do to this target; requirements that need it are listed as not judged and excused. burst: never exceed the rate limit. Default: nothing",
  ),
  "optional?": t.array(
    t.choice(["sameOrgKey", "otherOrgKey", "otherRetailers", "gtin", "productUrl", "rateLimit"]),
    "What this target does not have; requirements that need it are listed as not judged and excused. sameOrgKey, otherOrgKey: such a key. otherRetailers: an organization, among those with keys, that has other retailers. gtin, productUrl: products that have one. rateLimit: a limit that a burst can reach. Default: nothing",
  ),
  "maxRequestsPerSecond?": t.positive(
    "Maximum requests a second, for conformance and load. Default: as many as the target accepts",
  ),
  "maxConcurrency?": t.positiveInteger(
    "Maximum concurrent requests, for conformance and load. Default: no limit",
  ),
  "expect?": t.object(
    {
      "rateLimit?": t.object(
        {
          "perSecond?": t.positive("Requests a second that are accepted in the long run."),
          "burst?": t.number("Requests that are accepted at once.", { minimum: 1 }),
        },
        "The limit of one organization. A probe (load --scenario rate-limit) fails if what it measures rules the value out.",
      ),
    },
    "What you expect of this target beyond the spec. Default: nothing",
  ),
  "timeoutMilliseconds?": timeoutMilliseconds,
});
export type TargetConfig = t.Static<typeof targetConfig>;
export type OptionalName = NonNullable<TargetConfig["optional"]>[number];

const limits = {
  "maxRequests?": t.positiveInteger("Maximum number of requests of a run, not counting load. Default: 2000"),
  "maxSeconds?": t.positiveInteger("Longest time of all requests of conformance, in seconds. Default: 300"),
};
const selection = {
  "only?": t.array(t.filled(), "Requirements, checks or sections to judge, and no others. Default: all"),
  "skip?": t.array(t.filled(), "Requirements, checks or sections to leave out. Default: none"),
};

export const waiver = t.object(
  {
    id: t.filled("Requirement or check that is waived, or the name of a difference from an earlier run."),
    reason: t.filled("Why it is accepted."),
    owner: t.filled("Who is responsible for it."),
    ticket: t.filled("Where the fix is tracked."),
    expires: t.string("Last day on which it holds, in UTC, such as 2026-12-31.", { format: "date" }),
  },
  "A known failure that the team has accepted temporarily.",
);
export type Waiver = t.Static<typeof waiver>;

export interface WaiverResult {
  waiver: Waiver;
  /**
   * `active` waived something; `unused`: this run did not show whether it is still needed; `stale`: what it waives
   * passes now; `expired`: its last day has passed. The last two fail the run.
   */
  state: "active" | "unused" | "stale" | "expired";
  /** Place of the waiver, such as `shelfcheck.config.ts, waivers[2]`. */
  where?: string | undefined;
}

export const config = t.object(
  {
    "defaultTarget?": t.filled(
      "The target used when none is named; `embedded` is the built-in reference service.",
    ),
    "out?": t.filled("Folder of the reports. Default: reports"),
    ...limits,
    "targets?": t.mapOf(targetConfig, "Services to judge, by name."),
    "gate?": t.object(
      {
        "profile?": t.filled(
          "Load profile. Default: gate; probe for rate-limit; smoke for the built-in service",
        ),
        "failures?": t.object(
          {
            share: t.number("Maximum share of failed requests, from 0 to 1.", { minimum: 0, maximum: 1 }),
          },
          "How many requests may fail under load. Default: failedShare of the load profile",
        ),
        "scenarios?": t.array(
          t.choice(["lookup", "paging", "batch", "mixed", "tenants", "rate-limit"]),
          "Load scenarios, one after the other. Default: mixed",
          { minItems: 1 },
        ),
        ...selection,
      },
      "What `gate` judges; its flags override these settings.",
    ),
    "waivers?": t.array(
      waiver,
      "Failures that are accepted for a time, on each target of this file. Default: none",
    ),
    "profiles?": t.mapOf(
      profile,
      "Your own load profiles, by name. A profile with the name of a built-in one replaces it.",
    ),
  },
  "What shelfcheck.config.ts exports through defineConfig.",
);
export type Config = t.Static<typeof config>;

const ofJson = { type: ["object", "array", "string", "number", "boolean", "null"] };

/** The arguments of the package's `judge`. */
export const judgeArguments = t.object({
  target: t.object({
    "target?": t.filled(),
    "baseUrl?": baseUrl,
    "keys?": t.object({ "primary?": t.string(), "sameOrg?": t.string(), "otherOrg?": t.string() }),
    "categories?": categories,
  }),
  options: t.object({
    ...{ ...selection, ...limits, "config?": t.filled(), "cwd?": t.filled(), "out?": t.filled() },
    "signal?": t.custom<AbortSignal>(t.openObject({ aborted: t.boolean() })),
    "onProgress?": t.custom<(line: string) => void>({ not: ofJson }),
  }),
});
