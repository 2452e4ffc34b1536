// Generated from the JSON Schemas in this folder by `npm run generate`: change those, not this.

/**
 * env("NAME"), the value of an environment variable; or a string that is not a secret.
 */
export type HeaderValue =
  | string
  | {
      /**
       * Name of the variable.
       */
      env: string;
    };
export type OptionalName =
  | "sameOrgKey"
  | "otherOrgKey"
  | "otherRetailers"
  | "gtin"
  | "productUrl"
  | "rateLimit";
/**
 * What a check, a rule or discovery finds.
 */
export type ConformanceCode = FailureCode | ReadingCode | NotJudgedCode | MissingFixtureCode;
/**
 * Failures of the target.
 */
export type FailureCode =
  | "wrong-status"
  | "not-json"
  | "not-utf8"
  | "missing-header"
  | "wrong-header"
  | "error-in-success"
  | "error-code-mismatch"
  | "missing-field"
  | "null-value"
  | "empty-string"
  | "wrong-type"
  | "wrong-format"
  | "wrong-count"
  | "counters-disagree"
  | "page-over-limit"
  | "other-product"
  | "wrapped-product"
  | "name-for-slug"
  | "not-granted"
  | "item-not-sent"
  | "item-missing"
  | "item-repeated"
  | "item-unexpected"
  | "no-found-list"
  | "retailer-not-listed"
  | "listed-retailer-refused"
  | "write-accepted"
  | "differs-between-ways"
  | "status-differs"
  | "shown-by-one-only"
  | "paging-never-ends"
  | "cursor-rejected"
  | "refused-after-wait"
  | "limit-shared"
  | "limit-per-key"
  | "limit-per-header"
  | "closed-on-input"
  | "false-not-found"
  | "retailer-of-other-organization";
/**
 * Which of several allowed readings was seen, and how much was checked.
 */
export type ReadingCode =
  | "answered"
  | "checked"
  | "judged-elsewhere"
  | "item-reported"
  | "walk-ended"
  | "limit-reached"
  | "accepted-after-wait"
  | "limit-tally";
/**
 * Why something was not judged, and notices about a run.
 */
export type NotJudgedCode =
  | "no-response-exercised"
  | "status-not-seen"
  | "control-failed"
  | "target-stopped"
  | "target-unavailable"
  | "endpoint-silent"
  | "requests-lost"
  | "no-answer"
  | "still-rate-limited"
  | "wait-too-long"
  | "upstream-failing"
  | "budget-spent"
  | "product-gone"
  | "access-changed"
  | "not-reached"
  | "avoided"
  | "lost-on-the-way"
  | "failed-at-times"
  | "answered-on-the-way"
  | "limited-on-the-way"
  | "certificate-unchecked"
  | "certificate-ends"
  | "harness-error"
  | "limit-not-reached"
  | "limit-unclear"
  | "limit-not-shown"
  | "key-not-cut"
  | "no-wait-given";
/**
 * What a check needs and discovery did not find.
 */
export type MissingFixtureCode =
  | "no-category"
  | "category-shows-nothing"
  | "category-not-browsable"
  | "no-product"
  | "nothing-found-by"
  | "no-product-with"
  | "no-retailer"
  | "no-same-org-key"
  | "no-other-org-key"
  | "key-refused"
  | "key-role-unclear"
  | "key-lists-differ"
  | "no-foreign-retailer"
  | "no-foreign-product"
  | "no-own-product"
  | "batch-not-understood"
  | "category-too-long"
  | "no-cursor"
  | "no-unused-gtin"
  | "no-retailer-without-gtin";
/**
 * What a load run finds: first failures of the target, then its limits, then why a run is invalid, then notes.
 */
export type LoadCode =
  | "latency-over-limit"
  | "failed-requests"
  | "invalid-responses"
  | "undecodable-body"
  | "retry-after-malformed"
  | "cursor-repeated"
  | "other-organization-refused"
  | "slower-than-recorded"
  | "rate-limit-reached"
  | "slower-than-planned"
  | "gave-way"
  | "held-up-to"
  | "target-gone-under-load"
  | "response-too-big"
  | "load-interrupted"
  | "too-few-virtual-users"
  | "iterations-dropped"
  | "iterations-late"
  | "generator-cpu"
  | "generator-memory"
  | "script-exceptions"
  | "no-samples"
  | "nothing-checked"
  | "endpoint-not-asked"
  | "no-answer-before-load"
  | "status-before-load"
  | "key-rejected-before-load"
  | "not-the-service"
  | "shards-missing"
  | "k6-exit"
  | "k6-killed"
  | "k6-memory"
  | "k6-silent"
  | "k6-overdue"
  | "no-summary"
  | "summary-unreadable"
  | "pod-result-missing"
  | "pod-result-torn"
  | "pod-result-doubled"
  | "pod-of-another-run"
  | "no-products-to-load"
  | "no-category-to-load"
  | "no-batch-field"
  | "probe-starved"
  | "refused-after-waits"
  | "threshold-waived"
  | "rate-bounded"
  | "users-bounded"
  | "share-not-judged"
  | "iterations-withheld"
  | "failed-by-status"
  | "requests-without-response"
  | "no-walk-ended"
  | "responses-sampled"
  | "products-repeated"
  | "polite-result"
  | "rate-limit-found"
  | "rate-limit-not-found"
  | "waits-kept";
