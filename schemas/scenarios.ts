import { type EndpointId, endpoints } from "./api.ts";

/** A kind of traffic that a scenario sends. */
export type Traffic = "lookup" | "paging" | "batch" | "tenants" | "limit";

export interface Scenario {
  /** The name in messages and reports. */
  readonly label: string;
  readonly traffic: readonly Traffic[];
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
  tenants: {
    label: "Tenants",
    traffic: ["tenants"],
    endpoints: ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch"],
  },
  "rate-limit": { label: "Rate limit", traffic: ["limit"], endpoints: ["lookup-by-id"] },
} as const satisfies Record<string, Scenario>;

export type ScenarioId = keyof typeof scenarios;

/** Label of a scenario; any other name is returned unchanged. */
export function scenarioLabel(name: string): string {
  return Object.hasOwn(scenarios, name) ? scenarios[name as ScenarioId].label : name;
}

/** Ids of all scenarios, in the order of reports. */
export const scenarioIds = Object.keys(scenarios) as ScenarioId[];

interface RequestKind {
  readonly endpoint: EndpointId;
  /** The name in messages and reports. */
  readonly label: string;
}

/** By the `name` tag of metrics: the endpoints, and lookups that must fail, which are timed and judged apart. */
export const requestKinds = {
  "lookup-by-id": { endpoint: "lookup-by-id", label: endpoints["lookup-by-id"].label },
  "lookup-by-url": { endpoint: "lookup-by-url", label: endpoints["lookup-by-url"].label },
  "lookup-by-gtin": { endpoint: "lookup-by-gtin", label: endpoints["lookup-by-gtin"].label },
  "lookup-unknown-product": { endpoint: "lookup-by-id", label: "Lookup of an unknown product" },
  "lookup-unknown-retailer": { endpoint: "lookup-by-id", label: "Lookup at an unknown retailer" },
  "lookup-unentitled-retailer": { endpoint: "lookup-by-id", label: "Lookup at an unentitled retailer" },
  "category-page": { endpoint: "category-page", label: endpoints["category-page"].label },
  batch: { endpoint: "batch", label: endpoints.batch.label },
  retailers: { endpoint: "retailers", label: endpoints.retailers.label },
} as const satisfies Record<string, RequestKind>;

export type RequestKindId = keyof typeof requestKinds;

export const requestKindIds = Object.keys(requestKinds) as RequestKindId[];

/** The name for the time of complete walks through a category, used like a kind of request in results. */
export const walkName = "category-walk";

/** Label of a kind of request, or of a walk; any other name is returned unchanged. */
export function requestLabel(name: string): string {
  if (name === walkName) return "Walk through a category";
  return Object.hasOwn(requestKinds, name) ? requestKinds[name as RequestKindId].label : name;
}
