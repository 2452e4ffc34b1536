import { chmod, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { podLog, podResult } from "../../test/support/stub-pods.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CannotRunError } from "../errors.ts";
import { planLoad } from "../load/plan.ts";
import { runOnCluster } from "./run-on-cluster.ts";

const home = await temporaryFolder("kubectl");

const stages = ["initialization", "initialized", "created", "started", "finished"] as const;

/** A cluster as kubectl shows it. */
interface Cluster {
  /** Whether the operator's definition is there. Default: true */
  readonly operator?: boolean;
  /** Names in the secret; undefined for no secret. Default: the entry of the key */
  readonly secret?: string | null;
  /** Stage that each look at the TestRun shows, the last one for ever. */
  readonly stages?: readonly string[];
  /** What the pods logged. Default: two whole results */
  readonly log?: readonly string[];
  /** Message of the TestRun's condition. */
  readonly message?: string;
  /** A command that fails, with what it says. */
  readonly failing?: readonly [command: string, said: string];
}

const wholeLog = [0, 1].flatMap((place) =>
  podLog(podResult(place, 2)).map((line) => `[pod/run-${place}/k6] ${line}`),
);

/** Puts a kubectl on a PATH of its own that plays the cluster and writes down how it was called. */
async function standIn(cluster: Cluster) {
  const bin = await mkdtemp(join(home, "bin-"));
  const { operator = true, secret = "api-key", stages: shown = stages, log = wholeLog, failing } = cluster;
  await writeFile(join(bin, "log"), log.join("\n"));
  for (const [place, stage] of shown.entries()) {
    const conditions = cluster.message === undefined ? [] : [{ message: cluster.message }];
    await writeFile(join(bin, `stage-${place}`), JSON.stringify({ status: { stage, conditions } }));
  }
  const script = `#!/bin/sh
echo "$*" >> ${bin}/calls
case "$*" in
${failing === undefined ? "" : `${failing[0]}*) echo "${failing[1]}" >&2; exit 1;;`}
"config current-context"*) echo staging;;
"get customresourcedefinition"*) ${operator ? "echo customresourcedefinition/testruns.k6.io" : ":"};;
"get secret"*"--output name"*) ${secret === null ? ":" : "echo secret/shelfcheck"};;
"get secret"*) echo "${secret ?? ""}";;
"get testrun"*"--ignore-not-found"*) ;;
"get testrun"*) n=$(cat ${bin}/looks 2>/dev/null || echo 0); echo $((n + 1)) > ${bin}/looks
  [ -f ${bin}/stage-$n ] || n=${shown.length - 1}; cat ${bin}/stage-$n;;
"apply"*) cp "$3" ${bin}/applied;;
"logs"*) cat ${bin}/log;;
"delete"*) echo deleted;;
*) echo "unexpected: $*" >&2; exit 9;;
esac
`;
  await writeFile(join(bin, "kubectl"), script);
  await chmod(join(bin, "kubectl"), 0o755);
  return {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    calls: async () => (await readFile(join(bin, "calls"), "utf8")).trim().split("\n"),
    applied: () => readFile(join(bin, "applied"), "utf8"),
  };
}

async function load(cluster: Cluster, signal?: AbortSignal) {
  const kubectl = await standIn(cluster);
  const folder = await mkdtemp(join(home, "run-"));
  const lines: string[] = [];
  const result = runOnCluster({
    plan: planLoad({
      scenario: "lookup",
      profileName: "smoke",
      profile: { ...profiles.smoke, stages: constantRate(10, 1) },
      shards: 2,
    }),
    fixtures: sampleFixtures(),
    connection: { baseUrl: "http://catalog.example/v1", variables: [], files: {} },
    suffix: "ab12cd",
    kubernetes: { env: kubectl.env, namespace: "perf", signal },
    folder,
    progress: (line) => lines.push(line),
    target: { keys: { primary: "pcl_0123456789abcdef" } },
    pollMilliseconds: 1,
  });
  return { ...kubectl, folder, lines, result: await result.catch((error: unknown) => error) };
}

const isDeletion = (call: string) => call.startsWith("delete");