/**
 * What a comparison with earlier runs finds: first latency, then what decided a whole comparison, then notes.
 */
export type ComparisonCode =
  | "latency-slower"
  | "latency-faster"
  | "latency-same"
  | "latency-undecided"
  | "latency-too-few-samples"
  | "latency-not-judged"
  | "latency-too-few-runs"
  | "latency-not-measured"
  | "runs-differ"
  | "newly-failing"
  | "failing-not-judged-before"
  | "no-longer-judged"
  | "breaking-drift"
  | "threshold-newly-crossed"
  | "threshold-crossed-not-judged-before"
  | "load-no-longer-measured"
  | "nothing-to-compare"
  | "runs-in-sequence"
  | "compared-although-different"
  | "scenario-not-in-every-run"
  | "other-target"
  | "other-key"
  | "run-not-complete";
/**
 * What was special about a request. schemas/words/requests.ts has the words.
 */
export type Condition =
  | "good-key"
  | "known-retailers"
  | "no-key"
  | "invalid-key"
  | "both-headers"
  | "either-header"
  | "second-key"
  | "other-organization"
  | "retailer-not-granted"
  | "unknown-retailer"
  | "known-product"
  | "unknown-product"
  | "known-url"
  | "unknown-url"
  | "unknown-site"
  | "known-gtin"
  | "unknown-gtin"
  | "known-gtin-scoped"
  | "gtin-of-other-retailer"
  | "known-category"
  | "unknown-category"
  | "parameters"
  | "known-items"
  | "duplicate-item"
  | "unknown-item"
  | "only-unknown-items"
  | "batch-size"
  | "malformed-batch"
  | "incomplete-item"
  | "every-batch-form"
  | "unknown-path"
  | "burst"
  | "base-address"
  | "hostile-input"
  | "at-once"
  | "after-refusal"
  | "in-turn";
export type SeenRole = "asNamed" | "unclear" | "contradicted" | "unusable" | "unset";
export type Column = (number | null)[];
/**
 * One change of the contract, by a rule of drift.
 */
export type Drift = FieldDrift | FieldNameDrift | RetailerDrift | StatusDrift | LimitDrift | BurstDrift;

/**
 * Spec, Product. Any field may be missing; null and empty strings are judged by present.schema.json, so null is allowed here. Fields that the spec does not name are the target's own.
 */
export interface Product {
  retailer?: string | null;
  retailer_name?: string | null;
  product_id?: string | null;
  title?: string | null;
  price?: number | null;
  currency?: string | null;
  availability?: string | null;
  product_url?: string | null;
  last_updated?: string | null;
  [k: string]: unknown;
}
/**
 * Spec, GET /v1/retailers, response 200.
 */
export interface Retailers {
  retailers: Retailer[];
  [k: string]: unknown;
}
/**
 * Spec, Retailer. `domains` is always there and may be empty.
 */
export interface Retailer {
  slug: string;
  name?: string;
  domains: string[];
  [k: string]: unknown;
}
/**
 * Spec, Product list page. `next_cursor` is empty at the end, never missing.
 */
