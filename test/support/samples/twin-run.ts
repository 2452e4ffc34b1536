import type { Results } from "../../../schemas/contracts/results.ts";
import type { TwinDifference, TwinResult } from "../../../scripts/twin/twin-result.ts";
import { exampleEnvironment, exampleExchange, exampleResults } from "./example.ts";

/** Two deployments that differ in six ways, and in their latency. Texts of a target end in `marker`. */
export function twinRun(marker = ""): Results {
  return exampleResults({
    command: "twin",
    requirements: [],
    environment: exampleEnvironment({
      commandLine: "shelfcheck twin https://old.example/v1 https://catalog.example/v1",
    }),
    parts: { twin: twin(marker) },
  });
}

function twin(marker: string): TwinResult {
  const changed = (change: TwinDifference["change"]): TwinDifference => ({
    request: "lookup-by-id",
    change,
    path: `/products/*/${change}${marker}`,
    ...(change === "extra" || change === "added" ? {} : { old: `old${marker}` }),
    ...(change === "missing" ? {} : { new: `new${marker}` }),
    count: 3,
    total: 40,
    evidence: [exampleExchange({ body: marker }), exampleExchange({ body: marker })],
  });
  const latency = { pairs: 120, old: 10, new: 12, change: 0.2, low: 0.15, high: 0.25 };
  return {
    old: { name: `old${marker}`, baseUrl: "https://old.example/v1" },
    outcome: "different",
    seed: 1,
    longestSeconds: 60,
    seconds: 42,
    requests: { old: 900, new: 800 },
    responses: {
      outcome: "different",
      requests: 200,
      differences: (["status", "value", "type", "missing", "extra", "varies"] as const).map(changed),
      notes: (["added", "moved", "unstable", "passing"] as const).map(changed),
      failures: {
        outcome: "different",
        old: { count: 0, total: 900 },
        new: { count: 20, total: 800 },
      },
    },
    latency: [
      { request: "lookup-by-id", outcome: "slower", ...latency },
      { request: "batch", outcome: "same", ...latency },
      { request: `faster${marker}`, outcome: "faster", ...latency },
      { request: `inconclusive${marker}`, outcome: "inconclusive", ...latency, low: -0.4, high: 1.3 },
    ],
  };
}