describe("load on a cluster", () => {
  test("looks, applies, waits, collects and deletes, in this order", async () => {
    const { result, calls, lines, folder, applied } = await load({});
    expect(result).toMatchObject({ metrics: { http_reqs: { count: expect.any(Number) } } });
    const made = (await calls()).map((call) => call.split(" ").slice(0, 2).join(" "));
    expect([...new Set(made)]).toEqual([
      "config current-context",
      "get customresourcedefinition",
      "get secret",
      "get testrun",
      "apply --filename",
      "logs --selector",
      "delete --filename",
    ]);
    expect((await calls()).every((call) => call.endsWith("--namespace perf"))).toBe(true);
    expect(lines[0]).toBe("kubernetes: context staging, namespace perf");
    expect(lines.filter((line) => stages.some((stage) => line.includes(stage)))).toHaveLength(5);
    const [, testRun] = parseAllDocuments(await applied())
      .map((document) => document.toJS() as { kind: string; metadata: { name: string } } | null)
      .filter((document) => document !== null);
    expect(testRun).toMatchObject({ kind: "TestRun", metadata: { name: "shelfcheck-lookup-smoke-ab12cd" } });
    expect(await readFile(join(folder, "pods.log"), "utf8")).toContain("shelfcheck-result-1");
  });

  test("shows no key that a pod logged", async () => {
    const { folder } = await load({ log: [...wholeLog, "oops pcl_0123456789abcdef"] });
    const log = await readFile(join(folder, "pods.log"), "utf8");
    expect(log).toContain("oops $SHELFCHECK_API_KEY");
    expect(log).not.toContain("pcl_0123456789abcdef");
  });

  test.each<[string, Cluster, string, string]>([
    ["without the operator", { operator: false }, "The cluster has no k6-operator", "Install k6-operator"],
    [
      "without the secret",
      { secret: null },
      "There is no secret shelfcheck",
      "kubectl create secret generic",
    ],
    [
      "with a secret of other entries",
      { secret: "token" },
      "The secret shelfcheck has no entry api-key",
      "/dev/stdin",
    ],
    [
      "that cannot be reached",
      { failing: ['"config current-context"', "error: current-context is not set"] },
      "kubectl config current-context failed",
      "Check the context",
    ],
  ])("a cluster %s is reported before anything is applied", async (_, cluster, what, fix) => {
    const { result, calls } = await load(cluster);
    expect(result).toBeInstanceOf(CannotRunError);
    expect(result).toMatchObject({ what, fix: expect.stringContaining(fix) });
    expect((await calls()).some((call) => /^(apply|delete)/.test(call))).toBe(false);
  });

  test.each<[string, Cluster, string]>([
    ["the operator gives up", { stages: ["initialization", "error"], message: "bad script" }, "bad script"],
    ["the pods leave no result", { log: ["panic"] }, "pods.log"],
    ["kubectl fails to apply", { failing: ["apply", "error: forbidden"] }, "error: forbidden"],
    ["kubectl fails to read the logs", { failing: ["logs", "error: container gone"] }, "container gone"],
  ])("what was applied is deleted when %s", async (_, cluster, where) => {
    const { result, calls } = await load(cluster);
    expect(result).toBeInstanceOf(CannotRunError);
    expect(result).toMatchObject({ where: expect.stringContaining(where) });
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
  });

  test("a pod without a result makes the run invalid and is named", async () => {
    const { result } = await load({ log: podLog(podResult(0, 2)) });
    expect(result).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "pod-result-missing", subject: "1/2:1" }],
    });
  });

  test.each(stages.slice(0, 4))("Ctrl-C at the stage %s deletes what was applied", async (stage) => {
    const interruption = new AbortController();
    const kubectl = await standIn({ stages: [stage] });
    const folder = join(home, `interrupted-${stage}`);
    await mkdir(folder);
    const run = runOnCluster({
      plan: planLoad({
        scenario: "lookup",
        profileName: "smoke",
        profile: profiles.smoke,
        shards: 2,
      }),
      fixtures: sampleFixtures(),
      connection: { baseUrl: "http://catalog.example/v1", variables: [], files: {} },
      kubernetes: { env: kubectl.env, namespace: "perf", signal: interruption.signal },
      folder,
      progress: (line) => {
        if (line.includes(stage)) interruption.abort(new Error("interrupted"));
      },
      target: { keys: {} },
      pollMilliseconds: 1,
    });
    await expect(run).rejects.toThrow();
    expect((await kubectl.calls()).filter(isDeletion)).toHaveLength(1);
  });
});
