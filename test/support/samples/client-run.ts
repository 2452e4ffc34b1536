import type { ClientRequest, ClientResults } from "../../../clients/contract/client-results.ts";
import { type RequirementResult, schemaVersion } from "../../../schemas/contracts/results.ts";
import { saidRequirement } from "../../../scripts/runs/said.ts";
import { exampleEnvironment } from "./example.ts";

const lookup: ClientRequest = {
  at: 120,
  end: 124,
  connection: 1,
  method: "GET",
  target: "/v1/products/acme/1",
  endpoint: "lookup-by-id",
  status: 200,
};

/** The run of a client that waited too short and did not walk a category. */
export function sampleClientResults(change: Partial<ClientResults> = {}): ClientResults {
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
      {
        do: "walk",
        sentence: 'Read all products of the category "toys", page by page.',
        done: 0,
        of: 1,
        missing: [],
      },
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
    requirements: requirements().map((one) => saidRequirement(one)),
    ...change,
  };
}

function requirements(): RequirementResult[] {
  return [
    {
      id: "query.follow-cursor",
      section: "Endpoints: GET /v1/products (query-driven)",
      level: "must",
      statement: "Paging follows next_cursor, not whether count reached limit.",
      verdict: "inconclusive",
      checks: [
        {
          id: "query.follow-cursor/to-the-end",
          title: "A walk follows next_cursor until it is empty",
          verdict: "inconclusive",
          findings: [{ code: "not-attempted", details: { tasks: ["walk"] } }],
          evidence: [],
        },
      ],
    },
    {
      id: "authentication.key-in-header",
      section: "Authentication",
      level: "must",
      statement: "A client sends its key in one of the two headers, and nowhere else.",
      verdict: "pass",
      checks: [
        {
          id: "authentication.key-in-header/sent",
          title: "Each request has the key in one of the two headers",
          verdict: "pass",
          findings: [],
          evidence: [],
        },
      ],
    },
    {
      id: "limits.respect",
      section: "Limits",
      level: "must",
      statement: "A client respects Retry-After and assumes no fixed rate.",
      verdict: "fail",
      checks: [
        {
          id: "limits.respect/waits",
          title: "After a 429, no request is sent before the seconds of Retry-After are over",
          verdict: "fail",
          findings: [
            {
              code: "sent-too-early",
              seen: { count: 1, total: 5, of: "requests" },
              details: { requests: [1, 2], seconds: 2, afterMilliseconds: 496, same: true },
            },
          ],
          evidence: [
            {
              request: {
                method: "GET",
                url: "/v1/products/acme/1",
                headers: { authorization: "Bearer $SHELFCHECK_API_KEY" },
              },
              response: {
                status: 429,
                headers: { "retry-after": "2" },
                body: '{"error":{"code":"rate_limited","message":"Too many requests."}}',
                milliseconds: 4,
              },
              curl: `curl -sS -i -H 'authorization: Bearer '"$SHELFCHECK_API_KEY" "$SHELFCHECK_BASE_URL"'/products/acme/1'`,
            },
          ],
        },
      ],
    },
  ];
}
