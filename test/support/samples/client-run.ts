import type { ClientRequest, ClientResults } from "../../../clients/contract/client-results.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { schemaVersion } from "../../../schemas/contracts/results.ts";
import type { Verdict } from "../../../schemas/contracts/verdicts.ts";
import { exampleCheck, exampleEnvironment, exampleExchange, exampleRequirement } from "./example.ts";

const lookup: ClientRequest = {
  at: 120,
  end: 124,
  connection: 1,
  method: "GET",
  target: "/v1/products/acme/1",
  endpoint: "lookup-by-id",
  status: 200,
};
const tooEarly: Finding = {
  code: "sent-too-early",
  seen: { count: 1, total: 5, of: "requests" },
  details: { requests: [1, 2], seconds: 2, afterMilliseconds: 496, same: true },
};
const refused = exampleExchange(
  {
    status: 429,
    headers: { "retry-after": "2" },
    body: '{"error":{"code":"rate_limited","message":"Too many requests."}}',
  },
  "/acme/1",
);

const rows: readonly (readonly [id: string, statement: string, Verdict, Finding?])[] = [
  [
    "query.follow-cursor",
    "Paging follows next_cursor, not whether count reached limit.",
    "inconclusive",
    { code: "not-attempted", details: { tasks: ["walk"] } },
  ],
  ["authentication.key-in-header", "A client sends its key in one of the two headers.", "pass"],
  ["limits.respect", "A client respects Retry-After and assumes no fixed rate.", "fail", tooEarly],
];

/** The run of a client that waited too short and did not walk a category. */
export function sampleClientResults(): ClientResults {
  return {
    schemaVersion,
    tool: { name: "shelfcheck", version: "0.0.0" },
    command: "client",
    client: {
      commandLine: "node my-client.mjs",
      ended: "failed",
      status: "exit code 1",
      output: "no luck",
    },
    service: { baseUrl: "http://127.0.0.1:40123/v1", seed: 1 },
    tasks: [
      { do: "look-up", sentence: "Look up these 3 products.", done: 2, of: 3, missing: ["acme 3"] },
      { do: "walk", sentence: 'Read all products of the category "toys".', done: 0, of: 1, missing: [] },
    ],
    timeline: [
      { ...lookup, at: 100, end: 104, target: "/v1/retailers", endpoint: "retailers" },
      { ...lookup, status: 429, retryAfter: 2, situations: ["wait-2"] },
      { ...lookup, at: 620, end: 621, status: 429, retryAfter: 2, situations: ["still-limited"] },
      { ...lookup, at: 2700, end: 2704 },
      { ...lookup, at: 2720, end: 2725, target: "/v1/products/acme/2", status: 404 },
    ],
    startedAt: "2026-11-21T08:00:00.000Z",
    finishedAt: "2026-11-21T08:00:03.000Z",
    exitCode: 1,
    verdict: "violations",
    cause: "requirement-failed",
    environment: exampleEnvironment(),
    summary: { pass: 1, fail: 1, warn: 0, inconclusive: 1, notApplicable: 0, error: 0 },
    requests: { total: 5 },
    requirements: rows.map(([id, statement, verdict, finding]) => {
      const findings = finding === undefined ? [] : [finding];
      const evidence = verdict === "fail" ? [refused] : [];
      const check = exampleCheck({
        id: `${id}/one`,
        title: `one look at ${id}`,
        verdict,
        findings,
        evidence,
      });
      return exampleRequirement({ id, section: "Limits", statement, verdict, checks: [check] });
    }),
  };
}
