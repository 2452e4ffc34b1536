import { keyHash } from "../access/permissions.ts";
import type { Answer } from "../call.ts";
import { type Change, errorAnswer, onAnswer, onStatus } from "../changes/answer-changes.ts";
import { rateLimited } from "../refusal.ts";
import { faultsOf } from "./fault.ts";

const gives =
  "429 | rate_limited | Rate limit exceeded. The `Retry-After` response header gives the seconds to wait.";
const perOrganization =
  "Rate limit | applied per organization; exceeding it gives 429 with `Retry-After` (seconds)";

const withRetryAfter = (value: string): Change =>
  onStatus(429, (answer) => ({ ...answer, headers: { ...answer.headers, "retry-after": value } }));

const withoutHeader = ({ headers, ...answer }: Answer, name: string): Answer => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(headers).filter(([its]) => its !== name)),
});

export const limitFaults = [
  ...faultsOf("Errors", [
    [
      "retry-after-missing",
      "limit.retry-after",
      gives,
      onStatus(429, (answer) => withoutHeader(answer, "retry-after")),
    ],
    [
      "retry-after-http-date",
      "limit.retry-after-seconds",
      gives,
      onAnswer((answer) => {
        const later = new Date(Date.now() + 2000).toUTCString();
        return answer.status === 429
          ? { ...answer, headers: { ...answer.headers, "retry-after": later } }
          : undefined;
      }),
    ],
    ["retry-after-fraction", "limit.retry-after-seconds", gives, withRetryAfter("0.5")],
    ["retry-after-negative", "limit.retry-after-seconds", gives, withRetryAfter("-1")],
    ["retry-after-with-unit", "limit.retry-after-seconds", gives, withRetryAfter("1s")],
    [
      "retry-after-in-body-only",
      "limit.retry-after",
      gives,
      onStatus(429, (answer) => ({
        ...withoutHeader(answer, "retry-after"),
        body: { error: { code: "rate_limited", message: "Too many requests.", retry_after: 1 } },
      })),
    ],
    ["retry-after-too-short", "limit.let-in-after-wait", gives, holdingBack()],
  ]),
  ...faultsOf("Limits", [
    [
      "limit-is-503",
      "limit.status-429",
      perOrganization,
      onStatus(429, (answer) => ({ ...errorAnswer(503, "rate_limited"), headers: answer.headers })),
    ],
    [
      "limit-is-403",
      "limit.status-429",
      perOrganization,
      onStatus(429, (answer) => ({ ...errorAnswer(403, "forbidden"), headers: answer.headers })),
    ],
    ["limit-per-key", "limit.per-organization", perOrganization, limitBy("key")],
    ["limit-of-everybody", "limit.per-organization", perOrganization, limitBy("nothing")],
  ]),
];

/** Says one second and means three: whoever comes back in time is refused again. */
function holdingBack(): Change {
  return {
    steps(steps) {
      const refusedUntil = new Map<number, number>();
      return {
        ...steps,
        async admit(call, caller) {
          if ((refusedUntil.get(caller.organization) ?? 0) > Date.now()) throw rateLimited(1);
          try {
            await steps.admit(call, caller);
          } catch (error) {
            refusedUntil.set(caller.organization, Date.now() + 3000);
            throw error;
          }
        },
      };
    },
  };
}

/** Counts requests by something else than the organization. */
function limitBy(what: "key" | "nothing"): Change {
  return {
    steps: (steps) => ({
      ...steps,
      admit(call, caller) {
        const key = call.headers.authorization?.slice(7) ?? String(call.headers["x-api-key"]);
        const organization = what === "key" ? Number.parseInt(keyHash(key).slice(0, 12), 16) : 0;
        return steps.admit(call, { ...caller, organization });
      },
    }),
  };
}
