import { afterAll, expect, test } from "vitest";
import { deadBaseUrl } from "../../../test/support/server.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

const bad = await openWorkspace("--products", "60", "--fault", "null-field-in-batch");
afterAll(() => bad[Symbol.asyncDispose]());

test("--bisect: 1 for a bad commit, 0 for a good one, 125 for one that cannot be judged", async () => {
  const only = ["--only", "service.omitted-fields", "--out", "found"];
  const { exitCode: found } = await bad.run(["conformance", ...only], bad.shared.env);
  expect(found).toBe(1);
  const replay = async (env: NodeJS.ProcessEnv, ...flags: string[]) => {
    const argv = ["replay", "latest", "--out", "found", "--changed-key", "--bisect", ...flags];
    return (await bad.run(argv, env)).exitCode;
  };
  expect(await replay(bad.shared.env)).toBe(1);
  const good = await bad.serve("--products", "60");
  await using _ = good;
  expect(await replay(good.env, "--base-url", good.ready.base_url)).toBe(0);
  // A service that does not start, and an id that the run does not have, must blame no commit.
  expect(await replay(bad.shared.env, "--base-url", await deadBaseUrl())).toBe(125);
  const unknown = ["replay", "latest", "no-such-id", "--out", "found", "--bisect"];
  const { exitCode, stderr } = await bad.run(unknown, bad.shared.env);
  expect([exitCode, stderr]).toEqual([125, expect.stringContaining("no-such-id")]);
});
