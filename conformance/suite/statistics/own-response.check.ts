import { failed, passed } from "../../client/outcome.ts";
import { acrossAllRequests, type Check } from "../check/check.ts";
import { section } from "../check/rows.ts";
import { refusalDoesNotStick, refusalRequests } from "./after-refusal.ts";
import { concurrentRequests, wrongResponses } from "./concurrent-requests.ts";
import { keysInTurn } from "./keys-in-turn.ts";

/** Exchanges that a failure shows. */
const mostShown = 3;

/** Spec, What the service does: access is scoped per organization. A cache or a mixed-up connection may break that. */
export default section(
  "service",
  [
    {
      id: "service.own-response/at-once",
      title: "Concurrent requests each get the response to their own request",
      requests: concurrentRequests,
      async run(context) {
        const wrong = (await wrongResponses(context)).slice(0, mostShown);
        return wrong.length === 0
          ? passed({ code: "checked", seen: { count: concurrentRequests, of: "requests" } })
          : failed(
              wrong.map(({ finding }, index) => ({ ...finding, exchange: index })),
              ...wrong.map(({ exchange }) => exchange),
            );
      },
    },
    {
      id: "service.own-response/after-refusal",
      title: "A valid request succeeds right after a similar one was refused",
      requests: refusalRequests,
      run: refusalDoesNotStick,
    },
    ...keysInTurn.map(
      ({ name, label, requests, run }): Check => ({
        id: `service.own-response/in-turn-${name}`,
        title: `${label}: keys of two organizations, used in turn, each get their own response`,
        requests,
        run,
      }),
    ),
  ],
  acrossAllRequests,
);
