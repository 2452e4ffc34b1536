import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClientResults } from "../../clients/contract/client-results.ts";
import { runHere } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const cwd = await temporaryFolder("client");
const listing = ["--task", "list-retailers"];

/** Runs a client given as a program for Node; its results are in a folder of its own. */
async function runClient(
  name: string,
  source: string,
  { flags = listing, env = {} }: { flags?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
) {
  const script = join(cwd, `${name}.mjs`);
  await writeFile(script, source);
  const argv = ["client", "--out", name, ...flags, "--", process.execPath, script];
  const finished = await runHere(argv, { cwd, env });
  return { ...finished, results: await resultsOf(name) };
}

async function resultsOf(out: string): Promise<ClientResults> {
  return JSON.parse(await readFile(join(cwd, out, "latest/results.json"), "utf8"));
}

const list = `const { SHELFCHECK_BASE_URL: base, SHELFCHECK_API_KEY: key } = process.env;
const list = (path = "/retailers", headers = { "X-Api-Key": key }) => fetch(base + path, { headers });
`;

describe.concurrent("a client", () => {
  test.each<
    [what: string, expected: Pick<ClientResults, "exitCode" | "cause">, says: string, source: string]
  >([
    [
      "does its task; the run is partial, and says so",
      { exitCode: 0, cause: "partial" },
      "Exit 0: Nothing failed. The selected tasks judge",
      `${list} await list();`,
    ],
    [
      "fails a requirement, which the last line names",
      { exitCode: 1, cause: "requirement-failed" },
      "Exit 1: 1 requirement on clients failed.",
      `${list} await list("/retailers", {});`,
    ],
    [
      "fails by itself, after it did its task",
      { exitCode: 3, cause: "client-failed" },
      "Exit 3: The client ended with exit code 1.",
      `${list} await list(); throw new Error("no luck");`,
    ],
  ])("%s", async (what, expected, says, source) => {
    const { exitCode, stdout, results } = await runClient(what.replaceAll(/\W+/g, "-"), source);
    expect({ exitCode, cause: results.cause }).toEqual(expected);
    expect(stdout.trimEnd().split("\n").at(-1)).toContain(says);
  });

  test("cannot be started", async () => {
    const argv = ["client", ...listing, "--out", "none", "--", "no-such-program"];
    const { exitCode, stdout } = await runHere(argv, { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      "The client could not be started (no such file or directory). No shell starts it",
    );
    expect((await resultsOf("none")).cause).toBe("client-failed");
  });

  test("does a part of a task and nothing of another; both are named", async () => {
    const { exitCode, stdout, results } = await runClient(
      "most",
      `${list}
       const [{ products }, , { gtin }] = JSON.parse(process.env.SHELFCHECK_TASK).tasks;
       for (const { retailer, product_id } of products.filter(({ by }) => by === "id").slice(0, 2))
         await list("/products/" + [retailer, product_id].map(encodeURIComponent).join("/"));
       const { retailers: [{ slug: retailer }] } = await (await list()).json();
       await list("/products?" + new URLSearchParams({ gtin, retailer }));`,
      { flags: ["look-up", "walk", "search-retailers"].flatMap((task) => ["--task", task]) },
    );
    expect({ exitCode, cause: results.cause }).toEqual({ exitCode: 4, cause: "tasks-not-done" });
    expect(stdout).toMatch(/search-retailers +1 of 2; not done: GTIN \d+ at northwind-fresh/);
    expect(stdout).toMatch(/look-up +2 of 40; not done: (.+, ){9}.+ and 28 more/);
    const followed = results.requirements.find(({ id }) => id === "query.follow-cursor");
    expect(followed?.checks[0]?.findings).toMatchObject([
      { code: "not-attempted", details: { tasks: ["walk"] } },
    ]);
  });

  test("sends requests that no task asks for; all of it is judged", async () => {
    const { exitCode, results } = await runClient(
      "odd",
      `import { request } from "node:http";
       const { port } = new URL(process.env.SHELFCHECK_BASE_URL);
       const headers = { "x-api-key": process.env.SHELFCHECK_API_KEY };
       const send = (method, path, body) => new Promise((done) => {
         const sent = request({ port, method, path, headers }, (response) => response.resume().on("end", done));
         sent.on("error", done).end(body);
       });
       const batch = "/v1/products/batch-lookup";
       const deep = (open, inner, close, times) => open.repeat(times) + inner + close.repeat(times);
       await send("POST", batch, '{"items":[' + deep("[", "1", "]", 20_000) + "]}");
       await send("POST", batch, '{"items":' + deep('{"a":', "1", "}", 20_000) + "}");
       await send("POST", batch, Buffer.alloc(1_000_000, 0xff));
       await send("POST", batch, '{"__proto__":[1],"items":[null,{"retailer":{}}]}');
       for (const query of ["%", "category=%zz&cursor=%", "category=&cursor=&cursor=", "url=a&gtin=1&category=", "=&=&&"])
         await send("GET", "/v1/products?" + query);
       for (const path of ["//", "/v1/products/%/%", "/v1/products/a%2Fb/c", "/v1/retailers/", "*"])
         await send("OPTIONS", path);
       for (const method of ["HEAD", "PUT", "DELETE", "TRACE"]) await send(method, "/v1/retailers", "x");
       await send("GET", "/v1/products?category=" + "x".repeat(9000));
       await send("GET", "/v1/retailers");`,
      { flags: [] },
    );
    expect(exitCode).toBe(1);
    expect(results.requests.total).toBe(20);
    const failed = results.requirements.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
    // It keeps no wait either, which shows on a slow machine only.
    expect(failed.filter((id) => id !== "limits.respect")).toEqual([
      "service.json-requests",
      "page.opaque-cursor",
      "query.one-identifier",
    ]);
  });

  test("writes no secret anywhere: neither its key, nor one that it has from elsewhere", async () => {
    const secret = "tok_real_9f8e7d6c5b4a";
    // No result is readable without its own words.
    const secrets = { REAL_TOKEN: secret, SORT_KEY: "requirements" };
    const { stdout, stderr, results } = await runClient(
      "leaking",
      `${list}
       console.log(key, process.env.REAL_TOKEN, encodeURIComponent(key), Buffer.from(key).toString("base64"));
       await list("/retailers?api_key=" + key + "&other=" + process.env.REAL_TOKEN);
       await list("/products/batch-lookup?x=unknown-secret-value", { Authorization: "Bearer another-secret-value" });
       await fetch(base + "/products/batch-lookup", { method: "POST", body: JSON.stringify({ key, items: [] }), headers: { cookie: "session-secret-value", "x-session": "password-of-user" } });
       import("node:fs").then(({ writeFileSync }) => writeFileSync("key-of-client", key));
       if (process.env.GATE_KEY !== undefined) throw new Error("It has a key of a real service.");`,
      { env: { ...secrets, SHELFCHECK_HEADERS: "X-Gate=GATE_KEY", GATE_KEY: "key-of-a-gateway" } },
    );
    const key = await readFile(join(cwd, "key-of-client"), "utf8");
    const folder = join(cwd, "leaking/latest");
    const names = await readdir(folder);
    expect(names.toSorted()).toEqual(["junit.xml", "report.html", "results.json", "summary.md", "task.json"]);
    const files = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    const written = [stdout, stderr, ...files].join("\n");
    for (const one of [key, secret, "unknown-secret", "another-secret", "session-secret", "password-of"])
      expect(written).not.toContain(one);
    expect(written).not.toContain(Buffer.from(key).toString("base64"));
    expect(results).toMatchObject({ client: { ended: "exited" }, summary: { fail: 1 } });
  });
});

test("Ctrl-C ends the client; what was seen is judged and written, and the exit code is 130", async () => {
  const script = join(cwd, "endless.mjs");
  await writeFile(script, `${list} await list(); console.log("sent"); setInterval(() => undefined, 1000);`);
  const stop = new AbortController();
  const finished = runHere(["client", ...listing, "--out", "stopped", "--", process.execPath, script], {
    cwd,
    signal: stop.signal,
    onErrorLine: (stderr) => {
      if (stderr.includes("sent\n")) stop.abort();
    },
  });
  expect((await finished).exitCode).toBe(130);
  expect(await resultsOf("stopped")).toMatchObject({ cause: "interrupted", requests: { total: 1 } });
});

test("without a program, the address is printed, and Ctrl-C ends the run with its verdict", async () => {
  const stop = new AbortController();
  const finished = runHere(["client", ...listing, "--out", "elsewhere"], {
    cwd,
    signal: stop.signal,
    onLine: async (stdout) => {
      if (stop.signal.aborted) return;
      const { SHELFCHECK_BASE_URL, SHELFCHECK_API_KEY, SHELFCHECK_TASK } = JSON.parse(stdout);
      const { tasks } = JSON.parse(SHELFCHECK_TASK);
      expect(tasks).toMatchObject([{ do: "list-retailers", sentence: "List the retailers." }]);
      await fetch(`${SHELFCHECK_BASE_URL}/retailers`, { headers: { "X-Api-Key": SHELFCHECK_API_KEY } });
      stop.abort();
    },
  });
  const { exitCode, stdout } = await finished;
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toContain("PARTIAL: client of another terminal");
});

test("report shows the run of a client that sent nothing again; commands for runs of a service refuse it", async () => {
  await runHere(["client", ...listing, "--out", "again", "--", process.execPath, "-e", ""], { cwd });
  expect(await resultsOf("again")).toMatchObject({ exitCode: 4, cause: "nothing-judged" });
  const shown = await runHere(["report", "latest", "--out", "again"], { cwd });
  expect(shown.exitCode, shown.stderr).toBe(0);
  expect(shown.stdout).toContain("The run ended with exit code 4: The client sent no request.");
  const refused = await runHere(["compare", "latest", "latest", "--out", "again"], { cwd });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("This is the run of a client, and not of a service");
});
