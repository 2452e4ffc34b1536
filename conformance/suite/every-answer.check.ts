import { slugsIn } from "../discovery/browsing.ts";
import type { Exchange } from "../exchange.ts";
import { rules } from "../rules/all.ts";
import { judgeAll } from "../rules/judge-all.ts";
import type { RuleFacts } from "../rules/rule.ts";
import { reportOf } from "./run-check.ts";
import { declareTests } from "./section.ts";
import type { Session } from "./session.ts";

// The passive rules, over every exchange of the run: this file comes last.
declareTests("Every answer of the run", rules, async (rule, session) => {
  const outcome = judgeAll(rule, session.door.exchanges, factsOf(session));
  return reportOf(rule, outcome, [], session);
});

function factsOf({ door, provided }: Session): RuleFacts {
  const lists = door.exchanges.filter(isOwnRetailerList).map(({ response }) => slugsIn(response.json));
  return {
    dialect: provided.discovery.dialect,
    entitledRetailers: lists.length === 0 ? undefined : new Set(lists.flat()),
  };
}

function isOwnRetailerList({ endpoint, caller, response }: Exchange): boolean {
  return (
    endpoint === "GET /retailers" && (caller === "primary" || caller === "sameOrg") && response.status === 200
  );
}
