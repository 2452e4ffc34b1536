import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { readdir, readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test, vi } from "vitest";
import { changesOf } from "../../../proof/table.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { type RunningService, startService } from "../../../service/start.ts";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { runHere } from "../../../test/support/command.ts";
import { commandLines } from "../../../test/support/command-lines.ts";
import { type Intercept, startForwardProxy, startRelay } from "../../../test/support/server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { relaxedProfiles } from "../../../test/support/workspace.ts";

// Each network alone, and load through it: rows of test/acceptance/networks.acceptance.ts.

const cwd = await temporaryFolder("networks");
const service = await startService({ products: 180, rate: 1000, burst: 1000 });
afterAll(() => service.stop());

const keysOf = ({ keys }: RunningService): NodeJS.ProcessEnv => ({
  SHELFCHECK_API_KEY: keys.primary,
  SHELFCHECK_SAME_ORG_API_KEY: keys.sameOrg,
  SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg,
});

// It observes functions of the whole process, so it runs before the other tests, which run at the same time.
describe("a public address", () => {
  /** Runs the command line with every name resolved to this machine. Returns the resolved names and the number of connections. */
  async function runWithStubResolver(argv: readonly string[]) {
    const { lookup } = dns;
    const resolved: string[] = [];
    const lookups = vi.spyOn(dns, "lookup").mockImplementation(((name: string, ...rest: unknown[]) => {
      resolved.push(name);
      return Reflect.apply(lookup, dns, ["127.0.0.1", ...rest]);
    }) as typeof dns.lookup);
    const connects = vi.spyOn(net.Socket.prototype, "connect");
    try {
      const finished = await runHere(argv, { cwd, env: keysOf(service) });
      return { ...finished, resolved, connections: connects.mock.calls.length };
    } finally {
      lookups.mockRestore();
      connects.mockRestore();
    }
  }
  const baseUrl = `http://catalog.example.com:${new URL(service.baseUrl).port}/v1`;
  const configured = async (line = ""): Promise<string> => {
    const file = join(cwd, `${line.replaceAll(/\W/g, "")}.config.ts`);
    const target = `staging: { baseUrl: ${JSON.stringify(baseUrl)}, ${line} }`;
    await writeFile(file, `export default { defaultTarget: "staging", targets: { ${target} } };`);
    return file;
  };

  test.each([
    ["load", ["load"]],
    ["manifests of a load", ["load", "--manifests", "m"]],
    ["gate", ["gate"]],
    ["the burst of conformance", ["conformance"]],
  ])("%s: no connection without allowLoad, exit 2 with the line to add", async (_name, argv) => {
    const config = await configured();
    const { stderr, ...ended } = await runWithStubResolver([...argv, "--config", config]);
    expect(ended).toEqual({ exitCode: 2, stdout: "", resolved: [], connections: 0 });
    expect(stderr).toContain(`add this line to targets.staging in ${config}: allowLoad: true`);
  });

  test.each([
    ["conformance without its burst", "", []],
    ["a burst excluded by avoid", 'avoid: ["burst"]', ["--only", "limits"]],
  ])("%s needs no permission", async (_name, line, only) => {
    const argv = ["conformance", "--only", "versioning", ...only, "--config", await configured(line)];
    const { exitCode, stderr, resolved, connections } = await runWithStubResolver(argv);
    expect(exitCode, stderr).toBe(0);
    expect(resolved).toContain("catalog.example.com");
    expect(connections).toBeGreaterThan(0);
  });

  test("doctor discovers without permission, and says that a gate needs it", async () => {
    const argv = ["doctor", "--config", await configured()];
    const { exitCode, stdout, connections } = await runWithStubResolver(argv);
    expect(exitCode, stdout).toBe(2);
    expect(stdout).toContain("allowLoad: true");
    expect(connections).toBeGreaterThan(0);
  });
});

/** Processes of curl that a test started: they have secrets among their arguments. */
const curls = new Set<number>();

/** Runs a curl line as a person does who pastes it into bash. Returns what it prints. */
async function runCurl(line: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, env: { PATH: process.env.PATH, ...env } };
  const running = promisify(execFile)("bash", ["-c", `exec ${line}`], options);
  curls.add(running.child.pid ?? 0);
  return (await running).stdout;
}

/** Collects the command lines of all other processes that contain one of these texts, until it is disposed of. */
function watchArguments(texts: readonly string[]): Disposable & { readonly leaked: ReadonlySet<string> } {
  const leaked = new Set<string>();
  const timer = setInterval(() => {
    for (const [pid, line] of commandLines())
      if (!curls.has(pid) && texts.some((text) => line.includes(text))) leaked.add(line);
  }, 200);
  return { leaked, [Symbol.dispose]: () => clearInterval(timer) };
}

/** The texts of all files in a folder. */
async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
}

