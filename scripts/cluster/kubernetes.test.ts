import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { type Look, type PlayedCluster, standInKubectl } from "../../test/support/stand-in-kubectl.ts";
import { podLog, podResult } from "../../test/support/stub-pods.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CannotRunError } from "../errors.ts";
import { planLoad } from "../load/plan.ts";
import { type ManifestRequest, manifestsOf } from "./manifests.ts";
import type { PlannedRun } from "./planned-run.ts";
import { type ClusterRequest, runOnCluster } from "./run-on-cluster.ts";

const home = await temporaryFolder("kubectl");

function requested(scenario: ScenarioId = "lookup"): ManifestRequest {
  return {
    run: "ab12cd",
    plan: planLoad({
      scenario,
      profileName: "smoke",
      profile: { ...profiles.smoke, stages: constantRate(10, 1) },
      shards: 2,
    }),
    fixtures: sampleFixtures(),
    connection: { baseUrl: "http://catalog.example/v1", variables: [], files: {} },
  };
}

const name = "shelfcheck-lookup-smoke-ab12cd";
const { planned } = await manifestsOf(requested());

/** The logs of the pods of a plan. */
function logsOf({ run, target, script, fixtures }: PlannedRun, pods = [0, 1]): string[] {
  const { profile } = requested().plan;
  const facts = { scenario: "lookup", profile: "smoke", seed: 1 } as const;
  return pods.flatMap((place) =>
    podLog(podResult(place, 2, { run, baseUrl: target, script, fixtures, profile, facts })).map(
      (line) => `[pod/run-${place}/k6] ${line}`,
    ),
  );
}

const wholeLog = logsOf(planned);

type Played = Partial<PlayedCluster> & {
  /** Aborts the run when a line of progress contains it. */
  readonly interruptAt?: string;
  readonly request?: Partial<ClusterRequest>;
  readonly scenario?: ScenarioId;
};

/** Each look takes 10 s on the clock of the run. */
async function load({ interruptAt, request, scenario, ...cluster }: Played = {}) {
  const kubectl = await standInKubectl(home, { name, log: wholeLog, ...cluster });
  const folder = await mkdtemp(join(home, "run-"));
  const lines: string[] = [];
  const interruption = new AbortController();
  let now = 0;
  const result = await runOnCluster({
    ...requested(scenario),
    kubernetes: { env: kubectl.env, signal: interruption.signal },
    folder,
    progress: (line) => {
      lines.push(line);
      if (interruptAt !== undefined && line.includes(interruptAt))
        interruption.abort(new Error("interrupted"));
    },
    target: { keys: { primary: "pcl_0123456789abcdef" } },
    pollMilliseconds: 1,
    clock: () => {
      now += 10_000;
      return now;
    },
    ...request,
  }).catch((error: unknown) => error);
  return { ...kubectl, folder, lines, result, seconds: now / 1000 };
}

const isDeletion = (call: string) => call.startsWith("delete");
const isCreation = (call: string) => call.startsWith("create");

describe("load on a cluster", () => {
  test("looks, creates, waits, collects and deletes, in this order", async () => {
    const { result, calls, lines, folder, created } = await load();
    expect(result).toMatchObject({
      findings: [],
      metrics: { http_reqs: { count: expect.any(Number) } },
    });
    const made = (await calls()).map((call) =>
      // Which are read at the same time.
      call
        .replace(/^get (jobs|pods|events)/, "get objects")
        .split(" ")
        .slice(0, 2)
        .join(" "),
    );
    expect([...new Set(made)]).toEqual([
      "config view",
      "config current-context",
      "get namespace",
      "explain testruns.spec.initializer.disabled",
      "get secret",
      "auth can-i",
      "create --filename",
      "get testruns.k6.io",
      "get objects",
      "logs --selector",
      `delete testruns.k6.io/${name}`,
    ]);
    const [, ...others] = await calls();
    expect(others.every((call) => call.endsWith("--namespace perf"))).toBe(true);
    expect(lines[0]).toBe("kubernetes: context staging, namespace perf");
    const [configMap, testRun] = parseAllDocuments(await created())
      .map((document) => document.toJS() as { kind: string; metadata: object } | null)
      .filter((document) => document !== null);
    expect(configMap?.metadata).toMatchObject({ name });
    expect(testRun).toMatchObject({
      kind: "TestRun",
      metadata: { name, labels: { "app.kubernetes.io/managed-by": "shelfcheck" } },
      spec: { initializer: { disabled: true } },
    });
    expect(await readFile(join(folder, "pods.log"), "utf8")).toContain("shelfcheck-result-1");
    expect(lines.at(-1)).toBe(`kubernetes: TestRun ${name} deleted`);
  });

  test("shows no key that a pod logged", async () => {
    const { folder } = await load({ log: [...wholeLog, "oops pcl_0123456789abcdef"] });
    const log = await readFile(join(folder, "pods.log"), "utf8");
    expect(log).toContain("oops $SHELFCHECK_API_KEY");
    expect(log).not.toContain("pcl_0123456789abcdef");
  });

  test.each<[string, string, Played]>([
    ["the context", "perf", {}],
    ["Kubernetes, if the context has none", "default", { contextNamespace: "" }],
    ["the flag", "load", { request: { kubernetes: { env: {}, namespace: "load" } } }],
  ])("the namespace is that of %s", async (_, namespace, played) => {
    const kubectl = await standInKubectl(home, { name, log: wholeLog, ...played });
    const { lines } = await load({
      ...played,
      request: { kubernetes: { ...played.request?.kubernetes, env: kubectl.env } },
    });
    expect(lines[0]).toBe(`kubernetes: context staging, namespace ${namespace}`);
  });
});

