import { type EndpointId, endpoints } from "../api.ts";
import type { Finding } from "../contracts/finding.ts";
import { alternatives, counted } from "./format.ts";
import { code, typeName } from "./values.ts";

// Fields of a finding as parts of a sentence.

/** The label of an endpoint; `A request` for anything else. */
export function labelOf(endpoint: unknown): string {
  return Object.hasOwn(endpoints, String(endpoint)) ? endpoints[endpoint as EndpointId].label : "A request";
}

/** The endpoint of a finding, as the subject of a sentence. */
export function endpointName({ endpoint = "other" }: Finding): string {
  // The label `Retailers` names the list, not the request.
  const { method, path } = endpoints.retailers;
  return endpoint === "retailers" ? `${method} ${path}` : labelOf(endpoint);
}

/** The status that a response had, with its error code: ``404 (`not_found`)``. */
export function statusSeen({ actual, details }: Finding): string {
  const errorCode = details?.errorCode;
  return typeof errorCode === "string" ? `${String(actual)} (${code(errorCode)})` : String(actual);
}

/** `3 of 12 requests`, from a count and its total. */
export function tally(given: unknown): string {
  const { count, total } = asObject(given);
  return `${String(count)} of ${counted(Number(total), "request")}`;
}

/** A product as its retailer and id. */
export function productName({ retailer, productId }: NonNullable<Finding["product"]>): string {
  return code(`${retailer} / ${productId}`);
}

/** The product of a finding; `a product` if it has none. */
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

/** The subject of a finding; empty if it has none. */
export function subject(finding: Finding): string {
  return finding.subject ?? "";
}

/** A detail of a finding as text; empty if it is missing. */
export function detail({ details }: Finding, name: string): string {
  return String(details?.[name] ?? "");
}

/** A value as an object, to read fields from; empty for anything else. */
export function asObject(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

/** The elements of a list as text; empty for anything else. */
export function strings(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}

/** `a string or null`, from one JSON type or a list of them. */
export function typeNames(types: unknown): string {
  return alternatives((Array.isArray(types) ? types : [types]).map(typeName));
}
