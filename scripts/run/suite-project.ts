import type { ProjectConfig } from "vitest/node";

/**
 * The vitest project of the suite, which meets a target. One worker for all files: they share the client, and
 * with it the target's rate limit and the budget.
 */
export const suiteProject = {
  name: "conformance",
  // Sources in a checkout, JavaScript in the package.
  include: ["conformance/suite/*.check.{ts,js}"],
  // vitest would leave out, and not transform, what lies under node_modules, as the package does.
  exclude: [],
  server: { deps: { inline: [/\.check\.[jt]s$/] } },
  environment: "node",
  pool: "threads",
  isolate: false,
  fileParallelism: false,
  maxWorkers: 1,
  // The client bounds every request and the budget their number; a wait that the target asks for may be long.
  testTimeout: 900_000,
  hookTimeout: 60_000,
} satisfies ProjectConfig;
