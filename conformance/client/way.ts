import { type Secret, secretsOfHeader } from "../../schemas/redaction.ts";

/** How a target is reached. Nothing of it is part of the service, and all of it holds for every request to the target. */
export interface Way {
  /** Headers that a gateway in front of the service wants. They are sent to the target and to nobody else. */
  readonly headers?: readonly GatewayHeader[];
  /** What the `Host` header says in place of the base URL's host. */
  readonly host?: string;
}

export interface GatewayHeader {
  readonly name: string;
  readonly value: string;
  /** The environment variable that the value came from, by which it is shown; one without is no secret. */
  readonly variable?: string;
}

/** What must not be shown of a way. */
export function secretsOf({ headers = [] }: Way = {}): Secret[] {
  return headers.flatMap(({ value, variable }) =>
    variable === undefined ? [] : secretsOfHeader(value, `$${variable}`),
  );
}

/** The headers that the way adds to a request. */
export function headersOf({ headers = [], host }: Way = {}): Record<string, string> {
  return Object.fromEntries([
    ...(host === undefined ? [] : [["host", host]]),
    ...headers.map(({ name, value }) => [name, value]),
  ]);
}
