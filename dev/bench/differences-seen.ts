import type { Target } from "../../conformance/client/target.ts";
import { noting } from "../../proof/effect.ts";
import { changesOf, faults } from "../../proof/table.ts";
import { rounds, type TwinAnswer, verdictsOf } from "../../scripts/twin/answers.ts";
import { type Deployment, openDeployment } from "../../scripts/twin/deployment.ts";
import { collectDifferences } from "../../scripts/twin/differences.ts";
import { failuresOf } from "../../scripts/twin/measure.ts";
import { mismatches } from "../../scripts/twin/observation.ts";
import { probesOf, randomOf, type TwinRequest } from "../../scripts/twin/probes.ts";
import { survey } from "../../scripts/twin/twin-stage.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/start.ts";
import { type Bench, held } from "./bench.ts";

const seeds = ["1", "2", "3"];
/** How often the requests of the latency are repeated: a fault may show now and then. A run of 60 s does it more often. */
const passes = 12;
/** Variants that change nothing but the order of keys, headers or how JSON is written. */
const sameValues = [
  "whole-numbers-with-a-point",
  "escaped-slashes",
  "blanks-around-json",
  "codings-of-its-own",
  "fields-in-other-order",
  "prices-with-exponents",
  "keys-shuffled",
  "caching-headers",
  "header-names-in-capitals",
  "bodies-in-chunks",
  "connections-not-kept",
  "connections-closed-after-errors",
  "limit-headers",
  "compressed",
  "content-type-shouting",
  "indented-json",
  "escaped-json",
];

/** Faults that change no response to a valid request, and why. */
const invalidOnly = {
  "key-in-any-case": "a key in another case is not valid",
} as const;

/** Compares the built-in service with each fault, and with each of these variants, as `twin` compares responses. */
export const twinBench: Bench = {
  summary: "which faults and variants twin sees as a difference, by seed",
  parts: seeds,
  async run({ stdout, signal }, words) {
    const wrong: string[] = [];
    for (const [name, why] of Object.entries(invalidOnly)) stdout.write(`not tried: ${name}, since ${why}\n`);
    for (const seed of (words.length > 0 ? words : seeds).map(Number)) {
      await using service = await running({ seed });
      const outcomeOf = await comparer(service, seed, signal);
      for (const [table, names, unwanted] of [
        ["faults", [...faults.keys()], "same"],
        ["variants", sameValues, "different"],
      ] as const) {
        const outcomes = new Map<string, SeenByTwin>();
        for (const name of names) {
          if (signal.aborted) return 1;
          if (Object.hasOwn(invalidOnly, name)) continue;
          outcomes.set(name, await outcomeOf({ [table]: [name] }));
        }
        for (const [outcome, all] of Map.groupBy(outcomes.keys(), (name) => outcomes.get(name))) {
          const isUsual = outcome === (table === "faults" ? "different" : "same");
          stdout.write(
            `seed ${seed}, ${table}: ${all.length} ${outcome}${isUsual ? "" : ` (${all.join(", ")})`}\n`,
          );
          if (outcome === unwanted) wrong.push(...all);
        }
      }
    }
    return held(
      stdout,
      `faults called same or variants called different: ${wrong.length}`,
      wrong.length === 0,
    )
      ? 0
      : 1;
  },
};

/** `not sent`: no response to a request of `twin` is another one with the fault. */
type SeenByTwin = "different" | "same" | "not sent";

async function comparer(service: RunningService, seed: number, signal: AbortSignal) {
  const { fixtures, keyHeader } = await survey(targetOf(service), {
    maxRequests: 1000,
    maxSeconds: 600,
    signal,
  });
  const probes = probesOf(fixtures, service.keys, randomOf(seed));
  const open = (one: RunningService) =>
    openDeployment({ target: targetOf(one), keyHeader, signal, onWait: () => undefined });
  const old = open(service);
  // The old deployment stays as it is: its answers serve all comparisons.
  const known = new Map<TwinRequest, TwinAnswer[]>();

  async function answerOf(probe: TwinRequest, round: number): Promise<TwinAnswer> {
    const answers = known.get(probe) ?? [];
    known.set(probe, answers);
    answers[round] ??= await old.ask(probe);
    return answers[round];
  }

  async function isDifferent(now: Deployment): Promise<boolean> {
    const differences = collectDifferences({ old: old.redaction, new: now.redaction });
    const all = probes.entries().toArray();
    const timed = all.filter(([, { isTimed }]) => isTimed);
    for (const [place, probe] of [...all, ...Array.from({ length: passes }, () => timed).flat()]) {
      const [first, other] = [await answerOf(probe, 0), await now.ask(probe)];
      if (mismatches(first.observation, other.observation).length === 0) continue;
      const asked = { old: [first], new: [other] };
      for (let round = 1; round <= rounds; round++) {
        asked.new.push(await now.ask(probe));
        asked.old.push(await answerOf(probe, round));
      }
      differences.note(probe.kind, `${place}`, verdictsOf(asked), asked);
      if (differences.count() > 0) return true;
    }
    // The answers of the old deployment are those of one pass, in which nothing failed.
    const failures = now.failures();
    return failuresOf({ old: { ...failures, count: 0 }, new: failures }).outcome === "different";
  }

  return async (names: Parameters<typeof changesOf>[0]): Promise<SeenByTwin> => {
    let isMet = false;
    const onEffect = () => {
      isMet = true;
    };
    const changes = changesOf(names);
    const wire = changes.wire.map((change) => noting(change, onEffect));
    await using changed = await running({ ...changes, wire, keys: service.keys, seed });
    await using now = open(changed);
    return (await isDifferent(now)) ? "different" : isMet ? "same" : "not sent";
  };
}

async function running(options: ServiceOptions): Promise<RunningService & AsyncDisposable> {
  const service = await startService({ ...options, rate: 100_000, burst: 100_000 });
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}

function targetOf(service: RunningService): Target {
  return { ...service, name: "embedded", fieldNames: {}, timeoutMilliseconds: 10_000 };
}
