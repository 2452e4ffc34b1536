import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { planLoad } from "../load/plan.ts";
import {
  type ManifestRequest,
  manifestsFor,
  nextSteps,
  podConnection,
  podSize,
  writeManifests,
} from "./manifests.ts";

const request: ManifestRequest = {
  run: "ab12cd",
  plan: {
    ...planLoad({ scenario: "lookup", profileName: "My Profile!", profile: profiles.average }),
    shards: 4,
  },
  fixtures: sampleFixtures(),
  connection: { baseUrl: "https://catalog.example/v1", variables: [], files: {}, leavesProxyOut: false },
};
const files = { "lookup.js": "export default 1", "fixtures.json": "{}", "profile.json": "{}" };

interface TestRun {
  kind: string;
  spec: {
    runner: { env: { name: string; value?: string }[] };
  };
}

const folder = await temporaryFolder("manifests-test");

describe("a TestRun", () => {
  test("takes script, fixtures and profile from a ConfigMap of the same name", () => {
    expect(manifestsFor(request, files)).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "shelfcheck-lookup-my-profile-ab12cd" }, data: files },
      {
        kind: "TestRun",
        spec: {
          parallelism: 4,
          script: { configMap: { name: "shelfcheck-lookup-my-profile-ab12cd", file: "lookup.js" } },
        },
      },
    ]);
  });

  test("complies with the Pod Security Standard restricted, and every container has limits but for the CPU of the load", () => {
    const { spec } = manifestsFor(request, files)[1] as { spec: Record<string, object> };
    for (const pod of ["starter", "runner"]) {
      expect(spec[pod]).toMatchObject({
        automountServiceAccountToken: "false",
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        resources: { limits: { memory: expect.any(String) } },
      });
    }
  });

  // The excerpt stands beside this test; the operator's whole file may be named instead.
  const definition = process.env.K6_OPERATOR_CRD ?? join(import.meta.dirname, "k6-operator-testrun.yaml");
  test("fits the operator's own definition", async () => {
    const crd = parse(await readFile(definition, "utf8")) as {
      spec: { versions: { name: string; schema: { openAPIV3Schema: object } }[] };
    };
    const validate = new Ajv({ strict: false, validateFormats: false }).compile<object>(
      closed(
        crd.spec.versions.find(({ name }) => name === "v1alpha1")?.schema.openAPIV3Schema ?? {},
      ) as object,
    );
    const testRun = manifestsFor(request, files).at(-1);
    expect(validate(testRun) || validate.errors).toBe(true);
    expect(validate({ ...testRun, spec: { parallelism: "4" } })).toBe(false);
    const { spec } = testRun as { spec: object };
    expect(validate({ ...testRun, spec: { ...spec, paralelism: 4 } })).toBe(false);
  });
});

