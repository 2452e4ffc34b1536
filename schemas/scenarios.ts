import type { EndpointId } from "./api.ts";

/** A kind of traffic that a scenario sends. */
export type Traffic = "lookup" | "paging" | "batch" | "limit";

export interface Scenario {
  /** What a person reads. */
  readonly label: string;
  readonly traffic: readonly Traffic[];
  /** Endpoints that its traffic may ask. */
  readonly endpoints: readonly EndpointId[];
}

/** Every load scenario; `scenarios/<id>.ts` is its k6 script. */
export const scenarios = {
  lookup: {
    label: "Lookup",
    traffic: ["lookup"],
    endpoints: ["lookup-by-id", "lookup-by-url", "lookup-by-gtin"],
  },
  paging: { label: "Paging", traffic: ["paging"], endpoints: ["category-page"] },
  batch: { label: "Batch", traffic: ["batch"], endpoints: ["batch"] },
  mixed: {
    label: "Mixed",
    traffic: ["lookup", "paging", "batch"],
    endpoints: ["lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch"],
  },
  "rate-limit": { label: "Rate limit", traffic: ["limit"], endpoints: ["lookup-by-id"] },
} as const satisfies Record<string, Scenario>;

export type ScenarioId = keyof typeof scenarios;

/** Ids of all scenarios, in the order in which people read them. */
export const scenarioIds = Object.keys(scenarios) as ScenarioId[];
