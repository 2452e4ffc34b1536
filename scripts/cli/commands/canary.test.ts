import { readdir, readFile, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { environmentOf } from "../../../test/support/command.ts";
import { commandLines } from "../../../test/support/command-lines.ts";
import { type Received, sentKey, serve } from "../../../test/support/server.ts";
import { openWorkspace, relaxedProfiles } from "../../../test/support/workspace.ts";
import { formatNames, formats } from "../../report/writers/write.ts";

const workspace = await openWorkspace();
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

// With every character that is escaped in JSON, URLs, HTML or a shell.
const canaries = {
  primary: `canary+primary/5f"1c&9a<77\\d2'==`,
  same_org: "canary+same-org/8b2d4e6f10==",
  other_org: "canary+other-org/c3a5970e42==",
};

/** What needs the burst, which waits for the rate limit and repeats one request: its response is also in the rest. */
const burst = ["limits", "errors.rate-limited", "errors.retry-after"];

test.concurrent("a key that the target echoes in any encoding is in no report, file, output or process argument", async () => {
  const { keys, base_url } = shared.ready;
  const exposed: string[] = [];
  let requests = 0;
  await using echo = await serve(answer);
  const env = environmentOf({ ...shared.ready, base_url: echo.baseUrl, keys: canaries });

  await writeFile(
    join(cwd, "shelfcheck.config.ts"),
    `export default { profiles: ${JSON.stringify(relaxedProfiles)} };`,
  );
  const gate = await run(["gate", ...burst.flatMap((id) => ["--skip", id]), "--out", "canary"], env);
  const again = await run(["report", "latest", "--out", "canary"], env);
  expect([gate.exitCode, again.exitCode], gate.stdout + gate.stderr + again.stderr).toEqual([1, 0]);

  // The responses that contain it are shown.
  const results = JSON.stringify(await resultsOf("canary"));
  expect(results.split("echo of $SHELFCHECK_API_KEY").length).toBeGreaterThan(5);

  expect(exposed).toEqual([]);
  const files = await filesBelow("canary");
  for (const { fileName } of formatNames.map((name) => formats[name])) {
    expect(files.filter((file) => file.endsWith(`/${fileName}`))).not.toEqual([]);
  }
  expect(files.some((file) => file.includes("/load/mixed/"))).toBe(true);
  const texts = new Map([["output", gate.stdout + gate.stderr + again.stdout]]);
  for (const file of files) texts.set(file, await readFile(file, "latin1"));
  expect([...texts].filter(([, text]) => showsKey(text)).map(([name]) => name)).toEqual([]);

  async function answer(request: Received, response: ServerResponse): Promise<void> {
    const { "content-type": type, accept = "*/*" } = request.headers;
    const sent = sentKey(request);
    const role = (["primary", "same_org", "other_org"] as const).find((name) => canaries[name] === sent);
    if (requests++ % 20 === 0) exposed.push(...[...commandLines().values()].filter(showsKey));
    const upstream = await fetch(new URL(request.url, base_url), {
      method: request.method,
      headers: {
        accept,
        ...(type === undefined ? {} : { "content-type": type }),
        ...(role === undefined ? {} : { "x-api-key": keys[role] }),
      },
      ...(request.body === "" ? {} : { body: request.body }),
    });
    const text = withEcho(await upstream.text(), sent);
    response.writeHead(upstream.status, {
      "content-type": upstream.headers.get("content-type") ?? "application/json",
      "x-echo": Buffer.from(sent).toString("base64"),
      "x-plain-echo": sent,
    });
    response.end(text);
  }
});

/** Products and errors contain the key in their texts. So does the code of a 404, which causes a failure. */
function withEcho(text: string, key: string): string {
  if (key === "" || !text.startsWith("{")) return text;
  const spelled = `echo of ${key}, ${encodeURIComponent(key)}, ${Buffer.from(key).toString("base64")}, ${Buffer.from(`x:${key}`).toString("base64url")}, ${Buffer.from(key).toString("hex")}, @split@`;
  const half = Math.ceil(key.length / 2);
  const value = JSON.parse(text, (name, entry) => {
    if (name === "title" || name === "message") return spelled;
    return entry === "not_found" ? `not_found ${spelled}` : entry;
  });
  // One half in the name of a field, the other one in its value.
  return JSON.stringify({ [`x_${key.slice(0, half)}`]: key.slice(half), ...value }).replaceAll(
    "@split@",
    splitByEscapes(key),
  );
}

function splitByEscapes(key: string): string {
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [...key].map((one, place) => (place % 3 === 1 && /\w/.test(one) ? one : escaped(one))).join("");
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(cwd, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Whether a text contains a part of a key, as it is or after decoding the escapes and encodings of the text. */
function showsKey(text: string): boolean {
  const views: string[] = [];
  for (let view = text; views.length < 4 && view !== views.at(-1); view = unescaped(view)) views.push(view);
  return Object.values(canaries).some((key) => {
    // Its words are not hidden alone, whatever is behind them is, from 8 characters on.
    const secret = key.slice(key.indexOf("/") + 1);
    const cores = Array.from({ length: secret.length - 7 }, (_, from) => secret.slice(from, from + 8));
    const encoded = [key, `x:${key}`, `xx:${key}`].flatMap((text) =>
      (["base64", "base64url", "hex"] as const).map((way) => Buffer.from(text).toString(way).slice(8, 20)),
    );
    const spellings = [...cores, ...cores.map(encodeURIComponent), ...encoded];
    return views.some((view) => spellings.some((spelling) => view.includes(spelling)));
  });
}

function unescaped(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#x([0-9a-f]+);/gi, (_all, json, url, entity) =>
      String.fromCodePoint(Number.parseInt(json ?? url ?? entity, 16)),
    )
    .replaceAll(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\\(["\\/])/g, "$1");
}

test.concurrent("the search finds every encoding", () => {
  const key = canaries.primary;
  for (const text of [
    key,
    JSON.stringify(JSON.stringify(key)),
    splitByEscapes(key),
    key.slice(key.length / 2),
    encodeURIComponent(key),
    Buffer.from(`xx:${key}`).toString("base64url"),
    key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  ]) {
    expect(showsKey(`before ${text} after`), text).toBe(true);
  }
});
