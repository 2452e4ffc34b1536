import type { Permissions } from "../access/permissions.ts";
import type { Call, Caller } from "../call.ts";
import { type Change, errorAnswer, onIdentify, onStatus } from "../changes/answer-changes.ts";
import { unauthorized } from "../refusal.ts";
import { faultsOf } from "./fault.ts";

const hasKey = (call: Call) =>
  call.headers.authorization !== undefined || call.headers["x-api-key"] !== undefined;

/** Lets somebody in who has no valid key, as a member of the first organization. */
const letIn = (applies: (call: Call) => boolean): Change =>
  onIdentify((call, inner, permissions) => {
    try {
      return inner(call);
    } catch (error) {
      if (!applies(call)) throw error;
      return someCaller(permissions);
    }
  });

function someCaller(permissions: Permissions): Caller {
  const [organization = 0, entitled = new Set<number>()] = [...permissions.entitlements][0] ?? [];
  return { organization, entitled, permissions, keyHeader: "x-api-key" };
}

const either = "Every request carries an API key in either of two headers (equivalent).";
const refused = "A missing or invalid key gives 401 (`unauthorized`).";

const refuseWhen = (refuses: (call: Call) => boolean): Change =>
  onIdentify((call, inner) => {
    if (refuses(call)) throw unauthorized();
    return inner(call);
  });

export const authenticationFaults = faultsOf("Authentication", [
  [
    "bearer-refused",
    "authentication.bearer",
    either,
    refuseWhen(({ headers }) => headers.authorization !== undefined && headers["x-api-key"] === undefined),
  ],
  [
    "x-api-key-refused",
    "authentication.x-api-key",
    either,
    refuseWhen(({ headers }) => headers.authorization === undefined && headers["x-api-key"] !== undefined),
  ],
  [
    "x-api-key-refused-in-batch",
    "authentication.x-api-key",
    either,
    refuseWhen(({ endpoint, headers }) => endpoint === "batch" && headers.authorization === undefined),
  ],
  [
    "bearer-refused-in-category",
    "authentication.bearer",
    either,
    refuseWhen(
      ({ endpoint, headers, query }) =>
        endpoint === "products" && query.includes("category=") && headers["x-api-key"] === undefined,
    ),
  ],
  [
    "x-api-key-entitled-to-less",
    "authentication.headers-equivalent",
    either,
    onIdentify((call, inner) => {
      const caller = inner(call);
      if (caller.keyHeader === "authorization") return caller;
      return { ...caller, entitled: new Set([...caller.entitled].slice(0, -1)) };
    }),
  ],
  [
    "missing-key-400",
    "authentication.missing-key",
    refused,
    onStatus(
      401,
      () => errorAnswer(400, "bad_request"),
      (call) => !hasKey(call),
    ),
  ],
  [
    "missing-key-403",
    "authentication.missing-key",
    refused,
    onStatus(
      401,
      () => errorAnswer(403, "forbidden"),
      (call) => !hasKey(call),
    ),
  ],
  ["missing-key-accepted", "authentication.missing-key", refused, letIn((call) => !hasKey(call))],
  [
    "missing-key-accepted-for-retailers",
    "authentication.missing-key",
    refused,
    letIn((call) => !hasKey(call) && call.endpoint === "retailers"),
  ],
  [
    "missing-key-accepted-for-batch",
    "authentication.missing-key",
    refused,
    letIn((call) => !hasKey(call) && call.endpoint === "batch"),
  ],
  [
    "invalid-key-403",
    "authentication.invalid-key",
    refused,
    onStatus(401, () => errorAnswer(403, "forbidden"), hasKey),
  ],
  [
    "invalid-key-404",
    "authentication.invalid-key",
    refused,
    onStatus(401, () => errorAnswer(404, "not_found"), hasKey),
  ],
  ["invalid-key-accepted", "authentication.invalid-key", refused, letIn(hasKey)],
  [
    "invalid-key-accepted-with-x-api-key",
    "authentication.invalid-key",
    refused,
    letIn((call) => call.headers["x-api-key"] !== undefined && call.headers.authorization === undefined),
  ],
]);