describe("the connection to the target", () => {
  const secretValue = "value-of-the-gateway-secret";
  const proxyPassword = "password-of-the-proxy";
  const through = async (proxy: string) => ({
    ...request,
    connection: podConnection({
      baseUrl: "https://127.0.0.1:8443/v1",
      connection: {
        proxy,
        headers: [
          { name: "CF-Access-Client-Secret", value: secretValue, variable: "CF_SECRET" },
          { name: "X-Env", value: "staging" },
        ],
        http2: false,
        requestIdHeader: "X-Request-Id",
        ca: ["-----BEGIN CERTIFICATE-----"],
        clientCertificate: "certificate of the client",
        clientKey: "private key of the client",
      },
    }),
  });

  test("is in the sending pods, its secrets by reference only", async () => {
    const withPassword = await through(`http://qa:${proxyPassword}@proxy.internal:3128/`);
    const manifests = manifestsFor(withPassword, { ...files, ...withPassword.connection.files });
    const [configMap, testRun] = manifests as [{ data: object }, TestRun];
    const ofSecret = (key: string) => ({ valueFrom: { secretKeyRef: { name: "shelfcheck", key } } });
    expect(testRun.spec.runner.env).toEqual(
      expect.arrayContaining([
        { name: "SHELFCHECK_BASE_URL", value: "https://127.0.0.1:8443/v1" },
        { name: "SHELFCHECK_API_KEY", ...ofSecret("api-key") },
        { name: "SHELFCHECK_HEADERS", value: "CF-Access-Client-Secret=CF_SECRET,X-Env=SHELFCHECK_HEADER_2" },
        { name: "SHELFCHECK_HEADER_2", value: "staging" },
        { name: "SHELFCHECK_REQUEST_ID_HEADER", value: "X-Request-Id" },
        { name: "SSL_CERT_DIR", value: "/test:/etc/ssl/certs" },
        { name: "GODEBUG", value: "http2client=0" },
        { name: "CF_SECRET", ...ofSecret("CF_SECRET") },
        { name: "SHELFCHECK_CLIENT_CERTIFICATE", ...ofSecret("client-certificate") },
        { name: "SHELFCHECK_CLIENT_KEY", ...ofSecret("client-key") },
        { name: "HTTPS_PROXY", ...ofSecret("proxy-url") },
      ]),
    );
    expect(configMap.data).toMatchObject({ "authorities.pem": "-----BEGIN CERTIFICATE-----" });
    const steps = nextSteps(withPassword, { file: "my dir/lookup.json", cwd: "." });
    expect(steps).toContain("ci/kubernetes.sh 'my dir/lookup.json' NAMESPACE");
    for (const secret of [secretValue, proxyPassword, "private key of the client"])
      expect(JSON.stringify(manifests) + steps).not.toContain(secret);
    expect(steps).toContain("--from-file=CF_SECRET=PATH");
    expect(steps).toContain("--from-file=proxy-url=PATH");
  });

  test("leaves out the authorities of this machine's system", async () => {
    const { files: none } = podConnection({
      baseUrl: "https://catalog.example/v1",
      connection: { ca: ["of the system"], caOfSystem: ["of the system"] },
    });
    expect(none).toEqual({});
  });

  test("leaves out a proxy of this machine, and says so", async () => {
    const { connection } = await through("http://127.0.0.1:3128/");
    expect(JSON.stringify(connection.variables)).not.toContain("3128");
    const steps = nextSteps({ ...request, connection }, { file: "m/lookup.json", cwd: "." });
    expect(steps).toContain("The proxy of this machine is not in the manifests");
  });
});

/** Kubernetes prunes what a definition does not name: closed here, so that a misspelt field is an error. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const isOpen = "additionalProperties" in copy || "x-kubernetes-preserve-unknown-fields" in copy;
  const named =
    "properties" in copy && copy.type === "object" && Object.keys(copy.properties ?? {}).length > 0;
  return named && !isOpen ? { ...copy, additionalProperties: false } : copy;
}

test("written manifests are one list in JSON, with the files of the run", async () => {
  const path = await writeManifests(folder, request);
  const { items } = JSON.parse(await readFile(path, "utf8")) as {
    items: [{ data: Record<string, string> }, TestRun];
  };
  const [{ data }] = items;
  expect(Object.keys(data).sort()).toEqual(["fixtures.json", "lookup.js", "profile.json"]);
  expect(JSON.parse(data["fixtures.json"] ?? "")).toEqual(sampleFixtures());
  expect(data["lookup.js"]).toContain("schedule_lag");
});

const profile = { ...profiles.average, stages: constantRate(10_000, 60), virtualUsers: 2000 };
const load = { ...planLoad({ scenario: "lookup", profileName: "test", profile }), shards: 4 };

test("the memory of a pod is limited, and its CPU is not", () => {
  expect(podSize(load)).toEqual({
    resources: { requests: { cpu: "900m", memory: "756Mi" }, limits: { memory: "1512Mi" } },
    collector: { GOGC: "100", GOMEMLIMIT: "1347629875B" },
  });
});
