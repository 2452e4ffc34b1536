import { isLookupOf } from "../lab/exchange.ts";
import {
  type ClientFlaw,
  type ClientRun,
  hadTimeAfter,
  merged,
  type Observed,
  repetitionsOf,
} from "./observation.ts";
import { unsearched } from "./retailers.ts";

/** Errors with the same status are treated alike, whatever their message. */
export function behaviourByMessage(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const errors = unsearched(run).filter(
    ({ response: { status }, end }) => (status === 404 || status === 429) && hadTimeAfter(run, end),
  );
  const findings = [...Map.groupBy(errors, ({ response: { status } }) => status)].flatMap(([status, all]) => {
    const targets = new Set<string>();
    const firstOfEach = all.filter(({ target }) => targets.size < targets.add(target).size);
    const { usual = [], other = [] } = Object.groupBy(firstOfEach, ({ isReworded }) =>
      isReworded ? "other" : "usual",
    );
    if (usual.length < 2 || other.length < 2) return [];
    const [ofUsual, ofOther] = [usual.map(isRepeated), other.map(isRepeated)];
    const areAlike = (answers: readonly boolean[]) => new Set(answers).size === 1;
    if (!areAlike(ofUsual) || !areAlike(ofOther) || ofUsual[0] === ofOther[0]) return [];
    const repeated = ofUsual[0] === true ? "usual" : "other";
    const sighting: ClientFlaw<"message-matters"> = {
      shows: [...usual.slice(0, 2), ...other.slice(0, 2)],
      details: { status, repeated },
    };
    return merged("message-matters", [sighting], {
      total: firstOfEach.length,
      of: "requests",
      count: other.length,
    });
  });
  return { chances: errors.filter(({ isReworded }) => isReworded).length, findings };
}

/** A request that was refused for good is not sent again unchanged. */
export function repeatedRefusals(run: ClientRun): Observed {
  const refused = unsearched(run).filter(({ response: { status } }) => [400, 401, 403, 404].includes(status));
  const [first] = [...Map.groupBy(refused, ({ target }) => target).values()].filter(
    (group) => group.length > 1,
  );
  const seen = { total: refused.length, of: "requests", count: first?.length ?? 0 } as const;
  const flaws =
    first === undefined ? [] : [{ shows: first, details: { status: first[0]?.response.status ?? 0 } }];
  return { chances: refused.length, findings: merged("repeated-refusal", flaws, seen) };
}

/** A request is sent at most so many times while it fails: libraries retry up to 10 times. */
const mostAttempts = 15;

/** A request that fails on the side of the service is not sent again and again without a pause. */
export function hammeredFailures({ exchanges, tasks }: ClientRun): Observed {
  // These are looked up again and again, because the task says so.
  const kept = tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];
  const failed = exchanges.filter(
    (one) =>
      (one.response.status === 502 || one.response.status === 504) &&
      !kept.some((product) => isLookupOf(one, product)),
  );
  const byProcess = Map.groupBy(failed, ({ process, target }) => `${process} ${target}`);
  const [worst] = [...byProcess.values()].toSorted((a, b) => b.length - a.length);
  const [first, last] = [worst?.[0], worst?.at(-1)];
  const isHammered = worst !== undefined && worst.length > mostAttempts;
  const flaws =
    isHammered && first !== undefined && last !== undefined
      ? [
          {
            shows: worst,
            details: { status: first.response.status, withinMilliseconds: Math.round(last.at - first.at) },
          },
        ]
      : [];
  const seen = { total: failed.length, of: "requests", count: worst?.length ?? 0 } as const;
  const lasting = failed.filter(({ situation }) => situation === "lasting-failure");
  return { chances: lasting.length, findings: merged("retried-without-pause", flaws, seen) };
}
