import { Option } from "commander";
import { type ScenarioId, scenarioIds } from "../../../schemas/scenarios.ts";
import { listed } from "../../../schemas/words/format.ts";
import { defaults, resolveSettings, type Settings } from "../../config/settings.ts";
import { resolveK6 } from "../../load/k6/resolve.ts";
import { planLoad, previewLoad, renderPreview } from "../../load/plan.ts";
import { neededByLoad, requireAll } from "../../runs/preflight.ts";
import { conformanceStage } from "../../runs/stages/conformance-stage.ts";
import { canSendBatches, loadStage } from "../../runs/stages/load-stage.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { conformancePlan, renderConformancePlan, selectListed } from "../../runs/stages/selection.ts";
import { type CommandDefinition, print } from "./command.ts";
import { type CommonFlags, nameFrom, ofTarget, type SelectionFlags, withFlags } from "./flags.ts";
import { profileOf } from "./load.ts";

export interface GateFlags extends CommonFlags, SelectionFlags {
  readonly plan?: boolean;
  readonly profile?: string;
  readonly scenario?: readonly ScenarioId[];
  /** Default: false */
  readonly quick?: boolean;
}

/**
 * The selected requirements, and the load to send. A flag overrides the config file, which overrides the
 * defaults.
 * @throws UsageError for an unknown name, with its flag or key, and for no requirement; as planLoad.
 */
export function planGate(
  flags: GateFlags,
  settings: Pick<Settings, "choice" | "gate" | "file" | "profiles">,
) {
  const { gate, file, choice } = settings;
  const from = (name: "only" | "skip" | "profile") =>
    flags[name] === undefined && gate[name] !== undefined ? `${file}, gate.${name}` : `--${name}`;
  const { only = gate.only ?? [], skip = gate.skip ?? [], quick: isQuick = false } = flags;
  const scenarios = new Set(flags.scenario ?? gate.scenarios ?? defaults.gateScenarios);
  selectListed({ only, skip }, { only: from("only"), skip: from("skip") });
  const isShort = isQuick || choice.kind === "embedded";
  const loads = [...scenarios].map((scenario) => {
    const usual = isShort || scenario === "rate-limit" ? undefined : "gate";
    const name = flags.profile ?? (isQuick ? undefined : gate.profile) ?? usual;
    const { profileName, profile } = profileOf(scenario, name, settings, from("profile"));
    const share = gate.failures?.share;
    const limited =
      share === undefined
        ? profile
        : { ...profile, thresholds: { ...profile.thresholds, failedShare: share } };
    return planLoad({ scenario, profileName, profile: limited }, choice.target);
  });
  return { only, skip, loads };
}

/** `gate`: conformance and then load, with one verdict, for CI. */
export const gate: CommandDefinition<GateFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime", "only", "skip")
      .option("--plan", "list the checks and loads with what each may send, and send nothing")
      .option(
        "--scenario <name>",
        `load scenario: ${scenarioIds.join(", ")}; may be repeated (default: ${listed([...defaults.gateScenarios])})`,
        nameFrom(scenarioIds),
      )
      .addOption(
        new Option(
          "--profile <name>",
          "load profile: how much and how long (default: gate; probe for rate-limit, else smoke on embedded)",
        ).conflicts("quick"),
      )
      .option("--quick", "send a load of a few seconds, which is too short to judge failures"),
  run: async (flags, io, _operands, additions) => {
    const settings = await resolveSettings(flags, io);
    const { only, skip, loads } = planGate(flags, settings);
    if (flags.plan === true) {
      const previews = loads.map(previewLoad);
      const value = { conformance: conformancePlan({ only, skip }, settings.maxSeconds), loads: previews };
      const text = () =>
        [renderConformancePlan(value.conformance), ...previews.map(renderPreview)].join("\n");
      print(io, flags.json, { value, text });
      return 0;
    }
    await requireAll(neededByLoad(settings, io));
    const begun = { settings, io, isPartial: only.length + skip.length > 0 };
    const comparisons = await Promise.all(additions.map((one) => one.begin?.(flags, begun)));
    return recordRun({ command: "gate", settings, io, json: flags.json === true }, async (run) => {
      const { progress, signal, state } = run;
      const { toolEnv: env } = settings;
      const findK6 = () => resolveK6({ env, progress, signal });
      // An unusable K6_BIN is reported now rather than after the suite.
      if (io.env.K6_BIN) await findK6();
      const fixtures = await conformanceStage(run, { only, skip });
      if (state.problem !== undefined || signal.aborted) {
        progress("load: skipped, because conformance did not finish");
        return;
      }
      // What is compared is compared before load, so that a missing k6 does not prevent it.
      for (const compare of comparisons) compare?.(run);
      if (fixtures.products.length === 0) {
        // This is not an error. The requirements that were not judged state why there is no product.
        progress("load: skipped, because no usable products were found");
        state.notices.push({ code: "no-products-to-load" });
        return;
      }
      const plans = loads.filter(({ scenario }) => canSendBatches(scenario, fixtures));
      if (plans.length < loads.length) {
        progress("load: none with batches, because the request field of batch lookup was not discovered");
        state.notices.push({ code: "no-batch-field" });
      }
      if (plans.length === 0) return;
      await loadStage(run, { env, k6: await findK6(), plans, fixtures, probe: settings.profiles.probe });
    });
  },
};
