import { reportOf } from "../engine/run-check.ts";
import { declareTests } from "../engine/section.ts";
import { rules } from "../rules/all.ts";
import { factsOf } from "../rules/facts.ts";
import { judgeAll } from "../rules/judge-all.ts";

// The passive rules, over every exchange of the run: this file comes last.
declareTests("Every answer of the run", rules, async (rule, session) => {
  const { exchanges } = session.http;
  const outcome = judgeAll(rule, exchanges, factsOf(exchanges, session.provided.discovery.dialect));
  return reportOf(rule, outcome, [], session);
});
