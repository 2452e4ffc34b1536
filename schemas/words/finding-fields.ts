import { type EndpointId, endpoints } from "../api.ts";
import type { Finding } from "../types.ts";
import { alternatives, counted } from "./format.ts";
import { code, typeName } from "./values.ts";

// Fields of a finding as parts of a sentence.

export function labelOf(endpoint: unknown): string {
  return Object.hasOwn(endpoints, String(endpoint)) ? endpoints[endpoint as EndpointId].label : "A request";
}

export function endpointName({ endpoint = "other" }: Finding): string {
  // The label `Retailers` names the list, not the request.
  const { method, path } = endpoints.retailers;
  return endpoint === "retailers" ? `${method} ${path}` : labelOf(endpoint);
}

export function statusSeen({ actual, details }: Finding): string {
  const errorCode = details?.errorCode;
  return typeof errorCode === "string" ? `${String(actual)} (${code(errorCode)})` : String(actual);
}

export function tally(given: unknown): string {
  const { count, total } = asObject(given);
  return `${String(count)} of ${counted(Number(total), "request")}`;
}

export function productName({ retailer, productId }: NonNullable<Finding["product"]>): string {
  return code(`${retailer} / ${productId}`);
}

export function productOf({ product }: Finding): string {
  return product === undefined ? "a product" : productName(product);
}

export function category(finding: Finding): string {
  return `category ${code(subject(finding))}`;
}

export function retailerName(finding: Finding): string {
  return code(detail(finding, "retailer"));
}

/** `400`, `400 or 404`, `400, 404, or 413`. */
export function oneOf(values: unknown): string {
  return alternatives((Array.isArray(values) ? values : [values]).map(String));
}

export function subject(finding: Finding): string {
  return finding.subject ?? "";
}

export function detail({ details }: Finding, name: string): string {
  return String(details?.[name] ?? "");
}

export function asObject(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

export function strings(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}

export function typeNames(types: unknown): string {
  return alternatives((Array.isArray(types) ? types : [types]).map(typeName));
}
