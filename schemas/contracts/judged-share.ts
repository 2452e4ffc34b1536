import { amount, choice, count, named, object, type Static } from "./schema.ts";

export const judgedShare = named(
  "JudgedShare",
  object(
    {
      count: count("Requests that failed."),
      total: count(),
      limit: amount("Maximum share, from 0 to 1."),
      needed: count("Requests of which none may fail to confirm the limit."),
      outcome: choice(
        ["above", "within", "open"],
        "By the exact binomial probability: above the limit, within it, or too few requests to tell.",
      ),
    },
    "How many requests failed, against a limit.",
  ),
);
export type JudgedShare = Static<typeof judgedShare>;
