import type { Exchange } from "../../conformance/client/exchange.ts";
import type { Endpoint } from "../../conformance/client/requests.ts";
import type { Caller } from "../../conformance/client/target.ts";

/** Details of a made-up exchange. Defaults pass every rule. */
export interface MadeUp {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body text in place of JSON. */
  readonly text?: string;
  readonly utf8?: boolean;
  readonly caller?: Caller;
  readonly method?: string;
  readonly url?: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: string | undefined;
}

/** An exchange with this JSON body, as if it had been received. */
export function exchangeOf(endpoint: Endpoint, json: unknown, madeUp: MadeUp = {}): Exchange {
  const { status = 200, text, requestBody } = madeUp;
  return {
    number: 1,
    endpoint,
    caller: madeUp.caller ?? "primary",
    request: {
      method: madeUp.method ?? (requestBody === undefined ? "GET" : "POST"),
      url: madeUp.url ?? "http://stub.example/v1/products/acme/A1",
      headers: { accept: "application/json", ...madeUp.requestHeaders },
      body: requestBody,
    },
    response: {
      status,
      headers: { "content-type": "application/json", ...madeUp.headers },
      // JSON.stringify(undefined) is undefined: an empty body.
      text: text ?? JSON.stringify(json) ?? "",
      utf8: madeUp.utf8 ?? true,
      ...(text === undefined ? { json } : {}),
      milliseconds: 1.23,
    },
  };
}

/** An error response in the error shape. */
export function errorOf(
  status: number,
  code: string,
  madeUp: MadeUp & { endpoint?: Endpoint } = {},
): Exchange {
  const { endpoint = "lookup-by-id", ...rest } = madeUp;
  return exchangeOf(endpoint, { error: { code, message: "No." } }, { status, ...rest });
}
