import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { profile } from "../schemas/contracts/profile.ts";
import { scenarioIds } from "../schemas/scenarios.ts";
import { profiles } from "./profiles.ts";

const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
const scripts = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith(".ts") && !/(\.test|\.d|^(profiles|hooks|on-demand))\.ts$/.test(name),
);
const validate = new Ajv2020().compile(profile);

test("each scenario of schemas/scenarios.ts has a script here, and each script a scenario", () => {
  expect(scripts.sort()).toEqual(scenarioIds.map((id) => `${id}.ts`).sort());
});

test.each(scenarioIds)("README.md describes the scenario %s", (id) => {
  expectRow(`| \`${id}.ts\` |`);
});

test.each(Object.entries(profiles))(
  "the profile %s fits its schema, and README.md describes it",
  (name, profile) => {
    expect(validate(profile) ? [] : validate.errors).toEqual([]);
    expectRow(`| \`${name}\` |`);
  },
);

test("each metric of the Grafana dashboard is one of the scripts or of k6, as the Prometheus output names it", () => {
  const textOf = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const library = readdirSync(new URL("lib/", import.meta.url)).map((name) => textOf(`lib/${name}`));
  const own = library.flatMap((text) => [...text.matchAll(/new (?:Counter|Gauge|Trend)\("(\w+)"/g)]);
  const ofK6 = ["http_reqs", "http_req_duration", "http_req_failed", "dropped_iterations", "vus"];
  const known = new Set([...ofK6, ...own.map(([, name]) => name)]);
  const shown = textOf("grafana-dashboard.json").matchAll(/\bk6_(\w+?)(?:_(?:total|rate|p95|p99))?\b/g);
  const names = [...new Set([...shown].map(([, name]) => name))];
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

function expectRow(start: string): void {
  expect(readme.includes(start), `a row of scenarios/README.md starts with ${start}`).toBe(true);
}
