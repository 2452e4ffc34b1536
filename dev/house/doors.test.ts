import { expect, test } from "vitest";
import { capabilities } from "../../scripts/cli/doors.ts";
import { literalsOf, sources } from "./sources.ts";

// Each capability is one folder and one line, and nothing else knows of it. test/acceptance/doors.acceptance.ts takes each away.

/** The folders of a capability, beside the one in scripts. */
const beside: Readonly<Record<string, readonly string[]>> = { client: ["clients/"], proof: ["proof/"] };
const foldersOf = (name: string) => [`scripts/${name}/`, ...(beside[name] ?? [])];

const all = (await sources()).filter(({ path }) => !/^(?:test|dev)\//.test(path));

test("there are five", () => {
  expect(capabilities.map(({ name }) => name)).toEqual(["client", "cluster", "earlier", "proof", "twin"]);
});

/** Advice on what earlier versions had. */
const mayName = "scripts/removed.ts";
/** A request without a key, for the core; a request of a client that sent none, for `client`. */
const meansBoth = "no-key";

test.each(capabilities)(
  "nothing else holds a code, cause or flag of $name",
  ({ name, words = {}, causes = {} }) => {
    const isInside = (path: string) => foldersOf(name).some((folder) => path.startsWith(folder));
    const outside = all.filter(({ path }) => !isInside(path) && path !== mayName);
    const flagsIn = (code: string) =>
      [...code.matchAll(/ption\(\s*"(--[\w-]+)/g)].map(([, flag = ""]) => flag);
    const shared = new Set(outside.flatMap(({ code }) => flagsIn(code)));
    const flags = all.filter(({ path }) => isInside(path)).flatMap(({ code }) => flagsIn(code));
    const own = flags.filter((flag) => !shared.has(flag));
    const ids = new Set([...Object.keys(words), ...Object.keys(causes)]);
    const found = outside.flatMap(({ path, code }) =>
      literalsOf(code).flatMap((text) => {
        const isHeld =
          (ids.has(text) && text !== meansBoth) || own.some((flag) => text.split(/[\s=]/).includes(flag));
        return isHeld ? [`${path}: ${text}`] : [];
      }),
    );
    expect(found).toEqual([]);
  },
);
