import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { sampleExchange, sampleFinding, sampleResults } from "../../../../test/support/samples/sample.ts";
import { reproductionSteps } from "./reproduction.ts";
import { reportOf } from "./run-report.ts";

const at = (seconds: string, change: Parameters<typeof sampleExchange>[0] = {}) => ({
  ...sampleExchange(change),
  startedAt: `2026-11-21T08:00:${seconds}Z`,
});

function stepsOf(
  finding: Finding,
  evidence = [sampleExchange()],
  attempts?: { failed: number; total: number },
) {
  const requirement = sampleFinding({}, { findings: [finding], evidence, attempts });
  const [shown] = reportOf(sampleResults({ requirements: [requirement] })).failed;
  return reproductionSteps(shown?.checks ?? [], { baseUrl: "https://catalog.example/v1" });
}

test("a finding that one request shows is one step", () => {
  expect(stepsOf({ code: "null-value", path: "/size" })).toEqual([
    { text: "Send:", command: sampleExchange().curl, got: "The run got 410." },
  ]);
});

test("a wait that was not honest takes a burst, the refusal, the wait, and the second request", () => {
  const refused = at("01.000", { status: 429, headers: { "retry-after": "1" } });
  const again = at("02.060", { status: 429 });
  const steps = stepsOf({ code: "refused-after-wait", expected: 1, exchange: 1, comparedWith: 0 }, [
    refused,
    again,
  ]);
  const [step, ...others] = steps;
  expect(others).toEqual([]);
  expect(step?.text).toMatch(
    /^Send 600 requests, 50 at once, and right after them this one 40 times.* a wait of 1 s/,
  );
  expect(step?.got).toBe("The run got 429; after the wait, 429.");
  expect(step?.command?.split("\n")).toEqual([
    expect.stringMatching(/^for n in \$\(seq 600\); do .* --parallel-max 50 .* -K - .* \| sort \| uniq -c$/),
    expect.stringMatching(/^\(for n in \$\(seq 40\).* uniq -c\) &$/),
    "wait",
    expect.stringMatching(/^sleep 1; curl .*after the wait/),
  ]);
});

