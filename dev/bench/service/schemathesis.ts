import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startService } from "../../../service/start.ts";
import type { BenchIo } from "../bench.ts";
import type { TableRow } from "./table.ts";
import { installTool } from "./tools.ts";

const run = promisify(execFile);

/** Findings that are not defects, each with the sentence of the spec that allows it. */
const setAside = [
  {
    code: "ST202",
    operation: "GET /products",
    sentence:
      "`gtin` and `url` are mutually exclusive. Exactly one identifier per request. (OpenAPI cannot say so.)",
  },
  {
    code: "ST202",
    operation: "GET /products/{retailer}/{product_id}",
    sentence: "A slug that does not exist gives 400 (`bad_request`).",
  },
] as const;

interface SchemathesisReport {
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly {
    readonly code: string;
    readonly title: string;
    readonly operations: readonly string[];
  }[];
}

/** Runs Schemathesis over the OpenAPI document. */
export async function benchSchemathesis({ env, signal }: BenchIo): Promise<TableRow[]> {
  const st = await installTool("schemathesis", { env, signal });
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-schemathesis-"));
  const service = await startService({ rate: 1e9, burst: 1e9 });
  try {
    const report = join(folder, "report.json");
    const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const args = ["--config-file", here("schemathesis.toml"), "run", here("../../../schemas/openapi.json")];
    args.push("--url", service.baseUrl, "--checks", "all", "--continue-on-failure");
    args.push("--report", "json", "--report-json-path", report);
    const childEnv = { ...env, SHELFCHECK_API_KEY: service.keys.primary };
    // It exits with 1 for any finding, set aside or not; the report decides.
    await run(st, args, { cwd: folder, env: childEnv, signal, maxBuffer: 2 ** 26 }).catch(
      (error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === 1)) throw error;
      },
    );
    return judge(JSON.parse(await readFile(report, "utf8")) as SchemathesisReport);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function judge({ test_cases, failures }: SchemathesisReport): TableRow[] {
  const found = failures.flatMap(({ code, title, operations }) =>
    operations.map((operation) => ({ code, title, operation })),
  );
  const reasonOf = (finding: { code: string; operation: string }) =>
    setAside.find(({ code, operation }) => code === finding.code && operation === finding.operation)
      ?.sentence;
  const real = found.filter((finding) => reasonOf(finding) === undefined);
  return [
    ["requests made up", String(test_cases.generated), ">= 100"],
    ["findings", String(found.length), ""],
    ...found.map(
      (finding): TableRow => [
        `  ${finding.code} ${finding.title}, ${finding.operation}: ${reasonOf(finding) ?? "A DEFECT"}`,
        "",
        "",
      ],
    ),
    ["findings that are defects", String(real.length), "<= 0"],
  ];
}
