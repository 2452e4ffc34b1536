import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changesOf } from "../../proof/table.ts";
import { startService } from "../../service/start.ts";
import { openWorkspace } from "../../test/support/workspace.ts";

const work = await openWorkspace("--products", "60", "--rate", "100000", "--burst", "100000");

/** Another deployment of the shared service, with a fault of the table. */
async function faulty(name: string) {
  const { primary, same_org: sameOrg, other_org: otherOrg } = work.shared.ready.keys;
  const options = { products: 60, rate: 100_000, burst: 100_000, keys: { primary, sameOrg, otherOrg } };
  const service = await startService({ ...options, ...changesOf({ faults: [name] }) });
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}

test.concurrent("another title in pages: exit code 1, with both exchanges", async () => {
  await using deployed = await faulty("title-shouting-in-category");
  const against = ["--target", deployed.baseUrl, "--against", work.shared.ready.base_url];
  const argv = ["twin", ...against, "--out", "title", "--duration", "5s"];
  const { SHELFCHECK_BASE_URL: _address, ...env } = work.shared.env;
  const { exitCode, stdout } = await work.run(argv, env);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^DIFFERENT: twin of /m);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
    /\/products\/\*\/title differs .* Category page \(\d+ of \d+ requests\)/,
  );
  const { parts, cause } = await work.resultsOf("title");
  expect(cause).toBe("responses-differ");
  const [difference] = parts?.twin?.responses.differences ?? [];
  expect(difference).toMatchObject({ change: "value" });
  expect(difference?.evidence).toHaveLength(2);
});

test.concurrent("a name of the config as old deployment, and a time that is too short: exit code 4", async () => {
  const config = {
    targets: { old: { baseUrl: work.shared.ready.base_url, categories: work.shared.ready.categories } },
  };
  await writeFile(join(work.cwd, "twin.config.ts"), `export default ${JSON.stringify(config)};`);
  const against = ["--config", "twin.config.ts", "--against", "old"];
  const argv = ["twin", ...against, "--duration", "0.001s", "--out", "short"];
  const { exitCode, stdout, stderr } = await work.run(argv, work.shared.env);
  expect(exitCode, stdout + stderr).toBe(4);
  expect(stdout).toContain("the time ended before all responses were compared");
});

test("the old deployment that is down is named, with its doctor: exit code 3", async () => {
  const down = "http://127.0.0.1:1/v1";
  const argv = ["twin", "--target", work.shared.ready.base_url, "--against", down];
  const { SHELFCHECK_BASE_URL: _address, ...env } = work.shared.env;
  const { exitCode, stdout } = await work.run(argv, env);
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`127.0.0.1:1 at ${down}: Check that the service runs there`);
  expect(stdout).toContain(`\nNext: npx shelfcheck doctor --base-url ${down}\n`);
  expect(stdout).toContain(`${down}/retailers (127.0.0.1:1).\n`);
});

test.each([
  [["twin"], "--against"],
  [["twin", "--against", "nowhere"], "nowhere"],
  [["twin", "--against", "https://catalog.example.com/v1"], "allowLoad"],
])("%j ends with exit code 2", async (argv, named) => {
  const { exitCode, stderr } = await work.run(argv, work.shared.env);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(named);
});
