import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { literalsOf, root, sources } from "./sources.ts";

// One word for each thing in every text for people: console, reports, help, errors, requirements, pages.

/** A text and its file. */
interface Text {
  readonly path: string;
  readonly text: string;
}

/** A word to avoid, and what to write instead. */
interface Avoided {
  readonly pattern: RegExp;
  readonly write: string;
}

const avoided: readonly Avoided[] = [
  { pattern: /\bmend(?:s|ed|ing)?\b/i, write: "fix" },
  { pattern: /\bunjudged\b/i, write: "not judged" },
  { pattern: /\bcould not be judged\b/i, write: "not judged" },
  { pattern: /\bworth a look\b/i, write: "warning" },
  { pattern: /\bhabits?\b/i, write: "variant, or unusual but allowed" },
  // A setting of the config is named with its path.
  { pattern: /\bdialects?\b(?![.`])/i, write: "field names" },
  { pattern: /\binjections?\b/i, write: "fault" },
  { pattern: /\bcatalogues?\b/i, write: "catalog, as in the spec" },
  { pattern: /\bpatients?\b/i, write: "target, or the service" },
  { pattern: /\blet (?:back )?in\b|\bpressed\b/i, write: "accepted, refused, rate limit reached" },
  {
    pattern: /\b(?:was|is|been|were) told\b|\btold (?:to|that|otherwise)\b/i,
    write: "wait, after Retry-After",
  },
  { pattern: /\b(?:waiver|time|day)s? (?:is|are|was) over\b/i, write: "expired" },
  { pattern: /\b(?:both|either|each|two|a|of the) sides?\b/i, write: "before, after" },
  { pattern: /\bmeant so\b/i, write: "Intended?" },
  { pattern: /\bfor machines\b/i, write: "machine-readable" },
  { pattern: /\bwhoever\b/i, write: "the subject itself" },
  { pattern: /\banswers? (?:validated|checked)\b/i, write: "responses checked" },
  { pattern: /\bembedded service\b/i, write: "built-in reference service" },
  { pattern: /\basked\b/i, write: "requested, required" },
  { pattern: /\b(?:as )?(?:Retry-After|429|profile|server) (?:asks|tells)\b/i, write: "requires, says" },
  { pattern: /\bask (?:with|through|again)\b/i, write: "send a request" },
  { pattern: /\b(?:an|each|every|good|no|whose|wrong) answers?\b/i, write: "response" },
  {
    pattern:
      /\b(?:all|every\w*|limits?|thresholds?) held\b|\b(?:held|holds?) (?:it |them )?(?:against|to)\b/i,
    write: "passed, met",
  },
  {
    pattern: /\b(?:responses?|exchanges?|products?|errors?) (?:that (?:was|were) )?met\b/i,
    write: "received",
  },
  {
    pattern: /\b(?:is|are|was) no (?:array|JSON|list|number|object|page|product|text|URL|YAML)\b/i,
    write: "is not a",
  },
  { pattern: /\bstands? (?:in|on|once|twice|under)\b/i, write: "is in, appears" },
  { pattern: /\bsign of life\b/i, write: "wrote nothing for" },
  { pattern: /[;.:] else\b/i, write: "otherwise" },
  { pattern: /\blets? (?:anybody|everybody|nobody) in\b/i, write: "accepts, refuses" },
  { pattern: /\bproxy beats\b|\bbeats? them\b/i, write: "overrides" },
  { pattern: /\bspeaks? no\b/i, write: "does not speak" },
  { pattern: /\b(?:an advice|informations)\b/i, write: "a fix, advice" },
];

const isSentence = (text: string): boolean => /[a-z]{2,} [a-z]{2,}/i.test(text);

/** Texts for people in the sources: string literals of two words or more. */
async function textsOfSources(): Promise<Text[]> {
  const hidden = /^(?:test|dev)\//;
  const read = (await sources()).filter(({ path }) => !hidden.test(path));
  return read
    .flatMap(({ path, code }) =>
      literalsOf(code).map((text) => ({ path, text: text.replaceAll(/\$\{[^}]*\}/g, "…") })),
    )
    .filter(({ text }) => isSentence(text));
}

async function filesOf(folder: string, ending: string): Promise<Text[]> {
  const names = (await readdir(join(root, folder))).filter((name) => name.endsWith(ending));
  const paths = names.map((name) => join(folder, name));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })));
}

/** The Markdown pages without their code blocks. The changelog may name former words. */
async function textsOfPages(): Promise<Text[]> {
  const pages = (
    await Promise.all([".", "docs", "scenarios", "service"].map((folder) => filesOf(folder, ".md")))
  ).flat();
  return pages
    .filter(({ path }) => path !== "CHANGELOG.md")
    .flatMap(({ path, text }) =>
      text
        .replaceAll(/^```.*?^```$/gms, "")
        .split(/\n(?=\n|\|)/)
        .map((part) => ({ path, text: part.replaceAll("\n", " ") })),
    );
}

const texts = [...(await textsOfSources()), ...(await textsOfPages())];

test("there are texts of all kinds", () => {
  expect(texts.length).toBeGreaterThan(1500);
  const paths = [
    "README.md",
    "schemas/words/load.ts",
    "scripts/cli/commands/serve.ts",
    "schemas/contracts/config.ts",
  ];
  expect(texts.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
});

test.each(avoided)("no text says $pattern", ({ pattern, write }) => {
  const places = texts.filter(({ text }) => pattern.test(text)).map(({ path, text }) => `${path}: ${text}`);
  expect(places, `write: ${write}`).toEqual([]);
});
