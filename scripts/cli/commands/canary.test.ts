import { readdir, readFile, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { environmentOf } from "../../../test/support/command.ts";
import { commandLines } from "../../../test/support/command-lines.ts";
import { askBehind, type Received, sentKey, serve } from "../../../test/support/server.ts";
import { openWorkspace, relaxedProfiles } from "../../../test/support/workspace.ts";
import { formatNames, formats } from "../../report/writers/write.ts";

// What a key may be echoed as by services that are nothing like ours: rows of test/acceptance.

const workspace = await openWorkspace();
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

// With every character that is escaped in JSON, URLs, HTML or a shell.
const canaries = {
  primary: `canary+primary/5f"1c&9a<77\\d2'==`,
  same_org: "canary+same-org/8b2d4e6f10==",
  other_org: "canary+other-org/c3a5970e42==",
};

test.concurrent("a key that the target echoes in any encoding is in no file, output or process argument", async () => {
  const { keys, base_url } = shared.ready;
  const roles = ["primary", "same_org", "other_org"] as const;
  const known = Object.fromEntries(roles.map((role) => [canaries[role], keys[role]]));
  const exposed: string[] = [];
  await using echo = await serve(async (request: Received, response: ServerResponse) => {
    if (request.number % 20 === 0) exposed.push(...[...commandLines().values()].filter(showsKey));
    const sent = sentKey(request);
    const back = await askBehind(request, new URL(base_url), { keys: known });
    const { "content-length": _, ...headers } = back.headers;
    const echoed = { "x-echo": Buffer.from(sent).toString("base64"), "x-plain-echo": sent };
    response.writeHead(back.statusCode ?? 502, { ...headers, ...echoed });
    response.end(withEcho(await text(back), sent));
  });
  const env = environmentOf({ ...shared.ready, base_url: echo.baseUrl, keys: canaries });
  const config = { profiles: relaxedProfiles };
  await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default ${JSON.stringify(config)};`);
  const some = ["retailers", "by-id", "errors.not-found", "query", "batch"].flatMap((id) => ["--only", id]);
  const gate = await run(["gate", ...some, "--out", "canary"], env);
  const again = await run(["report", "latest", "--out", "canary"], env);
  expect([gate.exitCode, again.exitCode], gate.stdout + gate.stderr + again.stderr).toEqual([1, 0]);

  // The responses that contain it are shown.
  const results = JSON.stringify(await resultsOf("canary"));
  expect(results.split("echo of $SHELFCHECK_API_KEY").length).toBeGreaterThan(5);

  expect(exposed).toEqual([]);
  const entries = await readdir(join(cwd, "canary"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((one) => join(one.parentPath, one.name));
  for (const { fileName } of formatNames.map((name) => formats[name]))
    expect(files.filter((file) => file.endsWith(`/${fileName}`))).not.toEqual([]);
  expect(files.some((file) => file.includes("/load/mixed/"))).toBe(true);
  const texts = new Map([["output", gate.stdout + gate.stderr + again.stdout]]);
  for (const file of files) texts.set(file, await readFile(file, "latin1"));
  expect([...texts].filter(([, content]) => showsKey(content)).map(([name]) => name)).toEqual([]);
});

/** Products and errors contain the key in their texts. So does the code of a 404, which causes a failure. */
function withEcho(body: string, key: string): string {
  if (key === "" || !body.startsWith("{")) return body;
  const spelled = [
    `echo of ${key}`,
    encodeURIComponent(key),
    Buffer.from(key).toString("base64"),
    Buffer.from(`x:${key}`).toString("base64url"),
    Buffer.from(key).toString("hex"),
    "@split@",
  ].join(", ");
  const half = Math.ceil(key.length / 2);
  const value = JSON.parse(body, (name, entry) => {
    if (name === "title" || name === "message") return spelled;
    return entry === "not_found" ? `not_found ${spelled}` : entry;
  });
  // One half in the name of a field, the other one in its value.
  const whole = JSON.stringify({ [`x_${key.slice(0, half)}`]: key.slice(half), ...value });
  return whole.replaceAll("@split@", splitByEscapes(key));
}

function splitByEscapes(key: string): string {
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [...key].map((one, place) => (place % 3 === 1 && /\w/.test(one) ? one : escaped(one))).join("");
}

/** The spellings of each key. Its words are not hidden alone; what is behind them is, from 8 characters on. */
const spellings = Object.values(canaries).flatMap((key) => {
  const secret = key.slice(key.indexOf("/") + 1);
  const cores = Array.from({ length: secret.length - 7 }, (_, from) => secret.slice(from, from + 8));
  const encoded = [key, `x:${key}`, `xx:${key}`].flatMap((one) =>
    (["base64", "base64url", "hex"] as const).map((way) => Buffer.from(one).toString(way).slice(8, 20)),
  );
  return [...cores, ...cores.map(encodeURIComponent), ...encoded];
});

/** Whether a text contains a part of a key, as it is or after decoding the escapes of the text. */
function showsKey(content: string): boolean {
  const views: string[] = [];
  for (let view = content; views.length < 4 && view !== views.at(-1); view = unescaped(view))
    views.push(view);
  return views.some((view) => spellings.some((spelling) => view.includes(spelling)));
}

function unescaped(content: string): string {
  const named = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&" };
  const coded = content
    .replaceAll(/\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]+);/gi, (_all, json, url, entity) =>
      String.fromCodePoint(Number.parseInt(json ?? url ?? entity, 16)),
    )
    .replaceAll(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));
  return Object.entries(named)
    .reduce((all, [entity, character]) => all.replaceAll(entity, character), coded)
    .replaceAll(/\\(["\\/])/g, "$1");
}

test.concurrent("the search finds every encoding", () => {
  const key = canaries.primary;
  for (const content of [
    key,
    JSON.stringify(JSON.stringify(key)),
    splitByEscapes(key),
    key.slice(key.length / 2),
    encodeURIComponent(key),
    Buffer.from(`xx:${key}`).toString("base64url"),
    key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  ])
    expect(showsKey(`before ${content} after`), content).toBe(true);
});
