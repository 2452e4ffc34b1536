import { writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { type Listening, type Received, serve } from "../../test/support/server.ts";
import { openWorkspace } from "../../test/support/workspace.ts";

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;
let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  await writeFile(
    join(workspace.cwd, "shelfcheck.config.mjs"),
    `export default ${JSON.stringify(config)};\n`,
  );
}, 300_000);
afterAll(() => workspace[Symbol.asyncDispose]());

const { smoke } = profiles;
const short = { ...smoke, stages: constantRate(40, 1), virtualUsers: 10 };
const config = {
  profiles: {
    short,
    long: { ...short, stages: constantRate(150, 2) },
    lookups: {
      ...short,
      thresholds: { ...smoke.thresholds, endpoints: { batch: { p95Milliseconds: 1000 } } },
    },
  },
};

/** Body of a changed response to load request number `index`; undefined for the response of the service. */
type Fault = (incoming: Received, index: number, honest: string) => string | undefined;

/**
 * A proxy in front of the reference service. It changes only responses to k6, which identifies itself, not those to discovery,
 * and asks the service once for each lookup that k6 repeats.
 */
async function startFaulty(fault: Fault): Promise<Listening> {
  const { host } = new URL(workspace.shared.ready.base_url);
  let count = 0;
  const known = new Map<string, Answer>();
  return serve((incoming, outgoing) => {
    const isLoad =
      (incoming.headers["user-agent"] ?? "").includes("k6") && !incoming.url.endsWith("/retailers");
    const index = isLoad ? count++ : -1;
    const kept = isLoad ? known.get(`${incoming.method} ${incoming.url}`) : undefined;
    if (kept !== undefined) return respond(outgoing, kept, fault(incoming, index, kept.body));
    const options = { path: incoming.url, method: incoming.method, headers: { ...incoming.headers, host } };
    const forward = httpRequest(`http://${host}`, options, async (answer) => {
      const { statusCode: status = 502, headers } = answer;
      const honest = { status, headers, body: await text(answer) };
      if (isLoad && incoming.method === "GET") known.set(`GET ${incoming.url}`, honest);
      respond(outgoing, honest, isLoad ? fault(incoming, index, honest.body) : undefined);
    });
    forward.on("error", () => outgoing.destroy());
    forward.end(incoming.bytes);
    return undefined;
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function respond(
  outgoing: ServerResponse,
  { status, headers: received, body }: Answer,
  instead?: string,
): void {
  const { "content-length": _, "transfer-encoding": __, ...headers } = received;
  outgoing.writeHead(status, headers);
  outgoing.end(instead ?? body);
}

async function load(
  out: string,
  baseUrl: string,
  { profile = "short", argv = [] as readonly string[] } = {},
) {
  const { exitCode } = await workspace.run(
    ["load", "--profile", profile, "--out", out, ...argv],
    workspace.through(baseUrl),
  );
  const [result] = (await workspace.resultsOf(out)).load;
  return { exitCode, codes: result?.findings.map(({ code }) => code), result };
}

/** Puts one null into a product, early: a busy machine may not send all requests. */
function oneNull(): Fault {
  let isDone = false;
  return (_incoming, index, honest) => {
    if (isDone || index < 20 || !honest.startsWith('{"retailer"')) return undefined;
    isDone = true;
    return honest.replace("{", '{"no_such_field":null,');
  };
}

// A target that is down, from the start or under load, is a row of test/acceptance/targets.acceptance.ts; an empty catalog
// one of scripts/cli/commands/never-green.test.ts.
describe.concurrent("load never passes with", () => {
  // scripts/load/judge.test.ts has 1 of 1,000.
  test("a null field in 1 of 300 responses", async () => {
    await using stub = await startFaulty(oneNull());
    const { exitCode, codes, result } = await load("nulls", stub.baseUrl, { profile: "long" });
    expect(codes).toContain("invalid-responses");
    expect(result?.evidence?.length).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
  });

  test("limits for an endpoint that got no request", async () => {
    const { base_url } = workspace.shared.ready;
    const { exitCode, result } = await load("unasked", base_url, { profile: "lookups" });
    expect(result?.findings).toContainEqual(
      expect.objectContaining({ code: "no-samples", endpoint: "batch" }),
    );
    expect(result?.verdict).toBe("invalid");
    expect(exitCode).toBe(3);
  });

  test("an exception in every iteration", async () => {
    const fixtures = join(workspace.cwd, "without-dialect.json");
    await writeFile(fixtures, JSON.stringify({ ...sampleFixtures(), dialect: {} }));
    const argv = ["--scenario", "batch", "--k6-arg=-e", `--k6-arg=SHELFCHECK_FIXTURES=${fixtures}`];
    const { exitCode, codes, result } = await load("exceptions", workspace.shared.ready.base_url, { argv });
    expect(result?.findings).toContainEqual(
      expect.objectContaining({ code: "script-exceptions", seen: { count: 8, of: "iterations" } }),
    );
    expect(codes).toEqual(expect.arrayContaining(["no-samples", "nothing-checked"]));
    expect(result?.verdict).toBe("invalid");
    expect(exitCode).toBe(3);
  });
});
