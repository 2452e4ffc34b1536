import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { type RunningService, startService } from "../../service/start.ts";
import { runCommand } from "../testing/command.ts";

// Each test waits for whole runs of the real command line, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-networks-"));
const service = await startService({ rate: 1000, burst: 1000 });
afterAll(async () => {
  await service.stop();
  await rm(cwd, { recursive: true });
});

function keysOf({ keys }: RunningService): NodeJS.ProcessEnv {
  return {
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_SAME_ORG_API_KEY: keys.sameOrg,
    SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg,
  };
}

describe("a public address", () => {
  /** Answers every name with this machine, and says on stderr what was looked up or connected to. */
  const stubResolver = `
    import dns from "node:dns";
    import net from "node:net";
    const { lookup } = dns;
    dns.lookup = (name, options, done) => {
      process._rawDebug("LOOKUP " + name);
      return lookup("127.0.0.1", options, done ?? options);
    };
    const { connect } = net.Socket.prototype;
    net.Socket.prototype.connect = function (...to) {
      process._rawDebug("CONNECT");
      return connect.apply(this, to);
    };`;
  const { port } = new URL(service.baseUrl);
  const baseUrl = `http://catalog.example.com:${port}/v1`;
  const env = {
    ...keysOf(service),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stubResolver)}`,
  };
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
  ])("%s: not one packet without allowLoad, exit 2 with the line to add", async (_name, argv) => {
    const config = await configured("");
    const { exitCode, stdout, stderr } = await runCommand([...argv, "--config", config], { cwd, env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).not.toMatch(/LOOKUP|CONNECT/);
    expect(stderr).toContain(`add this line to targets.staging in ${config}: allowLoad: true`);
  });

  test.each([
    ["conformance without its burst", "", ["conformance", "--only", "versioning"]],
    [
      "a burst that is avoided",
      'avoid: ["burst"]',
      ["conformance", "--only", "versioning", "--only", "limits"],
    ],
    ["discovery", "", ["discover"]],
  ])("%s goes there all the same", async (_name, line, argv) => {
    const config = await configured(line);
    const { exitCode, stderr } = await runCommand([...argv, "--config", config], { cwd, env });
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain("LOOKUP catalog.example.com");
  });
});
