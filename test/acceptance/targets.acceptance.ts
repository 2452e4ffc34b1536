import { type BadKind, type BadTarget, badTargets, type Onset, startTarget } from "./bad-targets.ts";
import { type AcceptanceRow, acceptRows, type Expectation } from "./row.ts";

// Four commands on every bad target: one that is bad from the first request on, or turns bad later.

type Command = "doctor" | "conformance" | "load" | "gate";
type Moment = "first" | "middle";

/** When a target turns bad under each command. A gate begins as conformance does, so it meets one that turns bad. */
const trials: readonly (readonly [Command, Moment, Onset])[] = [
  ["doctor", "first", { after: 0, of: "all" }],
  ["conformance", "first", { after: 0, of: "all" }],
  ["conformance", "middle", { after: 150, of: "all" }],
  ["load", "first", { after: 0, of: "all" }],
  ["load", "middle", { after: 15, of: "load" }],
  ["gate", "middle", { after: 15, of: "load" }],
];

/** The exit codes on a target of a kind. What fails after k6 has sent correct load is the target's failure. */
const exits: Readonly<Record<BadKind, (trial: (typeof trials)[number]) => Expectation["exit"]>> = {
  gone: ([, , { of }]) => (of === "load" ? [1] : [3]),
  wrong: ([, moment]) => (moment === "first" ? [3] : [1]),
  flawed: ([command]) => (command === "doctor" ? [0] : [1]),
  fine: () => [0, 4],
};

function expectationOf(
  { kind, says, finds, isSilent, but }: BadTarget,
  trial: (typeof trials)[number],
): Expectation {
  const [command, moment, { of }] = trial;
  const underLoad = of === "load";
  const exit = exits[kind](trial);
  const failed = underLoad || command === "load" ? "load-failed" : "requirement-failed";
  const exception = but?.[`${command} ${moment}`];
  // Doctor writes no results.
  const hasCause = exception === undefined && command !== "doctor" && exit.length === 1;
  return {
    exit,
    ...(hasCause ? { cause: [exit[0] === 3 ? "problem" : failed] } : {}),
    ...(moment === "first" && says !== undefined ? { says } : {}),
    ...(underLoad && finds !== undefined ? { finds } : {}),
    // A gate is several commands; each request that gets no response waits for the whole timeout.
    ...(command === "gate" || (isSilent === true && command === "conformance") ? { seconds: 120 } : {}),
    ...exception,
  };
}

/** CI runs conformance where it ends at once, all on one wrong target, and load on one of the other kinds. */
function isInCi(name: string, { kind, isSilent }: BadTarget, command: Command, moment: Moment): boolean {
  if (name === ("500" satisfies keyof typeof badTargets)) return true;
  if (name === "closes" || name.startsWith("huge headers")) return command === "load";
  const endsAtOnce = (kind === "gone" || kind === "wrong") && isSilent === undefined && moment === "first";
  return endsAtOnce && command === "conformance";
}

const rows = Object.entries(badTargets).flatMap(([name, bad]: [string, BadTarget]) =>
  trials.map((trial): AcceptanceRow => {
    const [command, moment, onset] = trial;
    return {
      target: `${name}, from the ${moment === "first" ? "first request" : "middle"}`,
      command,
      expect: expectationOf(bad, trial),
      inCi: isInCi(name, bad, command, moment),
      async run(place) {
        await using target = await startTarget(place.keys, { respond: bad.respond, onset });
        await place.configure({ ...target, ...(bad.isSilent === true ? { timeoutMilliseconds: 3000 } : {}) });
        return await place.start([command]).outcome;
      },
    };
  }),
);

acceptRows(rows);
