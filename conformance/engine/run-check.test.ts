import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { retailerList, startSession } from "../../test/support/stub-session.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed } from "../requirements/outcome.ts";
import type { Check } from "../suite/check/check.ts";
import { outcomeOf } from "./run-check.ts";
import type { Session } from "./session.ts";

const exchange = exchangeOf("retailers", retailerList);

/** A check with these outcomes in turn; an error is thrown. */
function inTurn(...outcomes: readonly (Outcome | Error)[]): Check & { attempts: () => number } {
  let attempts = 0;
  return {
    ...madeUp(async () => {
      const outcome = outcomes[attempts++];
      if (outcome === undefined) throw new Error(`attempt ${attempts} is one too many`);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }),
    attempts: () => attempts,
  };
}

function madeUp(run: Check["run"]): Check {
  return { id: "errors.shape/made-up", title: "Made up", requests: 1, run };
}

const answered: Finding = { code: "answered", actual: 404 };
const odd: Finding = { code: "null-value", path: "/odd" };
const blue: Finding = { code: "wrong-format", path: "/sky", expected: "url", actual: "blue" };
const broke = failed(blue, exchange);
const others = ["/product_id", "/retailer"].map((path) =>
  failed({ code: "other-product", path, expected: "a", actual: "b" }, exchange),
);
/** Of two colours, of which it names the first. */
function repeating(named: string, other: string): Outcome {
  const [first, second] = [named, other].map((subject): Finding => ({ code: "item-repeated", subject }));
  return { ...failed(first ?? [], exchange), others: second === undefined ? [] : [second] };
}
const leak: Finding = { code: "not-granted", path: "/retailer", actual: "zeta", subject: "primary" };
const notFound = new NotJudged({ code: "control-failed", actual: 404 });
const limited = new NotJudged({ code: "still-rate-limited" });
const oops = failed({ code: "wrong-status", actual: 500 }, exchange);
const keyRefused = new NotJudged({ code: "key-refused", subject: "sameOrg", actual: 401 });

describe("a check that", () => {
  test.each<[string, readonly (Outcome | Error)[], Outcome]>([
    ["passes is run once", [passed(answered)], passed(answered)],
    [
      "is not judged after a response shows that response",
      [new NotJudged({ code: "control-failed", actual: 404 }, exchange)],
      {
        kind: "inconclusive",
        findings: [{ code: "control-failed", endpoint: "retailers", actual: 404, exchange: 0 }],
        evidence: [exchange],
      },
    ],
    [
      "throws is run once, and the target is not blamed",
      [new TypeError("no x")],
      { kind: "error", findings: [{ code: "harness-error", actual: "TypeError: no x" }], evidence: [] },
    ],
    ["fails twice in the same way is run twice, and the second time counts", [broke, broke], broke],
    ["shows another product in another field each time has failed", others, others[1] as Outcome],
    [
      "fails in another way each time is a warning with its count",
      [failed(odd), broke, passed(), passed(), passed()],
      { ...failed(odd), kind: "warn", attempts: { failed: 2, total: 5 } },
    ],
    [
      "names another product each time has failed when one of the others is the same",
      [repeating("red", "blue"), repeating("green", "blue")],
      repeating("green", "blue"),
    ],
    ["fails again in one of two ways shows that one", [broke, failed([odd, blue], exchange)], broke],
    ["shows a product of another organization is run once", [failed(leak, exchange)], failed(leak, exchange)],
    [
      "fails once, and could not look again, has failed",
      [
        broke,
        new NotJudged({ code: "limit-not-reached", actual: 9, unit: "requests/s" }),
        new NotJudged({ code: "budget-spent", subject: "requests", expected: 9 }),
        new NotJudged({ code: "control-failed", actual: 401 }),
        limited,
      ],
      broke,
    ],
    [
      "fails once, passes once and could not look again is a warning of two votes",
      [broke, passed(), limited, limited, limited],
      { ...broke, kind: "warn", attempts: { failed: 1, total: 2 } },
    ],
    [
      "fails first and last of five has failed, with its rate",
      [broke, passed(), passed(), passed(), broke],
      { ...broke, attempts: { failed: 2, total: 5 } },
    ],
    ["gets a 500 three times has failed", [oops, oops, oops], { ...oops, attempts: { failed: 3, total: 3 } }],
    [
      "gets a 500 more often than not is a warning: any request may",
      [oops, passed(), oops, oops, passed()],
      { ...oops, kind: "warn", attempts: { failed: 3, total: 5 } },
    ],
    [
      "fails and then is not judged has not failed twice",
      [broke, notFound, keyRefused, passed(), passed()],
      { ...broke, kind: "warn", attempts: { failed: 1, total: 5 } },
    ],
  ])("%s", async (_name, outcomes, expected) => {
    await using stubbed = await startSession();
    const check = inTurn(...outcomes);
    const attempts: unknown[] = [];
    const choices = new Set<unknown>();
    const context: Session["context"] = (seen, fresh, chosen) => {
      if (seen === exchanges) attempts.push(fresh);
      if (seen === exchanges) choices.add(chosen);
      return stubbed.session.context(seen, fresh, chosen);
    };
    const exchanges: Exchange[] = [];
    expect(await outcomeOf(check, { ...stubbed.session, context }, exchanges)).toEqual(expected);
    expect(check.attempts()).toBe(outcomes.length);
    expect(attempts).toEqual(outcomes.map((_, at) => (at === 0 ? undefined : "fresh")));
    // Each attempt chooses from the same products.
    expect(choices.size).toBe(1);
  });

  test("is aborted throws the reason and is not an error of the harness", async () => {
    const abort = new AbortController();
    await using stubbed = await startSession(undefined, [], abort.signal);
    const enough = new Error("enough");
    const check = madeUp(async () => {
      abort.abort(enough);
      throw new Error("because of the abort");
    });
    await expect(outcomeOf(check, stubbed.session, [])).rejects.toBe(enough);
  });
});