test("of a limit that is shared, one burst goes on beside the requests of the other", () => {
  const refused = at("01.000", { status: 429, headers: { "retry-after": "1" } });
  const other = at("01.200", { status: 429 });
  const tally = { count: 0, total: 12 };
  const [step] = stepsOf(
    {
      code: "limit-shared",
      subject: "otherOrg",
      exchange: 0,
      comparedWith: 1,
      seen: { ...tally, of: "requests" },
      details: { first: tally },
    },
    [other, refused],
  );
  expect(step?.text).toContain("the first as often again, 10 at once, and beside it the other 40 times.");
  expect(step?.command?.split("\n")).toEqual([
    expect.stringMatching(/seq 600.*--parallel-max 50 /),
    expect.stringMatching(/^\(for n in \$\(seq 600\).*--parallel-max 10 .*request 1/),
    expect.stringMatching(/^\(for n in \$\(seq 40\).*--parallel-max 1 .*request 2/),
    "wait",
  ]);
});

test("a race takes requests at the same time, and what is rare takes many", () => {
  const race = stepsOf({ code: "other-product", condition: "at-once" });
  expect(race.at(-1)?.command).toContain("| curl -Z --parallel-max 20");
  const rare = stepsOf({ code: "wrong-status", actual: 500 }, [sampleExchange()], { failed: 1, total: 5 });
  expect(rare.at(-1)?.text).toBe(
    "It does not fail each time. Send it many times. Each line is how often a response came, its length, and its beginning:",
  );
});

test("what shows only over all pages takes the whole walk", () => {
  const url = "https://catalog.example/v1/products?category=hats&cursor=x";
  const page = {
    ...sampleExchange({ status: 200 }),
    request: { method: "GET", url, headers: {} },
    curl: `curl '${url}' -sS -i -H "X-Api-Key: $KEY"`,
  };
  const product = { retailer: "acme", productId: "7" };
  const steps = stepsOf(
    {
      code: "item-missing",
      endpoint: "category-page",
      subject: "hats",
      product,
      details: { limit: 4 },
      seen: { count: 2, of: "products" },
    },
    [page],
  );
  const [inPages, usual] = steps.map(({ command }) => command ?? "");
  expect(inPages).toContain("page='https://catalog.example/v1/products?category=hats&limit=4'");
  expect(inPages).toContain('-sS -H "X-Api-Key: $KEY"');
  expect(usual).toContain("page='https://catalog.example/v1/products?category=hats'");
  expect(usual).toMatch(/done \| grep -cxF 'acme 7'$/);
});

test("a page is reached by a walk to it, since its cursor may have expired", () => {
  const url = "https://catalog.example/v1/products?category=hats&limit=4&cursor=x";
  const exchange = {
    ...sampleExchange({ status: 200 }),
    request: { method: "GET", url, headers: {} },
    curl: `curl '${url}' -sS -i -H "X-Api-Key: $KEY"`,
    page: 3,
  };
  const [step] = stepsOf({ code: "null-value", path: "/products/0/size" }, [exchange]);
  expect(step?.text).toBe("Walk to page 3 of the category, which takes `jq`:");
  expect(step?.command).toContain("page='https://catalog.example/v1/products?category=hats&limit=4'");
  expect(step?.command).toContain("for n in $(seq 3)");
});

test("what a cache gave takes the request that filled it, and what the list decides takes the list", () => {
  const shown = sampleExchange({ status: 200 });
  const curl = `curl 'https://catalog.example/v1/products/acme/7' -sS -i -H 'X-Api-Key: '"$KEY"`;
  const steps = stepsOf(
    { code: "not-granted", path: "/retailer", subject: "primary", actual: "acme", leftBy: 1 },
    [
      { ...shown, curl },
      { ...shown, curl: "curl 'first'" },
    ],
  );
  expect(steps.map(({ command }) => command)).toEqual([
    "curl 'first'",
    curl,
    `curl 'https://catalog.example/v1/retailers' -sS -H 'X-Api-Key: '"$KEY"`,
  ]);
});

test("a request that failed now and then, while others were under way, is sent with them", () => {
  const shown = {
    ...sampleExchange({ status: 200 }),
    turns: { same: 1, other: 5 },
    beside: ["curl 'https://catalog.example/v1/products/acme/9' -sS -i"],
  };
  const [, step] = stepsOf({ code: "other-product", path: "/product_id", actual: "8", expected: "7" }, [
    shown,
  ]);
  expect(step?.text).toMatch(/^It failed 1 of 6 times in the run. Other requests were under way/);
  expect(step?.command).toContain(`output = /dev/null\\n' 'https://catalog.example/v1/products/acme/9'\n`);
});

test("a value that is almost known takes the known one for comparison", () => {
  const url = "https://catalog.example/v1/products?gtin=4000000000009";
  const shown = {
    ...sampleExchange({ status: 200 }),
    request: { method: "GET", url, headers: {} },
    curl: `curl '${url}' -sS -i`,
  };
  const [known, changed] = stepsOf(
    {
      code: "wrong-status",
      actual: 200,
      condition: "changed-value",
      endpoint: "lookup-by-gtin",
      subject: "4000000000009",
      details: { change: "check-digit", instead: "4000000000006" },
    },
    [shown],
  );
  expect(known?.command).toBe("curl 'https://catalog.example/v1/products?gtin=4000000000006' -sS -i");
  expect(changed?.command).toBe(shown.curl);
});

test("what is wrong only after a refusal takes a burst, the wait, and the request", () => {
  const shown = sampleExchange({ status: 200 });
  const [burst, after] = stepsOf({ code: "null-value", path: "/size", afterRefusal: 180 }, [shown]);
  expect(burst?.text).toMatch(/^It failed only after a request had been refused with 429. Exceed the limit/);
  expect(burst?.command).toContain("--parallel-max 50");
  expect(after).toEqual({ text: "After that wait, send:", command: shown.curl, got: "The run got 200." });
});

test("of two requests in turn, the one that failed is sent many times, and then the other", () => {
  const first = { ...at("01.000", { status: 403 }), curl: "curl 'https://catalog.example/v1/a' -sS -i" };
  const second = {
    ...at("02.000", { status: 404 }),
    curl: "curl 'https://catalog.example/v1/b' -sS -i",
    turns: { same: 1, other: 2 },
  };
  const steps = stepsOf(
    { code: "wrong-status", condition: "in-turn", expected: [200], actual: 404, exchange: 1 },
    [first, second],
  );
  expect(steps.at(-2)?.command).toContain("'https://catalog.example/v1/b'");
  expect(steps.at(-1)?.command).toContain("'https://catalog.example/v1/a'");
});

test("a Retry-After that is no number does not get into a command", () => {
  const refused = at("01.000", { status: 429, headers: { "retry-after": "1; touch owned" } });
  const again = at("02.060", { status: 429 });
  const [step] = stepsOf({ code: "refused-after-wait", expected: 1, exchange: 1, comparedWith: 0 }, [
    refused,
    again,
  ]);
  expect(step?.command).toContain("sleep 1; curl");
  expect(step?.command).not.toContain("touch");
});

test.each<Finding>([
  { code: "paging-never-ends", endpoint: "category-page", subject: "hats", details: { repeats: "cursor" } },
  { code: "other-product", condition: "at-once" },
  { code: "refused-after-wait", expected: 1 },
  { code: "instances-differ", expected: [], actual: [], details: { counts: [] } },
])("the commands for $code are read by a POSIX shell", (finding) => {
  const url = "https://catalog.example/v1/products?category=hats";
  const page = {
    ...sampleExchange({ status: 200 }),
    request: { method: "GET", url, headers: {} },
    curl: `curl '${url}' -sS -i -H 'X-Api-Key: '"$KEY"`,
  };
  const commands = stepsOf(finding, [page]).flatMap(({ command }) => command ?? []);
  expect(commands).not.toEqual([]);
  for (const command of commands) expect(() => execFileSync("sh", ["-n", "-c", command])).not.toThrow();
});
