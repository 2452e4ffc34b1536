import dns from "node:dns";
import { readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { changesOf } from "../../../proof/table.ts";
import { startService } from "../../../service/start.ts";
import { environmentFor, runHere } from "../../../test/support/command.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { relaxedProfiles } from "../../../test/support/workspace.ts";

// Proxies, TLS and gateways with rules: rows of test/acceptance/networks.acceptance.ts.

const cwd = await temporaryFolder("networks");
const service = await startService({ products: 180, rate: 1000, burst: 1000 });
afterAll(() => service.stop());

const { SHELFCHECK_BASE_URL: _address, SHELFCHECK_CATEGORIES: _names, ...keys } = environmentFor(service);

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
      const finished = await runHere(argv, { cwd, env: keys });
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

test("the server's log and the report identify the same requests", async () => {
  const lines: string[] = [];
  const logged = await startService({
    ...changesOf({ faults: ["null-field"] }),
    log: (line) => lines.push(line),
    products: 180,
    rate: 1000,
    burst: 1000,
  });
  const config = join(cwd, "ids.config.mjs");
  await writeFile(config, `export default ${JSON.stringify({ profiles: relaxedProfiles })};`);
  const some = ["--only", "by-id", "--only", "service.omitted-fields/every-product"];
  const argv = ["gate", ...some, "--config", config, "--out", "ids"];
  const { exitCode, stdout } = await runHere(argv, { cwd, env: environmentFor(logged) });
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
