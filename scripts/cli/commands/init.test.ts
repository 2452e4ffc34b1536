import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { runCommand, runHere } from "../../../test/support/command.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const home = await temporaryFolder("init");
const env = { CF_ID: "client-id-of-ci", CF_SECRET: "client-secret-of-ci" };
const emptyFolder = () => mkdtemp(join(home, "in-"));
const init = (cwd: string) => runHere(["init"], { cwd, env });

test("writes a config, and says in two lines what to do", async () => {
  const cwd = await emptyFolder();
  const { exitCode, stdout } = await init(cwd);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Written: shelfcheck\.config\.ts\. .*STAGING_API_KEY\.\nNext: .*doctor.*\n$/);
  expect(await readdir(cwd)).toEqual(["shelfcheck.config.ts"]);
});

test("in a CommonJS package, Node can load the config, which is valid with every commented setting", async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, "package.json"), '{ "type": "commonjs" }');
  await init(cwd);
  const file = join(cwd, "shelfcheck.config.ts");
  const text = await readFile(file, "utf8");
  const all = text.replaceAll(/\/\/ (\w+: .*,)$/gm, "$1");
  expect(all.match(/^ +\w+:/gm)).toHaveLength((text.match(/^ +\w+:/gm)?.length ?? 0) + 17);
  await writeFile(file, all);
  await mkdir(join(cwd, "certs"));
  const authority = makeCertificate({ isAuthority: true });
  await writeFile(join(cwd, "certs/root.pem"), authority.certificate);
  await writeFile(join(cwd, "certs/client.pem"), authority.certificate);
  await writeFile(join(cwd, "certs/client.key"), authority.key);
  // A process of its own, which sends nothing: vitest resolves packages differently.
  const argv = ["conformance", "--plan", "--only", "versioning"];
  expect(await runCommand(argv, { cwd, env })).toMatchObject({ exitCode: 0, stderr: "" });
});

test("keeps a config that exists", async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, "shelfcheck.config.mjs"), "export default {};\n");
  const { exitCode, stdout } = await init(cwd);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Kept: shelfcheck.config.mjs, which existed.\n");
  expect(await readdir(cwd)).toEqual(["shelfcheck.config.mjs"]);
});
