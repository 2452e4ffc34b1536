import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { readdir, readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { changesOf } from "../../../proof/table.ts";
import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { type RunningService, startService } from "../../../service/start.ts";
import { type Certificate, makeCertificate } from "../../../test/support/certificates.ts";
import { runCommand, runHere } from "../../../test/support/command.ts";
import { commandLines } from "../../../test/support/command-lines.ts";
import { startForwardProxy, startRelay } from "../../../test/support/server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const cwd = await temporaryFolder("networks");
const service = await startService({ rate: 1000, burst: 1000 });
afterAll(async () => {
  await service.stop();
});

/** Runs the command line in the folder of these tests, with this environment. */
const runWith =
  (env: NodeJS.ProcessEnv) =>
  (...argv: readonly string[]) =>
    runHere(argv, { cwd, env });

/** Secrets differ between runs of these tests, since each watches all processes of the machine. */
const random = () => randomBytes(6).toString("hex");

function keysOf({ keys }: RunningService): NodeJS.ProcessEnv {
  return {
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_SAME_ORG_API_KEY: keys.sameOrg,
    SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg,
  };
}

// It observes functions of the whole process, so it runs before the other groups, which run at the same time.
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
      const finished = await runHere(argv, { cwd, env });
      return { ...finished, resolved, connections: connects.mock.calls.length };
    } finally {
      lookups.mockRestore();
      connects.mockRestore();
    }
  }
  const { port } = new URL(service.baseUrl);
  const baseUrl = `http://catalog.example.com:${port}/v1`;
  const env = keysOf(service);
  const configured = async (line: string): Promise<string> => {
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
    const config = await configured("");
    const { stderr, ...ended } = await runWithStubResolver([...argv, "--config", config]);
    expect(ended).toEqual({ exitCode: 2, stdout: "", resolved: [], connections: 0 });
    expect(stderr).toContain(`add this line to targets.staging in ${config}: allowLoad: true`);
  });

  test.each([
    ["conformance without its burst", "", ["conformance", "--only", "versioning"]],
    [
      "a burst excluded by avoid",
      'avoid: ["burst"]',
      ["conformance", "--only", "versioning", "--only", "limits"],
    ],
  ])("%s needs no permission", async (_name, line, argv) => {
    const config = await configured(line);
    const ended = await runWithStubResolver([...argv, "--config", config]);
    const { exitCode, stderr, resolved, connections } = ended;
    expect(exitCode, stderr).toBe(0);
    expect(resolved).toContain("catalog.example.com");
    expect(connections).toBeGreaterThan(0);
  });

  test("doctor discovers without permission, and says that a gate needs it", async () => {
    const config = await configured("");
    const { exitCode, stdout, connections } = await runWithStubResolver(["doctor", "--config", config]);
    expect(exitCode, stdout).toBe(2);
    expect(stdout).toContain("allowLoad: true");
    expect(connections).toBeGreaterThan(0);
  });
});

/** Processes of curl that a test started: they have secrets among their arguments. */
const curls = new Set<number>();

/** Runs a curl line as a person does who pastes it into bash. Returns what it prints. */
async function runCurl(line: string, env: NodeJS.ProcessEnv): Promise<string> {
  const running = promisify(execFile)("bash", ["-c", `exec ${line}`], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  });
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

test("a redirect under load is not followed, and reported with its status", async () => {
  await using other = await startRelay(service.baseUrl);
  let underLoad = 0;
  await using front = await startRelay(service.baseUrl, ({ headers }, response) => {
    // Not at the start of the load either, which would end the run.
    if (headers["user-agent"]?.includes("k6") !== true || ++underLoad < 10 || underLoad % 3 > 0) return false;
    response.writeHead(302, { location: `${other.baseUrl}/retailers` }).end();
    return true;
  });
  const env = { ...keysOf(service), SHELFCHECK_BASE_URL: front.baseUrl };
  const argv = ["load", "--rate", "20", "--duration", "2s", "--out", "redirected"];
  const { exitCode, stdout } = await runHere(
    [...argv, ...service.categories.flatMap((name) => ["--category", name])],
    { cwd, env },
  );
  expect(exitCode, stdout).toBe(1);
  expect(stdout).toMatch(/The target responded to .* with 302/);
  expect(other.requests).toEqual([]);
});

/** The first evidence of the only conformance run in a folder of runs. */
async function evidenceIn(folder: string): Promise<Evidence | undefined> {
  const runs = (await readdir(join(cwd, folder))).filter((name) => /-conformance-/.test(name));
  expect(runs).toHaveLength(1);
  const text = await readFile(join(cwd, folder, runs[0] ?? "", "results.json"), "utf8");
  const { requirements } = JSON.parse(text) as Results;
  return requirements.flatMap(({ checks }) => checks.flatMap(({ evidence }) => evidence))[0];
}