test.concurrent("through a proxy, TLS with client certificates, and a gateway with rules: commands and curl", async () => {
  /** Secrets differ between runs of this test, which watches all processes of the machine. */
  const random = () => randomBytes(6).toString("hex");
  const id = `gateway-client-id-${random()}`;
  const inBase64 = Buffer.from(`gateway-canary-${random()}`).toString("base64");
  const secret = `Basic ${inBase64}`;
  const password = `proxy-canary-p@ss-${random()}`;
  const login = `qa:${encodeURIComponent(password)}`;

  const authority = makeCertificate({ isAuthority: true });
  const server = makeCertificate({ by: authority, names: ["catalog.internal"], days: 10 });
  const client = makeCertificate({ by: authority, names: ["qa"] });
  for (const [name, text] of [
    ["root.pem", authority.certificate],
    ["client.pem", client.certificate],
    ["client.key", client.key],
  ] as const)
    await writeFile(join(cwd, name), text);
  const leaks = [
    ...[id, secret, inBase64, Buffer.from(secret).toString("base64"), password, encodeURIComponent(password)],
    ...[client.key.slice(60, 120), ...Object.values(service.keys)],
  ];

  const gateway: Intercept = ({ headers }, response) => {
    const { "cf-access-client-id": sentId, "x-gateway-secret": sent } = headers;
    const host = headers[":authority"] ?? headers.host;
    // Echoes request headers in every response, as careless gateways do.
    response.setHeader("x-gateway-saw", `${sentId} ${sent} ${Buffer.from(String(sent)).toString("base64")}`);
    if (host === "catalog.internal:8443" && sentId === id && sent === secret) return false;
    response.writeHead(403, { "content-type": "text/html", server: "gateway" }).end("<h1>Forbidden</h1>");
    return true;
  };
  const tls = { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true };
  await using front = await startRelay(service.baseUrl, gateway, { tls, http2: true, prefix: "/gw/api" });
  await using proxy = await startForwardProxy(`qa:${password}`);
  const HTTPS_PROXY = `http://${login}@127.0.0.1:${proxy.port}`;
  const env = { ...keysOf(service), CF_ID: id, GATEWAY_SECRET: secret, HTTPS_PROXY };

  const target = {
    ...{ baseUrl: `https://catalog.internal:${front.port}/gw/api/v1/`, host: "catalog.internal:8443" },
    ...{
      categories: service.categories,
      ca: "root.pem",
      clientCertificate: "client.pem",
      clientKey: "client.key",
    },
    headers: {
      "CF-Access-Client-Id": { env: "CF_ID" },
      "X-Gateway-Secret": { env: "GATEWAY_SECRET" },
      "X-Env": "staging",
    },
  };
  const config = join(cwd, "gateway.config.mjs");
  const settings = { defaultTarget: "own", targets: { own: target } };
  await writeFile(config, `export default ${JSON.stringify(settings)};`);
  const through = (...argv: string[]) => runHere([...argv, "--config", config], { cwd, env });

  using watch = watchArguments(leaks);
  const some = ["--only", "retailers", "--only", "errors.not-found", "--only", "by-id"];
  const ended = [
    await through("doctor"),
    await through("conformance", ...some, "--out", "gateway"),
    await through("replay", "latest", "retailers", "--out", "gateway"),
  ];
  for (const { exitCode, stdout, stderr } of ended) expect(exitCode, stdout + stderr).toBe(0);
  const [doctor, conformance] = ended;
  expect(doctor?.stdout).toContain(`http://127.0.0.1:${proxy.port}`);
  for (const one of [doctor, conformance])
    expect(one?.stdout).toContain("The target's certificate expires in 9 days");
  const connected = `CONNECT catalog.internal:${front.port}`;
  expect(new Set(proxy.asked)).toEqual(new Set([connected]));
  expect([...new Set(front.requests.map(({ httpVersion }) => httpVersion))]).toEqual(["2.0"]);

  expect([...watch.leaked]).toEqual([]);
  const files = await textsIn(join(cwd, "gateway"));
  const written = [...files, ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  expect(leaks.filter((leak) => written.some((text) => text.includes(leak)))).toEqual([]);

  // curl takes the same way: proxy, authority, client certificate, and the headers from their variables.
  const runs = await readdir(join(cwd, "gateway"));
  const run = runs.find((name) => name.includes("-conformance-")) ?? "";
  const results: Results = JSON.parse(await readFile(join(cwd, "gateway", run, "results.json"), "utf8"));
  const [evidence] = results.requirements.flatMap(({ checks }) => checks.flatMap((check) => check.evidence));
  expect(evidence?.request.headers).toMatchObject({
    "CF-Access-Client-Id": "$CF_ID",
    "X-Gateway-Secret": "$GATEWAY_SECRET",
    "X-Env": "staging",
  });
  const sent = proxy.asked.length;
  expect(await runCurl(evidence?.curl ?? "", env)).toMatch(/^HTTP\/2 200/m);
  expect(proxy.asked.slice(sent)).toEqual([connected]);
});

test.concurrent("the server's log and the report identify the same requests", async () => {
  const lines: string[] = [];
  const logged = await startService({
    ...changesOf({ faults: ["null-field"] }),
    log: (line) => lines.push(line),
    products: 180,
    rate: 1000,
    burst: 1000,
  });
  const env = {
    ...keysOf(logged),
    SHELFCHECK_BASE_URL: logged.baseUrl,
    SHELFCHECK_CATEGORIES: logged.categories.join(","),
  };
  const config = join(cwd, "ids.config.mjs");
  await writeFile(config, `export default ${JSON.stringify({ profiles: relaxedProfiles })};`);
  const some = ["--only", "by-id", "--only", "service.omitted-fields/every-product"];
  const { exitCode, stdout } = await runHere(["gate", ...some, "--config", config, "--out", "ids"], {
    cwd,
    env,
  });
  await logged.stop();
  expect(exitCode, stdout).toBe(1);
  const page = await readFile(join(cwd, "ids", "latest", "report.html"), "utf8");
  const entries: { reqId?: string; req?: { traceparent?: string } }[] = lines.map((line) => JSON.parse(line));
  const byTrace = new Map(entries.map(({ reqId, req }) => [req?.traceparent, reqId]));
  const sent = [...new Set(page.match(/00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]/g))];
  // Load asks for no trace.
  for (const flag of ["-00", "-01"])
    expect(
      sent.some((id) => id.endsWith(flag)),
      flag,
    ).toBe(true);
  for (const id of sent) {
    // Our request id finds the line in the log; the id in that line finds the response in the report.
    expect(byTrace.has(id), id).toBe(true);
    expect(page).toContain(byTrace.get(id));
  }
});
