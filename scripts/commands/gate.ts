import { keyFingerprint } from "../../conformance/client/target.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { resolveSettings } from "../config/settings.ts";
import {
  driftSince,
  readBaseline,
  targetNameOf,
  waiverResults,
  waiversInForce,
} from "../earlier/baseline.ts";
import { compareWithRecorded } from "../earlier/recorded-latency.ts";
import { resolveK6 } from "../load/k6/resolve.ts";
import { conformanceStage } from "../run/conformance.ts";
import { loadStage } from "../run/load-stage.ts";
import { recordRun } from "../run/record.ts";
import { defineCommand } from "./command.ts";
import { type CommonFlags, withBaseline, withMaxRequests, withOut, withTargetFlags } from "./flags.ts";

/** `gate`: conformance, then the smoke load, in one verdict: what CI runs before a release. */
export const gate = defineCommand<CommonFlags>({
  flags: (command) => withMaxRequests(withBaseline(withOut(withTargetFlags(command)))),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    requireLoadAllowed(settings.choice, "load");
    const { maxRequests } = settings;
    const baseline = await readBaseline(settings, io);
    const startedAt = io.now().toISOString();
    return recordRun({ command: "gate", settings, io, json: flags.json === true }, async (run) => {
      const { progress, signal, learned } = run;
      const k6Options = { env: settings.toolEnv, progress, signal };
      // A K6_BIN that will not do is known at once: better told now than after the suite.
      if (io.env.K6_BIN) await resolveK6(k6Options);
      // k6 may have to be fetched or built: that goes on beside the suite, which needs the target and not the CPU.
      // allSettled, so that neither is left running, or its failure unheard, when the other one fails.
      const [suite, k6] = await Promise.allSettled([
        conformanceStage(run, { only: [], skip: [], maxRequests, baseline }),
        resolveK6(k6Options),
      ]);
      if (suite.status === "rejected") throw suite.reason;
      const loadFixtures = suite.value;
      if (learned.problem !== undefined || signal.aborted) {
        progress("load: skipped, conformance did not reach its end");
        return;
      }
      // The contract is known as soon as the suite is through: no k6 and no load keeps it from being compared.
      if (baseline.recorded === undefined) {
        progress(
          `no contract of ${targetNameOf(settings)} is recorded in ${settings.baselineShown}; to record it: shelfcheck baseline accept latest`,
        );
      } else {
        const met = { ...learned, target: { keyFingerprint: keyFingerprint(run.target.keys.primary) } };
        learned.drift = driftSince(baseline.recorded, met);
      }
      if (k6.status === "rejected") throw k6.reason;
      if (loadFixtures.products.length === 0) {
        learned.problem = {
          what: "There was nothing to send load with",
          where: "the products that conformance discovered: none",
          fix: "Name categories that have products (--category), or give a key that may see some.",
        };
        return;
      }
      const recorded = baseline.recorded?.load;
      const scenarios = ["lookup", "paging", "batch"] as const;
      await loadStage(run, {
        env: settings.toolEnv,
        k6Path: k6.value.path,
        scenarios,
        profileName: "smoke",
        profile: settings.profiles.smoke ?? profiles.smoke,
        fixtures: loadFixtures,
        waivers: waiversInForce(baseline),
        compare: (measured) =>
          recorded && compareWithRecorded(recorded, measured, startedAt, { scenarios: scenarios.length }),
      });
      // Those of thresholds are known now.
      if (learned.waivers !== undefined) learned.waivers = waiverResults(baseline, learned);
    });
  },
});