describe("before anything is created", () => {
  test.each<[string, Played, string, string]>([
    ["without the operator", { operator: "none" }, "The cluster has no k6-operator", "Install k6-operator"],
    [
      "that does not respond",
      {
        failing: [
          ["explain", "away"],
          ["get testruns.k6.io --output name", "connection refused"],
        ],
      },
      "The cluster does not respond",
      "Check the context",
    ],
    [
      "without the namespace",
      { failing: [["get namespace", 'Error from server (NotFound): namespaces "perf" not found']] },
      "There is no namespace perf",
      "--namespace",
    ],
    [
      "without the secret",
      { secret: null },
      "There is no secret shelfcheck",
      "kubectl create secret generic shelfcheck --namespace perf --from-file=api-key=/dev/stdin",
    ],
    [
      "with a secret of other entries",
      { secret: "token" },
      "The secret shelfcheck has no entry api-key",
      "/dev/stdin",
    ],
    [
      "that cannot be reached",
      { failing: [["config current-context", "error: current-context is not set"]] },
      "kubectl config current-context failed",
      "Check the context",
    ],
    [
      "whose logs may not be read",
      { forbidden: ["get pods/log"] },
      "You may not get pods/log",
      "No load was sent",
    ],
  ])("a cluster %s is reported", async (_, cluster, what, fix) => {
    const { result, calls } = await load(cluster);
    expect(result).toBeInstanceOf(CannotRunError);
    expect(result).toMatchObject({ what, fix: expect.stringContaining(fix) });
    expect((await calls()).some((call) => isCreation(call) || isDeletion(call))).toBe(false);
  });

  test("what a user of one namespace may not ask is taken as there", async () => {
    const { result, lines } = await load({ forbidden: ["get namespaces", "get secrets"] });
    expect(result).toMatchObject({ findings: [] });
    expect(lines.join()).toContain("the secret shelfcheck may not be read");
  });

  test("an operator that inspects gets as many pods as users, with a note", async () => {
    const { result, created } = await load({ operator: "1.2.0", scenario: "paging" });
    expect(await created()).toContain("parallelism: 1\n");
    expect(result).toMatchObject({
      notes: expect.arrayContaining([{ code: "pods-bounded", expected: 2, actual: 1 }]),
    });
  });
});

describe("what pods ran is compared with the plan", () => {
  test.each<[string, Partial<PlannedRun>, string]>([
    ["another run", { run: "older" }, "run"],
    ["other fixtures, as on a volume that was filled before", { fixtures: "f0" }, "fixtures"],
    ["another script", { script: "5d" }, "script"],
    ["another target", { target: "http://other.example/v1" }, "target"],
  ])("%s makes the run invalid", async (_, change, differs) => {
    const { result } = await load({ log: logsOf({ ...planned, ...change }) });
    expect(result).toMatchObject({
      verdict: "invalid",
      findings: [
        { code: "pod-not-as-planned", details: { differs: [differs] }, seen: { count: 2, total: 2 } },
      ],
    });
  });

  test("another profile makes the run invalid", async () => {
    const log = podLog(podResult(0, 1, { run: planned.run }));
    const { result } = await load({ log });
    expect(result).toMatchObject({ verdict: "invalid", findings: [{ code: "pod-not-as-planned" }] });
  });

  test("a pod without a result makes the run invalid and is named, and the cluster's state is kept", async () => {
    const { result, folder } = await load({ log: logsOf(planned, [0]) });
    expect(result).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "pod-result-missing", subject: "1/2:1" }],
    });
    expect(await readdir(folder)).toContain("cluster-state.json");
  });
});