export interface ProductList {
  products: Product[];
  meta: {
    next_cursor: string;
    count: number;
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * Spec, Batch result. The spec does not give the name of the list of found products, so it is not here: discovery finds it.
 */
export interface BatchResult {
  errors: {
    retailer: string;
    product_id: string;
    [k: string]: unknown;
  }[];
  meta: {
    total: number;
    found: number;
    not_found: number;
    other_errors: number;
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * Spec, Error body. Clients branch on `code`; the wording of `message` may change.
 */
export interface ErrorBody {
  error: {
    code: string;
    message: string;
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * What discovery found at the target, in the form that the k6 scenarios open into a SharedArray. Holds no key.
 */
export interface LoadFixtures {
  schemaVersion: 1;
  /**
   * Products that the primary key may see.
   */
  products: {
    retailer: string;
    product_id: string;
    url?: string;
    gtin?: string;
  }[];
  categories: string[];
  /**
   * A slug that no retailer has.
   */
  unknownRetailer: string;
  /**
   * An identifier that no product has.
   */
  unknownProductId: string;
  /**
   * A slug that exists and that the primary key may not use; omitted when none was found.
   */
  unentitledRetailer?: string;
  dialect: FieldNames;
}
/**
 * Names that the spec leaves open ("not shown"): discovered by requests or set in the config, recorded, never judged.
 */
export interface FieldNames {
  /**
   * Name of the field of the batch request that carries the items; an empty string when the body is the list itself.
   */
  batchRequestField?: string;
  /**
   * Name of the list of found products in a batch result.
   */
  batchFoundField?: string;
  /**
   * Where a product sits in an entry of the found list; an empty string when the entry is the product itself.
   */
  batchFoundProduct?: string;
  /**
   * Where a product carries its GTIN, as a dotted path; `[]` stands for any element of a list: `gtin`, `identifiers.gtin`, `identifiers[].value`.
   */
  gtin?: string;
}
/**
 * A load profile as data: the shape of the traffic and its thresholds. The scenarios turn it into k6 options.
 */
export interface Profile {
  description: string;
  /**
   * Arrival rate over time for open-model scenarios: the rate is reached linearly over the duration, as in k6's ramping-arrival-rate. A first stage of duration 0 sets the start.
   *
   * @minItems 1
   */
  stages: {
    seconds: number;
    /**
     * Requests a second at the end of the stage.
     */
    rate: number;
  }[];
  /**
   * Virtual users that walk categories page after page in the paging scenario.
   */
  walkers: number;
  /**
   * The slowest response to plan for. The number of preallocated virtual users is the rate times this (Little's law).
   */
  maxResponseSeconds: number;
  /**
   * Limits on each endpoint that the scenario uses.
   */
  thresholds: {
    p95Milliseconds: number;
    p99Milliseconds?: number;
    /**
     * Maximum share of failed requests, from 0 to 1.
     */
    failedShare: number;
    /**
     * Maximum share of checked responses that violate the schema.
     */
    invalidShare: number;
    /**
     * Maximum share of iterations that the generator dropped.
     */
    droppedShare: number;
    /**
     * Maximum 95th percentile of how late iterations start: above it, the run measured the generator rather than the target. Default: 500
     */
    lagMilliseconds?: number;
    /**
     * Separate limits for one endpoint, by the name of its requests, such as `lookup-by-id` or `batch`. A run that sends no request to an endpoint named here is invalid.
     */
    endpoints?: {
      [k: string]: {
        p95Milliseconds?: number;
        p99Milliseconds?: number;
        /**
         * Maximum share of failed requests, from 0 to 1.
         */
        failedShare?: number;
        /**
         * Maximum share of checked responses that violate the schema.
         */
        invalidShare?: number;
      };
    };
  };
  /**
   * The profile searches for the highest sustainable rate: a crossed latency limit, or a rate limit, is its result, not a failure. Default: false
   */
  findsCapacity?: boolean;
  /**
   * For the rate-limit scenario. A probe starts at the highest rate of the stages and increases it until requests are refused; a polite run uses that rate as the demand.
   */
  rateLimit?: {
    /**
     * Exceed the limit without waiting (probe), or stay below it and wait for as long as Retry-After says (polite). Default: probe
     */
    mode?: "probe" | "polite";
    /**
     * The limit that a polite run stays below. Default: the limit found by a preceding probe.
     */
    perSecond?: number;
  };
  /**
   * Rate of batches as a share of the rate of the stages, since one batch carries up to 50 products. Default: 0.2
   */
  batchShare?: number;
  /**
   * Preallocated virtual users of the open-model scenarios. Default: peak rate times maxResponseSeconds.
   */
  virtualUsers?: number;
}
/**
 * What shelfcheck.config.ts exports through defineConfig.
 */
export interface Config {
  /**
   * The target used when none is named; `embedded` is the built-in reference service.
   */
  defaultTarget?: string;
  /**
   * Folder of the reports. Default: reports
   */
  out?: string;
  /**
   * Folder of the waivers and of the recorded contracts, beside this file. Default: shelfcheck-baseline
   */
  baseline?: string;
  /**
   * Maximum number of requests that a conformance run may send. Default: 2000
   */
  maxRequests?: number;
  /**
   * Services to judge, by name.
   */
  targets?: {
    [k: string]: TargetConfig;
  };
  /**
   * What `gate` judges; its flags override these settings.
   */
  gate?: {
    /**
     * Load profile. Default: smoke
     */
    profile?: string;
    /**
     * Load scenarios, one after the other. Default: lookup, paging and batch
     *
     * @minItems 1
     */
    scenarios?: ("lookup" | "paging" | "batch" | "mixed" | "rate-limit")[];
    /**
     * Requirements, checks or sections to judge, and no others. Default: all
     */
    only?: string[];
    /**
     * The load is sent by pods of the current kubectl context. Default: by k6 on this machine
     */
    kubernetes?: {
      /**
       * Default: default
       */
      namespace?: string;
      /**
       * Default: 1
       */
      pods?: number;
      /**
       * Name of the volume claim that holds the files. Default: a ConfigMap holds them
       */
      volumeClaim?: string;
      /**
       * URL of a Prometheus that takes remote writes. Default: none
       */
      prometheus?: string;
      /**
       * YAML file that is merged into the TestRun. Default: none
       */
      patch?: string;
    };
    /**
     * Requirements, checks or sections to leave out. Default: none
     */
    skip?: string[];
  };
  /**
   * Your own load profiles, by name. A profile with the name of a built-in one replaces it.
   */
  profiles?: {
    [k: string]: Profile;
  };
}
export interface TargetConfig {
  /**
   * Base URL of the service, with the scheme and the version segment /v1.
   */
  baseUrl: string;
  /**
   * Categories to browse.
   */
  categories?: string[];
  /**
   * Names of the environment variables that hold the keys. Never write a key into this file.
   */
  keys?: {
    /**
     * Default: SHELFCHECK_API_KEY
     */
    primary?: string;
    /**
     * A second key of the same organization. Default: SHELFCHECK_SAME_ORG_API_KEY
     */
    sameOrg?: string;
    /**
     * A key of another organization. Default: SHELFCHECK_OTHER_ORG_API_KEY
     */
    otherOrg?: string;
  };
  dialect?: FieldNames;
  /**
   * File with the certificates of authorities to trust in addition to the usual ones, in PEM, beside this file. Default: that of SHELFCHECK_CA
   */
  ca?: string;
  /**
   * File with the client certificate that the server requires, in PEM, beside this file.
   */
  clientCertificate?: string;
  /**
   * File with its private key, in PEM, beside this file.
   */
  clientKey?: string;
  /**
   * Name of the environment variable that holds the passphrase of that key.
   */
  clientKeyPassphrase?: string;
  /**
   * Server name for TLS (SNI), for which the certificate must be valid, in place of the base URL's host.
   */
  serverName?: string;
  /**
   * Do not check the server's certificate; every report states it. Default: false
   */
  insecure?: boolean;
  /**
   * HTTP proxy, http://host:port; none for no proxy, even if the environment names one. Default: that of HTTP_PROXY or HTTPS_PROXY, unless NO_PROXY names the host
   */
  proxy?: string;
  /**
   * Name of the environment variable that holds user:password for that proxy.
   */
  proxyCredentials?: string;
  /**
   * Whether to use HTTP/2 where the server offers it. Default: true
   */
  http2?: boolean;
  /**
   * Headers that a gateway in front of the service requires. Each value is an environment variable, env("CF_SECRET"), or a string that is not a secret. Default: those of SHELFCHECK_HEADERS
   */
  headers?: {
    [k: string]: HeaderValue;
  };
  /**
   * Value of the Host header, if it differs from the host of the base URL.
   */
  host?: string;
  /**
   * Header with the id of each request, by which you find it in the server's logs; off for none. Default: traceparent
   */
  requestIdHeader?: string;
  /**
   * Response header with the server's own id of the request, in addition to x-request-id and traceresponse; reports show it.
   */
  responseIdHeader?: string;
  /**
   * Allows load runs, and the burst of the conformance checks, on this address even if it is public. Default: false
   */
  allowLoad?: boolean;
  /**
   * What shelfcheck must not do to this target; requirements that need it are listed as not judged and excused. burst: never exceed the rate limit. Default: nothing
   */
  avoid?: "burst"[];
  /**
   * What this target does not have; requirements that need it are listed as not judged and excused. sameOrgKey, otherOrgKey: such a key. otherRetailers: an organization, among those with keys, that has other retailers. gtin, productUrl: products that have one. rateLimit: a limit that a burst can reach. Default: nothing
   */
  optional?: OptionalName[];
  /**
   * Maximum requests a second, for conformance and load. Default: as many as the target accepts
   */
  maxRequestsPerSecond?: number;
  /**
   * Maximum concurrent requests, for conformance and load. Default: no limit
   */
  maxConcurrency?: number;
  /**
   * Longest wait for a response, from 1 to 600000 (ten minutes). Default: 10000
   */
  timeoutMilliseconds?: number;
}
/**
 * The results of one run of conformance, load or gate. Every report and the exit code are made from this value.
 */
export interface Results {
  schemaVersion: 2;
  tool: {
    name: "shelfcheck";
    version: string;
  };
  command: "conformance" | "load" | "gate";
  target: {
    name: string;
    baseUrl: string;
    /**
     * The target was the built-in reference service, so no service of the user was tested. Omitted for any other target.
     */
    builtIn?: true;
    /**
     * First 12 hexadecimal digits of the SHA-256 of the primary key, or `none`: distinguishes two keys without revealing either.
     */
    keyFingerprint: string;
    /**
     * Names of the environment variables that, after a `$`, replace the keys. Default: SHELFCHECK_API_KEY and so on.
     */
    keyVariables?: {
      primary: string;
      sameOrg: string;
      otherOrg: string;
    };
  };
  startedAt: string;
  finishedAt: string;
  exitCode: 0 | 1 | 2 | 3 | 4 | 130;
  verdict: "conformant" | "violations" | "partial" | "incomplete" | "error";
  /**
   * What decided verdict and exit code. Where several apply, the first in this order.
   */
  cause?:
    | "requirement-failed"
    | "load-failed"
    | "contract-broken"
    | "latency-slower"
    | "waiver-expired"
    | "waiver-stale"
    | "problem"
    | "nothing-run"
    | "check-error"
    | "load-invalid"
    | "interrupted"
    | "not-judged"
    | "nothing-judged"
    | "load-not-sent"
    | "partial"
    | "none";
  /**
   * Where the run was made. Commit, branch and job come from the variables of the CI; omitted where there are none.
   */
  environment?: {
    /**
     * As typed, without secrets.
     */
    commandLine?: string;
    /**
     * A secret was removed from the command line, which cannot be repeated as it is.
     */
    isIncomplete?: true;
    /**
     * The flags of the command line that name the target, the config file and the folders. A value with a secret is omitted.
     */
    placeFlags?: {
      target?: string;
      baseUrl?: string;
      config?: string;
      out?: string;
      baseline?: string;
    };
    commit?: string;
    branch?: string;
    /**
     * Page of the CI job.
     */
    jobUrl?: string;
    /**
     * Processor, cores, memory and system of the machine.
     */
    host: string;
    /**
     * Version of Node.
     */
    node: string;
  };
  /**
   * Which of the requirements that have checks were selected. Omitted when all were.
   */
  scope?: {
    requirements: number;
    of: number;
    checks?: number;
    ofChecks?: number;
  };
  /**
   * Warnings about the input of the run, whatever its verdict: no category, a category without products, a load that was not sent. Omitted when there is nothing.
   */
  notices?: Finding[];
  problem?: Problem;
  /**
   * Number of requirements by verdict.
   */
  summary: {
    pass: number;
    fail: number;
    warn: number;
    inconclusive: number;
    notApplicable: number;
    error: number;
  };
  /**
   * Requests of the conformance part; those of the load part are in `load`. `lost` is present when some got no complete response.
   */
  requests: {
    total: number;
    /**
     * Requests by endpoint, named as in schemas/api.ts.
     */
    byEndpoint: {
      [k: string]: number;
    };
    lost?: Finding;
  };
  requirements: RequirementResult[];
  discovered: Discovered;
  load: LoadResult[];
  /**
   * Waivers that apply to this run, and their states.
   */
  waivers?: WaiverResult[];
  /**
   * How the contract seen in this run differs from the recorded baseline. Omitted when none was recorded for the target.
   */
  drift?: {
    /**
     * Start of the run that was recorded.
     */
    since: string;
    changes: Drift[];
  };
}
/**
 * One fact, as data: what was expected, what was seen, where, how often. The sentence that a person reads is made from it in schemas/words/ and nowhere else; no decision reads a sentence.
 */
export interface Finding {
  /**
   * What kind of fact it is. schemas/words/ has one entry for each, which makes the sentence.
   */
  code: ConformanceCode | LoadCode | ComparisonCode | "recorded";
  /**
   * As in schemas/api.ts; `other` is a request to anything else.
   */
  endpoint?:
    | "retailers"
    | "lookup-by-id"
    | "lookup-by-url"
    | "lookup-by-gtin"
    | "category-page"
    | "batch"
    | "other";
  condition?: Condition;
  /**
   * JSON Pointer into the body of the response, such as `/products/9/mpn`.
   */
  path?: string;
  /**
   * The product concerned.
   */
  product?: {
    retailer: string;
    productId: string;
  };
  /**
   * What the code is about, where it needs one more name: a field, a category, a retailer, a metric.
   */
  subject?: string;
  /**
   * What the spec, the profile or the baseline requires: a value, a list of allowed values, or a limit.
   */
  expected?: unknown;
  /**
   * What was seen instead: the value itself when it is small, otherwise its `type` and `size`. Omitted when there was nothing.
   */
  actual?: unknown;
  /**
   * Unit of expected and actual where they are measured.
   */
  unit?: "ms" | "s" | "requests/s" | "share" | "count" | "bytes";
  /**
   * How often, out of how many.
   */
  seen?: {
    count: number;
    total?: number;
    of:
      | "responses"
      | "requests"
      | "products"
      | "items"
      | "pages"
      | "attempts"
      | "iterations"
      | "samples"
      | "lines";
  };
  /**
   * Where it was seen: the affected products of each retailer, out of those checked.
   */
  byRetailer?: {
    retailer: string;
    count: number;
    total: number;
  }[];
  /**
   * As byRetailer: the responses of each endpoint.
   */
  byEndpoint?: {
    /**
     * As in schemas/api.ts; `other` is a request to anything else.
     */
    endpoint:
      | "retailers"
      | "lookup-by-id"
      | "lookup-by-url"
      | "lookup-by-gtin"
      | "category-page"
      | "batch"
      | "other";
    count: number;
    total: number;
  }[];
  /**
   * Index in the evidence of the exchange that shows it.
   */
  exchange?: number;
  /**
   * Index in the evidence of the exchange that it was compared with.
   */
  comparedWith?: number;
  /**
   * JSON Pointer to the same value there, if it differs from `path`.
   */
  comparedPath?: string;
  /**
   * More values that the sentence of this code needs.
   */
  details?: {
    [k: string]: unknown;
  };
}
export interface Problem {
  /**
   * What went wrong.
   */
  what: string;
  /**
   * URL, file, variable or flag at fault.
   */
  where: string;
  /**
   * How to fix it.
   */
  fix: string;
}
export interface RequirementResult {
  id: string;
  /**
   * Heading in the spec.
   */
  section: string;
  level: "must" | "should" | "may";
  /**
   * The requirement in our own words.
   */
  statement: string;
  verdict: "pass" | "fail" | "warn" | "inconclusive" | "notApplicable" | "error";
  /**
   * Why it may remain not judged without making the run incomplete: the config excludes what it needs, or lists what the target lacks as optional.
   */
  excused?: "avoided" | "optional";
  checks: CheckResult[];
}
export interface CheckResult {
  id: string;
  title: string;
  verdict: "pass" | "fail" | "warn" | "inconclusive" | "notApplicable" | "error";
  /**
   * From the start of the check to its verdict, waits for the target's rate limit included.
   */
  milliseconds?: number;
  /**
   * What it found, most important first; for a passed check, which of several allowed readings was seen.
   */
  findings: Finding[];
  /**
   * For a failure that did not occur in every attempt: the failed attempts and all attempts.
   */
  attempts?: {
    failed: number;
    total: number;
  };
  evidence: Evidence[];
  /**
   * The name in the config's `optional` of what the target lacks: the check may remain not judged.
   */
  excused?: string;
  waiver?: Waiver;
}
/**
 * One exchange, redacted.
 */
export interface Evidence {
  request: {
    method: string;
    url: string;
    headers: {
      [k: string]: string;
    };
    body?: string;
    /**
     * The items of a batch that findings refer to.
     */
    excerpts?: Excerpt[];
  };
  response: {
    status: number;
    headers: {
      [k: string]: string;
    };
    /**
     * At most 4,000 characters of it.
     */
    body: string;
    /**
     * For a longer body: how many of its characters are in `body`, out of how many, and the file in the run's folder that has all of it. Omitted for a complete body.
     */
    cut?: {
      shown: number;
      of: number;
      file?: string;
    };
    /**
     * The parts of the complete body around the places that findings name.
     */
    excerpts?: Excerpt[];
    milliseconds: number;
  };
  /**
   * The request as a command line; the key comes from the environment.
   */
  curl: string;
}
/**
 * The part of a JSON body around one place, pretty-printed, without keys.
 */
export interface Excerpt {
  /**
   * JSON Pointer to the place.
   */
  path: string;
  lines: {
    /**
     * With its indentation.
     */
    text: string;
    /**
     * `place`: a line of the place itself, or a note that nothing is there; `left-out`: how much is omitted.
     */
    mark?: "place" | "left-out";
  }[];
}
/**
 * A known failure that the team has accepted temporarily.
 */
export interface Waiver {
  /**
   * Requirement or check that is waived, or a threshold of the load as `load.<scenario>/<metric>`.
   */
  id: string;
  reason: string;
  /**
   * Who is responsible for it.
   */
  owner: string;
  /**
   * Where the fix is tracked.
   */
  ticket: string;
  /**
   * Last day on which it holds, in UTC.
   */
  expires: string;
  /**
   * Targets that it holds for. Default: all
   *
   * @minItems 1
   */
  targets?: string[];
  /**
   * What it waives fails only intermittently: when it passes, the waiver is unused and not stale. Default: false
   */
  flaky?: boolean;
}
export interface Discovered {
  /**
   * Slugs that the primary key may use.
   */
  retailers: string[];
  dialect: FieldNames;
  /**
   * Paths of the fields seen on products, and how many of the different products have each.
   */
  fields: {
    [k: string]: number;
  };
  /**
   * Observations of the rate limit.
   */
  rateLimit: {
    refused: number;
    longestRetryAfterSeconds?: number;
    accepted?: number;
  };
  /**
   * What was seen of the second keys: it has the role that its variable names, its role is unclear, what it sees contradicts its role, it cannot be used, or it is not set.
   */
  keyRoles?: {
    sameOrg: SeenRole;
    otherOrg: SeenRole;
  };
  /**
   * What the checks and the load need, each present, or missing with the reason.
   */
  fixtures: {
    name: string;
    present: boolean;
    /**
     * A short description of what was found.
     */
    value?: string;
    missing?: Finding;
    doubt?: Finding;
  }[];
  fieldsByRetailer?: FieldsByRetailer;
  statuses?: Statuses;
  /**
   * Categories that could be browsed.
   */
  categories?: string[];
  /**
   * Unusual identifiers, such as a product id with a slash: how many of each kind the run saw, and how many of those it looked up.
   */
  coverage?: Coverage[];
}
/**
 * For each retailer: the number of different products seen, and how many of them have each field path.
 */
export interface FieldsByRetailer {
  [k: string]: {
    products: number;
    fields: {
      [k: string]: number;
    };
  };
}
/**
 * Number of responses by endpoint, named as in schemas/api.ts, and status.
 */
export interface Statuses {
  [k: string]: {
    [k: string]: number;
  };
}
export interface Coverage {
  of: "product_id" | "product_url" | "gtin";
  kind: string;
  seen: number;
  asked: number;
}
export interface LoadResult {
  scenario: string;
  profile: string;
  verdict: "pass" | "fail" | "slower" | "invalid";
  /**
   * When k6 was started.
   */
  startedAt?: string;
  /**
   * From the start of k6 to the end of its last process.
   */
  seconds?: number;
  /**
   * Why the verdict is not pass; the first one decided it.
   */
  findings: Finding[];
  /**
   * Notes for the reader that do not change the verdict.
   */
  notes: Finding[];
  thresholds: Threshold[];
  /**
   * By metric, with k6's own value names (avg, p(95), count, rate). Times are milliseconds.
   */
  metrics: {
    [k: string]: {
      [k: string]: number;
    };
  };
  /**
   * 429 responses, counted separately from failures.
   */
  retryAfter: {
    refused: number;
    withRetryAfter: number;
    longestSeconds?: number;
  };
  rateLimit?: RateLimitResult;
  /**
   * The first responses of each kind that violated a rule.
   */
  evidence?: {
    /**
     * Kind of request, as in schemas/scenarios.ts.
     */
    request: string;
    finding: Finding;
    exchange: Evidence;
  }[];
  /**
   * Responses checked against their schema; when none violated it, 3/n bounds the undetected share at 95 % confidence.
   */
  validated: {
    answers: number;
    invalid: number;
    undetectedShareBound?: number;
  };
  /**
   * The planned rate: for each stage its seconds, and the requests a second at its end. Omitted where requests follow from each other.
   */
  planned?: {
    seconds: number;
    rate: number;
  }[];
  /**
   * The run over time, one value a period in each column; null where there was nothing to measure. At most 600 periods; the last one, cut short by the end, is omitted.
   */
  series?: {
    periodSeconds: number;
    /**
     * End of each period, from the start of the run.
     */
    seconds: number[];
    requestRate: Column;
    failedRate: Column;
    refusedRate: Column;
    waitSeconds: Column;
    virtualUsers: Column;
    /**
     * Milliseconds of the 200 responses. For several processes or merged periods, the highest value: percentiles of parts cannot be merged, and the true one is not higher.
     */
    latency: {
      p50: Column;
      p95: Column;
      p99: Column;
    };
  };
  /**
   * Latency of good responses by endpoint: milliseconds at each percentile, from the whole distribution. Whole walks through a category are `category-walk`.
   */
  percentiles?: {
    endpoint: string;
    count: number;
    /**
     * From 0 to 100.
     */
    at: number[];
    milliseconds: number[];
  }[];
  /**
   * What two runs must have in common to be compared.
   */
  comparability?: {
    hash: string;
    /**
     * Fingerprint of each: profile, bundle, fixtures, k6, host and so on.
     */
    parts: {
      [k: string]: string;
    };
  };
  comparison?: LoadComparison;
}
/**
 * One limit of a load run.
 */
export interface Threshold {
  /**
   * As k6 names it, with its tags: the name by which a waiver covers it.
   */
  metric: string;
  crossing: LoadCode;
  /**
   * Kind of request, as in schemas/scenarios.ts, where the limit is for one.
   */
  request?: string;
  statistic: "p95" | "p99" | "share" | "count";
  /**
   * Whether the limit is a maximum or a minimum.
   */
  bound: "most" | "least";
  limit: number;
  /**
   * What was measured. Omitted when there was nothing.
   */
  value?: number;
  unit: "ms" | "share" | "count";
  held: boolean;
  /**
   * What a crossing means: `target` makes the verdict fail, `run` makes it invalid, `search` means that it is the result the profile searches for.
   */
  guards: "target" | "run" | "search";
  /**
   * Why a share above its limit is not a failure: there were too few samples to rule out chance.
   */
  notJudged?: {
    samples: number;
    needed: number;
  };
  /**
   * The share is within its limit, but with too few samples to rule out chance: a waiver of the limit is not stale.
   */
  fewSamples?: {
    samples: number;
    needed: number;
  };
  waiver?: Waiver;
}
/**
 * The result of the rate-limit scenario, in one of its two modes.
 */
export interface RateLimitResult {
  mode: "probe" | "polite";
  /**
   * The estimate; omitted when no request was refused up to the highest rate, or when the limit's window is longer than the probe.
   */
  limit?: {
    perSecond: number;
    low: number;
    high: number;
    /**
     * Maximum number of requests accepted at once: the size of a full bucket, or of a window.
     */
    burst: number;
    /**
     * A window accepts a block and then nothing until it turns; a bucket accepts evenly.
     */
    kind: "window" | "bucket";
    windowSeconds?: number;
  };
  /**
   * The highest probed rate, in requests a second.
   */
  highestRate?: number;
  refusedShare?: number;
  /**
   * Requests sent exactly when Retry-After had passed, how many of them were accepted, and how many were refused again a second later although nothing else had been sent.
   */
  promises?: {
    tried: number;
    kept: number;
    broken?: number;
  };
  /**
   * Requests that another organization sent while the first was above its limit, and how many were refused.
   */
  otherOrganization?: {
    requests: number;
    refused: number;
  };
  polite?: {
    /**
     * Accepted requests a second.
     */
    goodput: number;
    /**
     * Rate that the pacing reached.
     */
    paced: number;
    unsent: number;
    waits: number;
    /**
     * Seconds of Retry-After, summed.
     */
    waitSeconds: number;
    refusedAgain: number;
    /**
     * Median time from a refusal to the next request accepted.
     */
    recoveryMilliseconds?: number;
  };
}
/**
 * Latency compared with that of earlier runs.
 */
export interface LoadComparison {
  answer: "slower" | "same" | "faster" | "inconclusive" | "refused";
  /**
   * The reason for this result.
   */
  findings: Finding[];
  /**
   * Number of runs before and after.
   */
  runs: {
    before: number;
    after: number;
  };
  endpoints: {
    /**
     * Kind of request, `category-walk`, or `all` for all of them together.
     */
    endpoint: string;
    /**
     * Such as p50 or p95.
     */
    statistic: string;
    answer: "slower" | "same" | "faster" | "inconclusive" | "refused";
    /**
     * Milliseconds.
     */
    before: number;
    /**
     * Milliseconds.
     */
    after: number;
    /**
     * Relative: 0.2 is 20 % slower.
     */
    change: number;
    /**
     * Ends of the interval of the change.
     */
    low: number;
    high: number;
  }[];
}
export interface WaiverResult {
  waiver: Waiver;
  /**
   * `active` waived something; `unused`: this run did not show whether it is still needed; `stale`: what it waives passes now; `expired`: its last day has passed. The last two fail the run.
   */
  state: "active" | "unused" | "stale" | "expired";
  /**
   * File and line of the waiver, such as `shelfcheck-baseline/waivers.yaml, line 4`.
   */
  where?: string;
}
/**
 * A field is on more or fewer products than before.
 */
export interface FieldDrift {
  kind: "field";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  /**
   * Path of the field.
   */
  subject: string;
  /**
   * How many of the retailer's products had the field.
   */
  retailers: {
    retailer: string;
    before: Share;
    after: Share;
  }[];
  /**
   * More fields that changed by the same rule and are not listed.
   */
  more?: number;
}
/**
 * How often something was seen, out of how often it could have been.
 */
export interface Share {
  count: number;
  total: number;
}
/**
 * A name that the spec leaves open changed.
 */
export interface FieldNameDrift {
  kind: "dialect";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  /**
   * Name of the setting in `dialect`.
   */
  subject: "batchRequestField" | "batchFoundField" | "batchFoundProduct" | "gtin";
  /**
   * Omitted when it was not found.
   */
  before?: string;
  /**
   * Omitted when it was not found.
   */
  after?: string;
}
/**
 * A retailer was added or removed for the primary key, or none of its products was seen.
 */
export interface RetailerDrift {
  kind: "retailer";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  /**
   * Slug of the retailer.
   */
  subject: string;
  /**
   * The primary key has changed, which may be the cause.
   */
  otherKey?: true;
}
/**
 * An endpoint returned a status more or less often than before.
 */
export interface StatusDrift {
  kind: "status";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  /**
   * The status, such as `404`.
   */
  subject: string;
  /**
   * Named as in schemas/api.ts.
   */
  endpoint: string;
  before: Share;
  after: Share;
}
/**
 * Two probes under load found different limits, in requests a second.
 */
export interface LimitDrift {
  kind: "limit";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  subject: "rate";
  before: LimitEstimate;
  after: LimitEstimate;
}
/**
 * Requests a second, with the ends of the interval that holds the true value.
 */
export interface LimitEstimate {
  perSecond: number;
  low: number;
  high: number;
}
/**
 * Two bursts had different numbers of accepted requests.
 */
export interface BurstDrift {
  kind: "limit";
  /**
   * By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.
   */
  rank: "breaking" | "notable" | "harmless";
  /**
   * Id of the rule that ranked it.
   */
  rule: string;
  subject: "burst";
  before: Burst;
  after: Burst;
}
export interface Burst {
  accepted: number;
  /**
   * Without a 429 in the run, the burst ended before the limit.
   */
  limitReached: boolean;
}
/**
 * The content of waivers.yaml: known failures that the team has accepted temporarily.
 */
export interface Waivers {
  /**
   * One entry for each requirement or check that is waived.
   */
  waivers: Waiver[];
}
/**
 * What `baseline accept` records of a target: the contract and the latency that later runs are compared with. Holds no key.
 */
export interface Baseline {
  schemaVersion: 2;
  /**
   * Name of the target.
   */
  target: string;
  recordedAt: string;
  /**
   * Start of the run that showed the contract.
   */
  since: string;
  /**
   * Checks that failed in that run, and those that a waiver covered.
   */
  failing: string[];
  contract: Contract;
  /**
   * Latency of several load runs.
   */
  load?: {
    runs: RecordedRun[];
  };
}
/**
 * What a run showed of the target that clients rely on.
 */
export interface Contract {
  /**
   * For the primary key, as in the results.
   */
  keyFingerprint: string;
  retailers: string[];
  categories: string[];
  dialect: FieldNames;
  fieldsByRetailer: FieldsByRetailer;
  statuses: Statuses;
  /**
   * Requests accepted in a burst before the first 429.
   */
  accepted?: number;
  /**
   * 429 responses in the whole run.
   */
  refused: number;
  limit?: LimitEstimate;
}
/**
 * One scenario of one load run.
 */
export interface RecordedRun {
  /**
   * Name of the run.
   */
  run: string;
  startedAt: string;
  scenario: string;
  profile: string;
  verdict: "pass" | "slower" | "fail";
  comparability: {
    hash: string;
    parts: {
      [k: string]: string;
    };
  };
  /**
   * Latency by endpoint: milliseconds at each percentile, as in the results.
   */
  curves: {
    endpoint: string;
    count: number;
    at: number[];
    milliseconds: number[];
  }[];
}
