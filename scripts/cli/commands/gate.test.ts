import { expect, test } from "vitest";
import type { Target } from "../../../conformance/client/target.ts";
import { type ProfileName, profiles } from "../../../scenarios/profiles.ts";
import type { Config } from "../../../schemas/contracts/config.ts";
import type { ScenarioId } from "../../../schemas/scenarios.ts";
import type { LoadPermission } from "../../config/load-permission.ts";
import { planLoad } from "../../load/plan.ts";
import { type GateFlags, planGate } from "./gate.ts";

const file = "shelfcheck.config.ts";
const settings = ({ gate = {}, profiles = {} }: Pick<Config, "gate" | "profiles">) => ({
  choice: {
    kind: "remote",
    target: { name: "staging" } as Target,
    permission: {} as LoadPermission,
  } as const,
  gate,
  profiles,
  file,
});

const load = (scenario: ScenarioId, profileName: ProfileName) =>
  planLoad({ scenario, profileName, profile: profiles[profileName] });

test("by default: every requirement, and the mixed load until its failures are judged", () => {
  expect(planGate({}, settings({}))).toEqual({ only: [], skip: [], loads: [load("mixed", "gate")] });
});

test("a quick one, and one of the built-in service, are short", () => {
  const embedded = { kind: "embedded" } as const;
  const loads = [load("mixed", "smoke")];
  expect(planGate({ quick: true }, settings({ gate: { profile: "average" } })).loads).toEqual(loads);
  expect(planGate({}, { ...settings({}), choice: embedded }).loads).toEqual(loads);
});

test("the share of the config replaces that of the profile", () => {
  const { loads } = planGate({}, settings({ gate: { failures: { share: 0.03 } } }));
  expect(loads[0]?.profile.thresholds.failedShare).toBe(0.03);
});

test("the file overrides the default, and a flag overrides the file, each setting separately", () => {
  const fromFile = settings({
    gate: { profile: "average", scenarios: ["mixed"], only: ["errors"], skip: ["errors.shape"] },
  });
  const plan = { loads: [load("mixed", "average")], only: ["errors"], skip: ["errors.shape"] };
  expect(planGate({}, fromFile)).toMatchObject(plan);
  const flags: [GateFlags, object][] = [
    [{ profile: "stress" }, { loads: [load("mixed", "stress")] }],
    [
      { scenario: ["batch", "lookup", "batch"] },
      { loads: [load("batch", "average"), load("lookup", "average")] },
    ],
    [{ only: ["query"] }, { only: ["query"] }],
    [{ skip: ["errors.retry-after"] }, { skip: ["errors.retry-after"] }],
  ];
  for (const [flag, changed] of flags)
    expect(planGate(flag, fromFile)).toMatchObject({ ...plan, ...changed });
});

test("each scenario has its own default profile", () => {
  expect(planGate({ scenario: ["lookup", "rate-limit"] }, settings({})).loads).toEqual([
    load("lookup", "gate"),
    load("rate-limit", "probe"),
  ]);
});

test("a profile in the file replaces the built-in one of the same name", () => {
  const own = { ...profiles.gate, description: "Ours." };
  const { loads } = planGate({}, settings({ profiles: { gate: own } }));
  expect(loads[0]?.profile).toEqual(own);
});

test.each<[GateFlags, Config["gate"], where: string, fix: string]>([
  [{ profile: "smoky" }, undefined, "--profile", "Did you mean smoke?"],
  [{}, { profile: "smoky" }, `${file}, gate.profile`, "Did you mean smoke?"],
  [{ only: ["errors.shap"] }, undefined, "--only errors.shap", "Did you mean errors.shape?"],
  [{}, { only: ["errors.shap"] }, `${file}, gate.only errors.shap`, "Did you mean errors.shape?"],
  [{}, { skip: ["errorz"] }, `${file}, gate.skip errorz`, "Did you mean errors?"],
  [{ only: ["errors"] }, { skip: ["errors"] }, `--only errors ${file}, gate.skip errors`, "Change one"],
])("%j with %j in the file is an error: %s", (flags, gate, where, fix) => {
  const plan = () => planGate(flags, settings(gate === undefined ? {} : { gate }));
  expect(plan).toThrow(
    expect.objectContaining({ name: "UsageError", where, fix: expect.stringContaining(fix) }),
  );
});
