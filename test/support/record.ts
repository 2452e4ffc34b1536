import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "../../scenarios/profiles.ts";
import { runHere, serveHere } from "./command.ts";
import "../../scripts/cli/doors.ts";

// Records the runs of the reference service that tests of reports read: node test/support/record.ts [NAME …]

interface Recording {
  readonly argv: string;
  /** Flags of the service, and of the old deployment. */
  readonly serve?: string;
  readonly against?: string;
  /** What stands on stderr when Ctrl-C ends the run. */
  readonly until?: string;
  /** Of a run with waivers, which has no key of another organization. Default: none, and it has all keys */
  readonly waivers?: readonly object[];
}

const checks = `by-id.unknown-product/unknown-id errors.not-found query.gtin-not-found/unknown product.field-types
  service.omitted-fields page.no-placeholders query.paging/no-repeats batch.lookup/known-products errors.retry-after
  product.same-values/by-category errors.upstream-error by-id.unentitled-slug`;
const faults = `unknown-product-400 code-of-404 price-string null-field product-hollow batch-found-lacks-last
  title-shouting-in-category retry-after-missing`;
const client = join(import.meta.dirname, "../acceptance/clients/catalog-client.py");

const { smoke } = profiles;
const strict = { ...smoke, thresholds: { ...smoke.thresholds, p95Milliseconds: 1 } };
const waiver = { reason: "It goes in spring.", owner: "catalog-team", ticket: "CAT-17" };
const waivers = [
  { ...waiver, id: "errors.retry-after", expires: "2099-01-31" },
  { ...waiver, id: "query.gtin-not-found/unknown", expires: "2099-01-31" },
  { ...waiver, id: "limits.rate", expires: "2099-01-31" },
  { ...waiver, id: "errors.not-found", expires: "2026-01-31" },
];

const recordings: Readonly<Record<string, Recording>> = {
  conformant: { argv: "gate --scenario lookup --quick --only product.currency --only errors.shape" },
  failing: {
    argv: `conformance ${checks.replaceAll(/\S+/g, "--only $&")}`,
    serve: `--rate 20 --burst 5 --fault ${faults.split(/\s+/).join()}`,
    waivers,
  },
  interrupted: { argv: "conformance --only query.gtin --only by-id --only batch.size", until: "Endpoints" },
  load: { argv: "load --scenario batch --profile strict", serve: "--fault null-field" },
  overrun: { argv: "load --rate 9000 --duration 2s --vus 1", serve: "--rate 100000 --burst 100000" },
  probe: { argv: "load --scenario rate-limit" },
  twin: {
    argv: "twin --against old --duration 30s",
    serve: "--fault title-missing-by-id,internal-field-by-gtin,unknown-product-400 --variant slow",
  },
  client: { argv: `client --task look-up -- python3 ${client}` },
};

async function record({ argv, serve = "", against = "", until, waivers = [] }: Recording): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "shelfcheck-record-"));
  const cwd = folder.path;
  const start = (flags: string) => serveHere(`--products 12 --seed 1 ${flags}`.trim().split(" "), cwd);
  await using served = await start(serve);
  await using other = await start(against);
  const { base_url: baseUrl, keys } = served.ready;
  const [categories, old] = [["shoes"], other.ready.base_url];
  const targets = { staging: { baseUrl, categories }, old: { baseUrl: old, categories } };
  const config = { defaultTarget: "staging", targets, profiles: { strict }, waivers };
  await writeFile(join(cwd, "shelfcheck.config.ts"), `export default ${JSON.stringify(config)};`);
  const stop = new AbortController();
  const onErrorLine = (said: string) => until !== undefined && said.includes(until) && stop.abort();
  const env = {
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_SAME_ORG_API_KEY: keys.same_org,
    ...(waivers.length === 0 ? { SHELFCHECK_OTHER_ORG_API_KEY: keys.other_org } : {}),
    CLIENT_FLAW: "backs-off-without-retry-after",
  };
  const { stdout } = await runHere(argv.split(/\s+/), { cwd, env, signal: stop.signal, onErrorLine });
  process.stderr.write(stdout);
  const text = await readFile(join(cwd, "reports/latest/results.json"), "utf8");
  // What is different in each run and on each machine.
  const { environment, ...results } = JSON.parse(
    text
      .replaceAll(new URL(old).origin, "https://old.example")
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "https://catalog.example")
      .replaceAll(client, "client.py"),
  );
  const host = "AMD EPYC, 2 cores, 8 GiB, linux x64";
  return JSON.stringify({ ...results, environment: { ...environment, host } });
}

for (const [name, recording] of Object.entries(recordings))
  if (process.argv.length === 2 || process.argv.includes(name))
    await writeFile(join(import.meta.dirname, "samples", `${name}.json`), `${await record(recording)}\n`);
