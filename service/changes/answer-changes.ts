import type { Permissions } from "../access/permissions.ts";
import type { Answer, Call, Caller, Endpoint, Eventually } from "../call.ts";
import type { Steps } from "../steps.ts";
import type { Plug } from "./change.ts";

// What variants and faults are made of. The honest path uses none of this.

export type Json = Record<string, unknown>;

/** The body of a batch result, as the honest path writes it. */
export interface BatchBody extends Json {
  readonly products: readonly Json[];
  readonly errors: readonly Json[];
  readonly meta: Readonly<Record<"total" | "found" | "not_found" | "other_errors", number>>;
}

/** Parts of a plug that change one step. */
export type Change = Pick<Plug, "steps" | "sources">;

/** Changes answers when they are about to leave; undefined leaves an answer alone. */
export function onAnswer(
  change: (answer: Answer, call: Call, steps: Steps) => Answer | undefined | Promise<Answer | undefined>,
): Change {
  return {
    steps: (steps) => ({
      ...steps,
      async finish(call, given) {
        const answer = await steps.finish(call, given);
        return (await change(answer, call, steps)) ?? answer;
      },
    }),
  };
}

/** Changes how requests are answered that have passed authentication and limit. */
export function onRespond(respond: (call: Call, inner: Steps["respond"]) => Eventually<Answer>): Change {
  return {
    steps: (steps) => ({ ...steps, respond: (call) => respond(call, steps.respond) }),
  };
}

/** Changes who is taken to ask, or who is refused with 401. */
export function onIdentify(
  identify: (call: Call, inner: Steps["identify"], permissions: Permissions) => Caller,
): Change {
  return {
    steps: (steps, sources) => ({
      ...steps,
      identify: (call) => identify(call, steps.identify, sources.permissions()),
    }),
  };
}

/** A change with a memory of its own for each started service. */
export function remembering(make: () => Change): Change {
  return {
    sources: (sources) => make().sources?.(sources) ?? sources,
    steps: (steps, sources) => make().steps?.(steps, sources) ?? steps,
  };
}

/** A call in which the caller may use every retailer there is. */
export function withEveryRetailer(call: Call, permissions: Permissions): Call {
  if (call.caller === undefined) return call;
  return { ...call, caller: { ...call.caller, entitled: new Set(permissions.retailersById.keys()) } };
}

/** Changes answers of one status, where the condition holds. */
export function onStatus(
  status: number,
  change: (answer: Answer, call: Call) => Answer,
  condition: (call: Call) => boolean = () => true,
): Change {
  return onAnswer((answer, call) =>
    answer.status === status && condition(call) ? change(answer, call) : undefined,
  );
}

/** The body as an object of its own, that may be changed. */
export function bodyOf(answer: Answer): Json {
  return typeof answer.body === "string" ? JSON.parse(answer.body) : structuredClone(answer.body as Json);
}

/** The body as JSON text. */
export function textOf({ body }: Answer): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Changes the body of answers with 200, of some endpoints or all. */
export function onBody(
  endpoints: readonly Endpoint[],
  change: (body: Json, call: Call, steps: Steps) => Json | undefined | Promise<Json | undefined>,
): Change {
  return onAnswer(async (answer, call, steps) => {
    if (answer.status !== 200 || !endpoints.includes(call.endpoint)) return undefined;
    const body = await change(bodyOf(answer), call, steps);
    return body === undefined ? undefined : { ...answer, body };
  });
}

/** Where a product was found. */
export type ProductWay = "identifier" | "url" | "gtin" | "category" | "batch";

export const allWays: readonly ProductWay[] = ["identifier", "url", "gtin", "category", "batch"];

/** The way in which a call looks products up; undefined when it looks up none. */
export function wayOf(call: Call): ProductWay | undefined {
  switch (call.endpoint) {
    case "product":
      return "identifier";
    case "batch":
      return "batch";
    case "products":
      return (["url", "gtin", "category"] as const).find((name) => queryOf(call).has(name));
    case "retailers":
    case "none":
      return undefined;
    default:
      return call.endpoint satisfies never;
  }
}

/** Changes every product that is found in one of the given ways. */
export function onProducts(
  change: (product: Json, call: Call, way: ProductWay) => Json | undefined,
  ways: readonly ProductWay[] = allWays,
): Change {
  return onBody(["product", "products", "batch"], (body, call) => {
    const way = wayOf(call);
    if (way === undefined || !ways.includes(way)) return undefined;
    const apply = (product: Json) => change(product, call, way) ?? product;
    return Array.isArray(body.products) ? { ...body, products: body.products.map(apply) } : apply(body);
  });
}

export function queryOf(call: Call): URLSearchParams {
  return new URLSearchParams(call.query);
}

/** The same call with another query; a value of undefined takes the parameter away. */
export function withQuery(call: Call, changes: Record<string, string | undefined>): Call {
  const query = queryOf(call);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return { ...call, query: query.toString() };
}

/** An error in the shape of the spec. */
export function errorAnswer(status: number, code: string, message = "Refused."): Answer {
  return { status, headers: {}, body: { error: { code, message } } };
}

/** Answers instead of a refusal that `respond` would throw. */
export async function respondOr(
  respond: Steps["respond"],
  call: Call,
  recover: (error: unknown) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await respond(call);
  } catch (error) {
    return recover(error);
  }
}
