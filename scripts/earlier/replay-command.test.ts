import { afterAll, expect, test } from "vitest";
import { deadBaseUrl } from "../../test/support/server.ts";
import { openWorkspace } from "../../test/support/workspace.ts";

const bad = await openWorkspace("--products", "60", "--fault", "null-field-in-batch");
afterAll(() => bad[Symbol.asyncDispose]());

test("1 while the finding still fails, 0 once it is fixed, 3 for a service that does not respond", async () => {
  const only = ["--only", "service.omitted-fields", "--out", "found"];
  const { exitCode: found } = await bad.run(["conformance", ...only], bad.shared.env);
  expect(found).toBe(1);
  const replay = async (env: NodeJS.ProcessEnv, ...flags: string[]) => {
    const argv = ["replay", "latest", "--out", "found", "--changed-key", ...flags];
    return (await bad.run(argv, env)).exitCode;
  };
  expect(await replay(bad.shared.env)).toBe(1);
  const good = await bad.serve("--products", "60");
  await using _ = good;
  expect(await replay(good.env, "--base-url", good.ready.base_url)).toBe(0);
  expect(await replay(bad.shared.env, "--base-url", await deadBaseUrl())).toBe(3);
});
