import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { keyVariables } from "../../../schemas/redaction.ts";
import { type Finished, runHere } from "../../../test/support/command.ts";
import { serve } from "../../../test/support/server.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

// No command line ends with 0 where nothing was judged, or less than it was asked for. The vitest project judges what
// `conformance` judges with the same selection, and fails wherever that would not end with 0: what vitest itself would
// call success are tests that it skips, some or all.

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { cwd, shared, through } = await openWorkspace();
const empty = await serve((incoming, outgoing) => {
  const body = incoming.url.endsWith("/retailers")
    ? { retailers: [{ slug: "north", name: "North", domains: [] }] }
    : { products: [], meta: { next_cursor: "", count: 0 } };
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
});
afterAll(() => empty[Symbol.asyncDispose]());

interface Row {
  readonly argv: readonly string[];
  readonly exit: 1 | 3 | 4;
  /** A part of what it says, on either stream. */
  readonly says: string;
  /** Changes of the environment of a right set-up. */
  readonly env?: NodeJS.ProcessEnv;
}

const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
const onlyPrimary = without(keyVariables.sameOrg, keyVariables.otherOrg);
const only = (id: string) => ["conformance", "--only", id];
/** `npx vitest run --project conformance -t …` */
const suite = (name: string) => ["vitest", "-t", name];
const rows: Readonly<Record<string, Row>> = {
  "--only of what cannot be judged": {
    argv: only("by-id.unentitled-slug"),
    env: onlyPrimary,
    exit: 4,
    says: keyVariables.otherOrg,
  },
  "a gate that has nothing to load": {
    argv: ["gate", "--only", "retailers"],
    env: through(empty.baseUrl),
    exit: 4,
    says: "No load was sent",
  },
  "a load that has nothing to send": {
    argv: ["load"],
    env: through(empty.baseUrl),
    exit: 3,
    says: "No load was sent",
  },
  "vitest: a name that no test has": { argv: suite("no such check"), exit: 1, says: "nothing was judged" },
  "vitest: one check passes, the other is not judged": {
    argv: suite("by-id.(unknown-product/unknown-id|unentitled-slug)"),
    env: onlyPrimary,
    exit: 1,
    says: "Not judged: by-id.unentitled-slug. ",
  },
};

async function runSuite(
  flags: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", root];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [...vitest, "--project", "conformance", ...flags], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, NO_COLOR: "1", ...env },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { exitCode, stdout, stderr };
}

test.concurrent.for(Object.entries(rows))("never green: %s", async ([, row], { expect }) => {
  const { argv, env, exit, says } = row;
  const options = { cwd: await mkdtemp(join(cwd, "row-")), env: { ...shared.env, ...env } };
  const [program, ...flags] = argv;
  const { exitCode, stdout, stderr } =
    program === "vitest" ? await runSuite(flags, options) : await runHere(argv, options);
  const said = (stdout + stderr).replaceAll(/\s+/g, " ");
  expect.soft(exitCode, said).toBe(exit);
  expect.soft(said).toContain(says);
});
