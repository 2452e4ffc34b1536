import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { present, product } from "../../../schemas/contracts/product.ts";
import { documentOf } from "../../../schemas/contracts/schema.ts";
import { pagesOfWalk } from "./constant-server.ts";
import { measure, type Workplace } from "./measure.ts";

export const locustVersion = "2.47.0";

/** What each peer does with a response to a lookup. */
const checks = {
  bare: "",
  json: "if (r.status !== 200 || r.json().title === undefined) throw new Error('bad');",
  naive: "if (r.status !== 200 || !validate(JSON.parse(r.body))) throw new Error('bad');",
};
/** Peers that send the same pages and batches, and read nothing of the responses. */
const requests = {
  "bare-pages": `
  for (let page = 0; page < ${pagesOfWalk}; page++)
    http.get(__ENV.SHELFCHECK_BASE_URL + "/products?category=shoes" + (page === 0 ? "" : "&cursor=" + page), params);`,
  "bare-batches": `
  const at = exec.scenario.iterationInTest, size = 1 + (at * 31) % 50, items = [];
  for (let i = 0; i < size; i++) items.push(products[(at + i) % products.length]);
  if (at % 5 === 0) items[size - 1] = '{"retailer":"retailer-0","product_id":"no-such-product"}';
  http.post(__ENV.SHELFCHECK_BASE_URL + "/products/batch-lookup", '{"items":[' + items.join(",") + "]}", params);`,
} as const;
type K6Peer = keyof typeof checks | keyof typeof requests;

function iterationOf(peer: K6Peer): string {
  if (peer in requests) return requests[peer as keyof typeof requests];
  return `
  const r = http.get(__ENV.SHELFCHECK_BASE_URL + ids[exec.scenario.iterationInTest % ids.length], params);
  ${checks[peer as keyof typeof checks]}`;
}

const script = (peer: K6Peer) => `
import http from "k6/http";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
${peer === "naive" ? 'import { validate } from "./naive-validator.js";' : ""}
const ids = new SharedArray("ids", () =>
  JSON.parse(open(__ENV.SHELFCHECK_FIXTURES)).products.map((p) =>
    "/products/" + encodeURIComponent(p.retailer) + "/" + encodeURIComponent(p.product_id)));
const rate = Number(__ENV.RATE);
export const options = { summaryMode: "disabled", scenarios: { peer: { executor: "ramping-arrival-rate", startRate: rate,
  stages: [{ target: rate, duration: __ENV.SECONDS + "s" }], preAllocatedVUs: Number(__ENV.USERS) } } };
const params = { headers: { Authorization: "Bearer " + __ENV.SHELFCHECK_API_KEY, Accept: "application/json" }, tags: { name: "lookup" } };
${peer === "bare-batches" ? "const products = JSON.parse(open(__ENV.SHELFCHECK_FIXTURES)).products.map((p) => JSON.stringify(p));" : ""}
export default function () {${iterationOf(peer)}
}
`;

/** Writes a k6 peer as one file and returns its path. The naive one validates with ajv's unmodified standalone code. */
export async function writeK6Peer(peer: K6Peer, folder: string): Promise<string> {
  const source = join(folder, `${peer}-source.js`);
  const outfile = join(folder, `${peer}.js`);
  if (peer === "naive") {
    const ajv = new Ajv2020({
      code: { source: true, esm: true },
      strict: false,
    });
    const both = ajv.compile({ $id: "both", ...documentOf({ allOf: [product, present] }) });
    const render = standalone as unknown as (ajv: Ajv2020, validate: unknown) => string;
    await writeFile(join(folder, "naive-validator.js"), render(ajv, both));
  }
  await writeFile(source, script(peer));
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    nodePaths: [join(import.meta.dirname, "../../../node_modules")],
    external: ["k6", "k6/*"],
    logLevel: "silent",
  });
  return outfile;
}

/** Locust's fast client with a check of the JSON. */
async function writeLocustPeer(folder: string): Promise<string> {
  const path = join(folder, "locustfile.py");
  await writeFile(
    path,
    `import json, os, urllib.parse
from locust import FastHttpUser, task, constant
products = json.load(open(os.environ["SHELFCHECK_FIXTURES"]))["products"]
paths = ["/v1/products/%s/%s" % (urllib.parse.quote(p["retailer"], safe=""), urllib.parse.quote(p["product_id"], safe="")) for p in products]
headers = {"Authorization": "Bearer " + os.environ["SHELFCHECK_API_KEY"], "Accept": "application/json"}
class Lookup(FastHttpUser):
    wait_time = constant(0)
    at = 0
    @task
    def lookup(self):
        self.at += 1
        with self.client.get(paths[self.at % len(paths)], headers=headers, name="lookup", catch_response=True) as r:
            if r.status_code != 200 or "title" not in r.json():
                r.failure("bad")
`,
  );
  return path;
}

/** Runs Locust with a number of users, without pauses, for a number of seconds. */
type LocustRunner = (baseUrl: string, users: number, seconds: number) => ReturnType<typeof measure>;

/** Installs Locust in a virtual environment of the benchmark; if that fails, prints a line and returns undefined. */
export async function locustRunner(work: Workplace): Promise<LocustRunner | undefined> {
  const { folder, env, signal, print } = work;
  const venv = join(folder, "locust");
  const options = { env, cwd: folder, signal };
  print(`  peers: python3 -m venv locust && locust/bin/pip install locust==${locustVersion}`);
  await measure(["python3", "-m", "venv", venv], options);
  const { code } = await measure(
    [join(venv, "bin/pip"), "install", "--quiet", `locust==${locustVersion}`],
    options,
  );
  if (code !== 0) {
    print("  Locust could not be installed: left out");
    return undefined;
  }
  const file = await writeLocustPeer(folder);
  return (baseUrl, users, seconds) => {
    const host = baseUrl.replace(/\/v1$/, "");
    const args = [
      "-f",
      file,
      "--headless",
      "-u",
      `${users}`,
      "-r",
      `${users}`,
      "-t",
      `${seconds}s`,
      "-H",
      host,
    ];
    return measure([join(venv, "bin/locust"), ...args, "--only-summary"], {
      ...options,
      env: { ...env, SHELFCHECK_API_KEY: "bench-key", SHELFCHECK_FIXTURES: join(folder, "fixtures.json") },
    });
  };
}