/** The names of the files in a folder that contain any of these texts. */
async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), "utf8");
    if (texts.some((one) => text.includes(one))) found.push(entry.name);
  }
  return found;
}

describe.concurrent("a gateway that requires two headers and a Host, on IPv6, with a path", () => {
  const id = `gateway-client-id-${random()}`;
  const inBase64 = Buffer.from(`gateway-canary-${random()}`).toString("base64");
  const secret = `Basic ${inBase64}`;
  const gateway = startRelay(
    service.baseUrl,
    (request, response) => {
      const { host, "cf-access-client-id": sentId, "x-gateway-secret": sent } = request.headers;
      // Echoes request headers in every response, as careless gateways do.
      response.setHeader(
        "x-gateway-saw",
        `${sentId} ${sent} ${Buffer.from(String(sent)).toString("base64")}`,
      );
      if (host === "catalog.internal:8443" && sentId === id && sent === secret) return false;
      response.writeHead(403, { "content-type": "text/html", server: "gateway" }).end("<h1>Forbidden</h1>");
      return true;
    },
    { host: "::1", prefix: "/gw/api" },
  );
  afterAll(async () => await (await gateway)[Symbol.asyncDispose]());
  const env = { ...keysOf(service), CF_ID: id, GATEWAY_SECRET: secret };
  const leaks = [
    id,
    secret,
    inBase64,
    Buffer.from(secret).toString("base64"),
    ...Object.values(service.keys),
  ];

  /** The config of the gateway; vitest does not resolve our package, so that only a process takes `imported`. */
  async function configure({ imported }: { imported: boolean }): Promise<string> {
    const { baseUrl } = await gateway;
    const variable = (name: string) => (imported ? `env("${name}")` : `{ env: "${name}" }`);
    const target = `{
      baseUrl: "${baseUrl}/",
      categories: ${JSON.stringify(service.categories)},
      host: "catalog.internal:8443",
      headers: { "CF-Access-Client-Id": ${variable("CF_ID")}, "X-Gateway-Secret": ${variable("GATEWAY_SECRET")}, "X-Env": "staging" },
    }`;
    const config = join(cwd, imported ? "gateway-imported.config.ts" : "gateway.config.ts");
    await writeFile(
      config,
      `${imported ? 'import { env } from "shelfcheck"; ' : ""}export default { defaultTarget: "staging", targets: { staging: ${target} } };`,
    );
    return config;
  }

  async function through(...argv: string[]) {
    return await runHere([...argv, "--config", await configure({ imported: false })], { cwd, env });
  }

  // Load through such a gateway is a row of test/acceptance/networks/gateways.ts.
  test("conformance, doctor and replay work, and write no secret", async () => {
    using watch = watchArguments(leaks);
    const some = ["--only", "retailers", "--only", "errors.not-found", "--only", "by-id"];
    const runs = [
      await runCommand(["doctor", "--config", await configure({ imported: true })], { cwd, env }),
      await through("doctor", "--json"),
      await through("conformance", ...some, "--out", "gateway"),
      await through("replay", "latest", "retailers", "--out", "gateway"),
    ];
    const [doctor, data, conformance, replay] = runs;
    expect(doctor?.exitCode, doctor?.stdout).toBe(0);
    expect(data?.exitCode, data?.stderr).toBe(0);
    expect(conformance?.exitCode, conformance?.stdout).toBe(0);
    expect(replay?.exitCode, replay?.stdout).toBe(0);
    expect([...watch.leaked]).toEqual([]);
    for (const { stdout, stderr } of runs)
      for (const leak of leaks) expect(`${stdout}${stderr}`.includes(leak), leak).toBe(false);
    expect(await filesWith(join(cwd, "gateway"), leaks)).toEqual([]);
    expect(await readFile(join(cwd, "gateway", "latest", "results.json"), "utf8")).toContain("staging");
    // The curl line of a finding works, with the headers from their variables.
    const evidence = await evidenceIn("gateway");
    expect(evidence?.request.headers).toMatchObject({
      "CF-Access-Client-Id": "$CF_ID",
      "X-Gateway-Secret": "$GATEWAY_SECRET",
    });
    expect(await runCurl(evidence?.curl ?? "", env)).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe.concurrent("TLS with a private authority and client certificates, behind a proxy with credentials", () => {
  const authority = makeCertificate({ isAuthority: true });
  const client = makeCertificate({ by: authority, names: ["qa"] });
  const proxyPassword = `proxy-canary-p@ss-${random()}`;
  const leaks = [proxyPassword, encodeURIComponent(proxyPassword), client.key.slice(60, 120)];

  let configs = 0;
  beforeAll(async () => {
    await writeFile(join(cwd, "root.pem"), authority.certificate);
    await writeFile(join(cwd, "client.pem"), client.certificate);
    await writeFile(join(cwd, "client.key"), client.key);
  });

  async function startStaging(server: Certificate, http2 = true) {
    const tls = { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true };
    return await startRelay(service.baseUrl, undefined, { tls, http2 });
  }

  async function configure(lines: Readonly<Record<string, unknown>>): Promise<string> {
    const target = {
      categories: service.categories,
      ca: "root.pem",
      clientCertificate: "client.pem",
      clientKey: "client.key",
      ...lines,
    };
    // Node caches imports, so each config needs its own name.
    const file = join(cwd, `tls-${configs++}.config.ts`);
    await writeFile(
      file,
      `export default ${JSON.stringify({ defaultTarget: "staging", targets: { staging: target } })};`,
    );
    return file;
  }

  // Load with a client certificate, and through such a proxy, are rows of test/acceptance/networks/.
  test("conformance and the curl line of a finding work, and write no secret", async () => {
    const server = makeCertificate({ by: authority, names: ["catalog.internal"], days: 10 });
    await using front = await startStaging(server);
    await using proxy = await startForwardProxy(`qa:${proxyPassword}`);
    const config = await configure({ baseUrl: `https://catalog.internal:${front.port}/v1` });
    const login = `qa:${encodeURIComponent(proxyPassword)}`;
    const env = { ...keysOf(service), HTTPS_PROXY: `http://${login}@127.0.0.1:${proxy.port}` };
    const run = runWith(env);
    using watch = watchArguments(leaks);
    const some = ["--only", "retailers", "--only", "by-id"];
    const argv = ["--config", config, "--out", "tls"];
    const doctor = await run("doctor", "--config", config);
    const conformance = await run("conformance", ...some, ...argv);
    expect(doctor.exitCode, doctor.stdout).toBe(0);
    expect(doctor.stdout).toContain(`http://127.0.0.1:${proxy.port}`);
    expect(conformance.exitCode, conformance.stdout).toBe(0);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT catalog.internal:${front.port}`]));
    expect([...new Set(front.requests.map(({ httpVersion }) => httpVersion))]).toEqual(["2.0"]);
    expect([...watch.leaked]).toEqual([]);
    for (const { stdout, stderr } of [doctor, conformance])
      for (const leak of leaks) expect(`${stdout}${stderr}`.includes(leak), leak).toBe(false);
    expect(await filesWith(join(cwd, "tls"), leaks)).toEqual([]);
    for (const { stdout } of [doctor, conformance])
      expect(stdout).toContain("The target's certificate expires in 9 days");
    // curl takes the same way: proxy, authority, client certificate.
    const sent = proxy.asked.length;
    expect(await runCurl((await evidenceIn("tls"))?.curl ?? "", env)).toMatch(/^HTTP\/2 200/m);
    expect(proxy.asked.slice(sent)).toEqual([`CONNECT catalog.internal:${front.port}`]);
  });
});

test.concurrent("the server's log and the report identify the same requests, for conformance and load", async ({
  onTestFinished,
}) => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const faulty = changesOf({ faults: ["null-field"] });
  const logged = await startService({ ...faulty, log, rate: 1000, burst: 1000 });
  onTestFinished(() => logged.stop());
  const env = {
    ...keysOf(logged),
    SHELFCHECK_BASE_URL: logged.baseUrl,
    SHELFCHECK_CATEGORIES: logged.categories.join(","),
  };
  const run = runWith(env);
  const argv = ["--out", "ids"];
  await run("conformance", "--only", "by-id", "--only", "service.omitted-fields/every-product", ...argv);
  const page = await readFile(join(cwd, "ids", "latest", "report.html"), "utf8");
  await run("load", "--duration", "1s", ...argv);
  const loadPage = await readFile(join(cwd, "ids", "latest", "report.html"), "utf8");
  const entries: { reqId?: string; req?: { traceparent?: string } }[] = lines.map((line) => JSON.parse(line));
  const byTrace = new Map(
    entries.flatMap(({ reqId, req }) => (req?.traceparent === undefined ? [] : [[req.traceparent, reqId]])),
  );
  for (const report of [page, loadPage]) {
    const sent = [...new Set(report.match(/00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]/g))];
    expect(sent.length).toBeGreaterThan(0);
    for (const id of sent) {
      // Our request id finds the line in the log; the id in that line finds the response in the report.
      expect(byTrace.has(id), id).toBe(true);
      expect(report).toContain(byTrace.get(id));
    }
  }

  const off = await runHere(["conformance", "--only", "by-id", "--out", "ids-off"], {
    cwd,
    env: { ...env, SHELFCHECK_REQUEST_ID_HEADER: "off" },
  });
  expect(off.exitCode, off.stderr).not.toBe(2);
  expect(await readFile(join(cwd, "ids-off", "latest", "results.json"), "utf8")).not.toContain("traceparent");
});
