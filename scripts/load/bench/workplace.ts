import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../../scenarios/lib/schedule.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import { bundleScenario } from "../bundle/bundle.ts";
import { measure } from "./measured-process.ts";

/** What every part of the bench works with. */
export interface Workplace {
  readonly k6Path: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Traffic of a measured run. */
export interface Shape {
  readonly rate: number;
  readonly seconds: number;
  readonly users: number;
}

const products = 400;

/** Writes the fixtures that all peers share: products without URL and GTIN, so that every lookup is by identifier. */
export async function writeFixtures(folder: string): Promise<string> {
  const fixtures = sampleFixtures(products);
  const path = join(folder, "fixtures.json");
  const byIdOnly = fixtures.products.map(({ retailer, product_id }) => ({ retailer, product_id }));
  await writeFile(path, JSON.stringify({ ...fixtures, products: byIdOnly }));
  return path;
}

/** Our lookup scenario under plain k6. */
export async function measureOurs(
  work: Workplace,
  baseUrl: string,
  shape: Shape,
  flags: readonly string[] = [],
) {
  const profile = join(work.folder, "profile.json");
  const stages = constantRate(shape.rate, shape.seconds);
  await writeFile(profile, JSON.stringify({ ...profiles.smoke, stages, virtualUsers: shape.users }));
  const bundle = await bundleScenario("lookup", work.folder);
  return measureK6(work, bundle, baseUrl, shape, { flags, env: { SHELFCHECK_PROFILE: profile } });
}

/** A k6 script with the same target and traffic. */
export function measureK6(
  { k6Path, folder, signal }: Workplace,
  script: string,
  baseUrl: string,
  { rate, seconds, users }: Shape,
  { flags = [], env: more = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
) {
  const env = {
    ...process.env,
    SHELFCHECK_BASE_URL: baseUrl,
    SHELFCHECK_API_KEY: "bench",
    SHELFCHECK_FIXTURES: join(folder, "fixtures.json"),
    RATE: String(rate),
    SECONDS: String(seconds),
    USERS: String(users),
    ...more,
  };
  const command = [k6Path, "run", "--quiet", "--no-usage-report", "--address=127.0.0.1:0", ...flags, script];
  return measure(command, { env, cwd: folder, signal });
}
