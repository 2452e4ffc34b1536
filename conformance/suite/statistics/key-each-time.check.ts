import { type KeyHeader, keyHeaders } from "../../../schemas/api.ts";
import { type Exchange, requestName } from "../../client/exchange.ts";
import { keyIn, retailers } from "../../client/requests.ts";
import { acrossAllRequests, type Check } from "../check/check.ts";
import { hasStatus } from "../check/expectations.ts";
import { section } from "../check/rows.ts";

/** Requests with a key in each header, of which one instance of five most likely gets one. More would be felt in every run. */
const leastWithEachHeader = 14;
/** Most requests to see again that an instance rejects the key. */
const mostRepeated = 60;

/** Spec, Authentication: a key is accepted in either header, which all requests of the run show. */
export default section(
  "authentication",
  [
    accepted("authentication.bearer", keyHeaders.bearer),
    accepted("authentication.x-api-key", keyHeaders.plain),
  ],
  acrossAllRequests,
);

function accepted(
  requirement: "authentication.bearer" | "authentication.x-api-key",
  keyHeader: KeyHeader,
): Check {
  return {
    id: `${requirement}/accepted`,
    title: `A valid key in ${keyHeader} is accepted`,
    requests: 1 + leastWithEachHeader / 2,
    async run({ shared, ask, exchanges, target }) {
      const exchange = await shared({ ...retailers(), keyHeader });
      const circumstances = { condition: "good-key", subject: keyHeader } as const;
      const status = hasStatus(exchange, 200, circumstances);
      if (status.kind !== "pass") return status;
      // One of several instances may not know the key. The client repeats a rejected request in the other header.
      const key = keyIn(keyHeader, target.keys.primary ?? "");
      const sent = () => exchanges.filter(({ request }) => sendsOnly(key, request.headers));
      const rejected = () => rejectedAmong(sent(), exchanges);
      const isDone = () => {
        const count = rejected().filter(({ endpoint }) => endpoint === "retailers").length;
        return count > 1 || (rejected().length === 0 && sent().length >= leastWithEachHeader);
      };
      for (let left = mostRepeated; !isDone() && left > 0; left--) await ask({ ...retailers(), keyHeader });
      const [last, ...others] = rejected().toReversed();
      return last === undefined || others.length === 0
        ? status
        : hasStatus(last, 200, circumstances, exchange);
    },
  };
}

/**
 * The responses 401 among these with a key, although it is accepted: other requests to the endpoint returned 200, and so did the
 * same request, in either header.
 */
function rejectedAmong(withKey: readonly Exchange[], exchanges: readonly Exchange[]): Exchange[] {
  const found = new Set(
    exchanges.flatMap((one) =>
      one.caller === "primary" && one.response.status === 200 ? requestName(one) : [],
    ),
  );
  const endpoints = new Set(
    withKey.flatMap(({ endpoint, response }) => (response.status === 200 ? endpoint : [])),
  );
  return withKey.filter(
    (one) => one.response.status === 401 && endpoints.has(one.endpoint) && found.has(requestName(one)),
  );
}

function sendsOnly(key: Readonly<Record<string, string>>, headers: Exchange["request"]["headers"]): boolean {
  const names = Object.values(keyHeaders).map((name) => name.toLowerCase());
  const sent = Object.keys(headers).filter((name) => names.includes(name.toLowerCase()));
  return sent.length === 1 && Object.entries(key).every(([name, value]) => headers[name] === value);
}