describe("pods that do not start", () => {
  test.each<[NonNullable<PlayedCluster["recorded"]>, string]>([
    ["quota", "failed quota: compute: must specify limits.cpu"],
    ["restricted", 'violates PodSecurity "restricted:latest"'],
    ["image", 'registry.internal/k6:9: Back-off pulling image "registry.internal/k6:9": not found'],
    ["no-node", "0/2 nodes are available"],
    ["starter-user", "image has non-numeric user (curl_user)"],
  ])("%s: the reason is told within 30 s, and ends the run after a minute", async (recorded, reason) => {
    const { result, lines, folder, calls } = await load({ recorded });
    expect(lines.filter((line) => line.includes(reason))).toHaveLength(1);
    expect(result).toBeInstanceOf(CannotRunError);
    expect(result).toMatchObject({
      what: expect.stringContaining(reason),
      where: expect.stringMatching(/for 1 min \d+ s$/),
    });
    expect(await readFile(join(folder, "cluster-state.json"), "utf8")).toContain(name);
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
  });

  test("a quota with room for some of the pods: they wait for the others, and the reason ends the run", async () => {
    const runningJob = JSON.stringify({
      kind: "Job",
      metadata: { name: `${name}-1` },
      status: { active: 1 },
    });
    const change = (objects: string) =>
      objects
        .replaceAll(/must specify [^"]*/g, "exceeded quota: compute, limited: limits.cpu=1500m")
        .replace('"objects": [', `"objects": [${runningJob},`);
    const { result, lines } = await load({ recorded: "quota", change });
    expect(lines.filter((line) => line.includes("exceeded quota"))).toHaveLength(1);
    expect(result).toMatchObject({ fix: expect.stringContaining("Use fewer pods (--shards)") });
  });

  test("nodes that are being added are waited for", async () => {
    const change = (objects: string) => objects.replaceAll("FailedScheduling", "TriggeredScaleUp");
    const looks: Look[] = [...Array<Look>(20).fill({ stage: "created" }), { stage: "finished" }];
    const { result, lines } = await load({ recorded: "no-node", change, looks });
    expect(lines.join()).toContain("No node has room");
    expect(result).toMatchObject({ findings: [] });
  });

  test("a pod that ends before the load begins ends the run as well", async () => {
    const { result, folder } = await load({ looks: [{ stage: "created" }], log: ["script exception"] });
    expect(result).toMatchObject({ what: expect.stringMatching(/^A pod ended before the load began .*99/) });
    expect(await readFile(join(folder, "runners.log"), "utf8")).toContain("script exception");
  });

  test("an operator that does not notice the run is named after 30 s", async () => {
    const { result, lines } = await load({ looks: [{}] });
    expect(lines.filter((line) => line.includes("k6-operator does not notice"))).toHaveLength(1);
    expect(result).toMatchObject({ fix: expect.stringContaining("WATCH_NAMESPACE") });
  });

  test.each<[NonNullable<PlayedCluster["recorded"]>, string]>([
    ["no-k6", "k6 executable not found in PATH"],
    ["too-many-pods", "stage error"],
  ])(
    "%s: the stage error has the reason of the pods, not the states of the conditions",
    async (recorded, where) => {
      const { result, folder } = await load({ recorded });
      expect(result).toMatchObject({
        what: expect.stringContaining("could not start"),
        where: expect.stringContaining(where),
      });
      expect(await readdir(folder)).toEqual(
        expect.arrayContaining(["cluster-state.json", "initializer.log"]),
      );
    },
  );
});

describe("pods that end early", () => {
  const killed = (objects: string) =>
    objects
      .replaceAll('"exitCode": 99', '"exitCode": 137')
      .replaceAll('"reason": "Error"', '"reason": "OOMKilled"');

  test("without a result: the reason is that of the cluster", async () => {
    const { result } = await load({ log: ["panic"], change: killed });
    expect(result).toMatchObject({
      what: "The pods left no result",
      where: expect.stringContaining("OOMKilled (exit code 137)"),
      fix: expect.stringContaining("memory"),
    });
  });

  test("some of them: the run is invalid and says which and why", async () => {
    const { result } = await load({ log: logsOf(planned, [0]), change: killed });
    expect(result).toMatchObject({
      verdict: "invalid",
      findings: expect.arrayContaining([
        expect.objectContaining({ code: "pod-ended-early", actual: 137, details: { reason: "OOMKilled" } }),
      ]),
    });
  });

  test("k6 that ends with 99, as in a healthy short run, is no failure", async () => {
    expect((await load()).result).toMatchObject({ findings: [] });
  });

  test("a limit of CPU that the namespace added is noted", async () => {
    const change = (objects: string) =>
      objects
        .replaceAll('"runner": "true"\n   },', '"runner": "true"\n   },')
        .replaceAll(
          '"kind": "Pod",',
          '"kind": "Pod", "spec": {"containers": [{"name": "k6", "resources": {"limits": {"cpu": "300m"}}}]},',
        );
    expect((await load({ change })).result).toMatchObject({
      notes: expect.arrayContaining([{ code: "pod-cpu-limited", actual: 0.3, expected: 0.25 }]),
    });
  });
});

describe("a cluster that is away", () => {
  test("for a minute does not end a run", async () => {
    const looks: Look[] = [
      { stage: "started" },
      ...Array<Look>(6).fill("away"),
      { stage: "started" },
      "away",
      { stage: "finished" },
    ];
    const { result, lines } = await load({ looks });
    expect(result).toMatchObject({ findings: [] });
    expect(lines.filter((line) => line.includes("does not respond"))).toHaveLength(2);
  });

  test("for ten minutes does, and the deletion is tried", async () => {
    const { result, seconds, calls } = await load({ looks: [{ stage: "started" }, "away"] });
    expect(result).toMatchObject({ what: expect.stringContaining("has not responded for 10 min") });
    expect(seconds).toBeGreaterThan(600);
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
  });

  test.each<[Look, string]>([
    ["deleted", "was deleted while it ran"],
    ["forbidden", "may no longer be read"],
  ])("but a final answer is not asked for again: %s", async (look, what) => {
    const { result } = await load({ looks: [{ stage: "started" }, look] });
    expect(result).toMatchObject({ what: expect.stringContaining(what) });
  });

  test("while the logs are read: they are read again", async () => {
    const { result } = await load({
      failing: [["logs --selector k6_cr=*,runner=true", "connection refused", 2]],
    });
    expect(result).toMatchObject({ findings: [] });
  });

  test("while the objects are deleted: it is tried again", async () => {
    const { lines, calls } = await load({ failing: [["delete", "connection refused", 3]] });
    expect((await calls()).filter(isDeletion)).toHaveLength(4);
    expect(lines.at(-1)).toBe(`kubernetes: TestRun ${name} deleted`);
  });

  test("for longer: the command that deletes everything of the run is printed", async () => {
    const { lines } = await load({ failing: [["delete", "connection refused"]] });
    expect(lines.at(-1)).toBe(
      `kubernetes: NOT DELETED: the pods may still send load. Delete them: kubectl delete testruns.k6.io,configmaps --selector app.kubernetes.io/managed-by=shelfcheck,app.kubernetes.io/instance=${name} --namespace perf`,
    );
  });
});

describe("what was created is deleted when", () => {
  test.each<[string, Played, string]>([
    ["the pods leave no result", { log: ["panic"] }, "pods.log"],
    ["kubectl fails to create", { failing: [["create", "error: forbidden"]] }, "error: forbidden"],
    ["kubectl fails to read the logs", { failing: [["logs", "error: container gone"]] }, "container gone"],
  ])("%s", async (_, cluster, where) => {
    const { result, calls } = await load(cluster);
    expect(result).toBeInstanceOf(CannotRunError);
    expect(result).toMatchObject({ where: expect.stringContaining(where) });
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
  });
});

describe("Ctrl-C", () => {
  test.each(["initialization", "created"])("at the stage %s deletes what was created", async (stage) => {
    const { result, calls, lines } = await load({ looks: [{ stage }], interruptAt: stage });
    expect(result).toBeInstanceOf(Error);
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
    expect(lines.join()).toContain("If it stays: kubectl delete testruns.k6.io,configmaps --selector");
  });

  test("during the load keeps what was measured", async () => {
    const looks: Look[] = [{ stage: "started" }, { stage: "started" }];
    const { result, calls } = await load({ looks, interruptAt: "started" });
    expect(result).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "load-interrupted" }],
      metrics: { http_reqs: { count: expect.any(Number) } },
    });
    expect((await calls()).filter((call) => call.includes("--follow"))).toHaveLength(1);
    expect((await calls()).filter(isDeletion)).toHaveLength(1);
  });
});
