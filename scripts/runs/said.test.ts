import { expect, test } from "vitest";
import {
  exampleCheck,
  exampleExchange,
  exampleRequirement,
  exampleResults,
} from "../../test/support/samples/example.ts";

// Reports show all that results keep, so sizes are capped here.

test("texts of a target are cut", () => {
  const huge = "z".repeat(3_000_000);
  const exchange = exampleExchange({ body: huge, headers: { "x-huge": huge } });
  const evidence = [{ ...exchange, curl: huge, request: { ...exchange.request, url: huge, body: huge } }];
  const check = exampleCheck({ verdict: "fail", says: huge, evidence });
  const requirements = [exampleRequirement({ verdict: "fail", checks: [check] })];
  // The data of the finding is cut where it is recorded.
  const [shown] = exampleResults({ requirements }).requirements[0]?.checks ?? [];
  expect(shown?.findings[0]?.message.length).toBeLessThan(2100);
  expect(JSON.stringify(shown?.evidence).length).toBeLessThan(80_000);
});

test("the curl line of a batch of 50 products stays whole", () => {
  const curl = `curl '${"z".repeat(15_000)}'`;
  const check = exampleCheck({ evidence: [{ ...exampleExchange(), curl }] });
  expect(check.evidence[0]?.curl).toBe(curl);
});

test("of the findings of a check 50 are kept, and the rest is counted", () => {
  const findings = Array.from({ length: 60 }, () => ({ code: "recorded", subject: "x" }) as const);
  expect(exampleCheck({ findings })).toMatchObject({ findings: { length: 50 }, findingsLeftOut: 10 });
});

test("of the exchanges of a run 250 are kept, those of what failed first, and the rest is counted", () => {
  const requirements = Array.from({ length: 120 }, (_, place) => {
    const verdict = place % 3 === 2 ? "warn" : "fail";
    const evidence = ["first", "second", "third"].map((nth) =>
      exampleExchange({ body: `${nth} of ${place}` }),
    );
    return exampleRequirement({ id: `a.${place}`, verdict, checks: [exampleCheck({ verdict, evidence })] });
  });
  const { requirements: said, exchangesLeftOut } = exampleResults({ requirements });
  const kept = (verdict: string) =>
    said
      .filter((one) => one.verdict === verdict)
      .reduce((sum, { checks }) => sum + (checks[0]?.evidence.length ?? 0), 0);
  expect([exchangesLeftOut, kept("fail"), kept("warn")]).toEqual([110, 240, 10]);
});
