import { acceptRows } from "./accept.ts";
import { type BadKind, type BadTarget, badTargets, type Onset, startTarget } from "./bad-targets.ts";
import type { RowPlace } from "./place.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// Four commands on every bad target: one that is bad from the first request on, or turns bad later.

type Command = "doctor" | "conformance" | "load" | "gate";
type Moment = "first" | "middle";

const moments: Readonly<Record<Moment, string>> = {
  first: "from the first request",
  middle: "from the middle",
};

/** When a target turns bad under each command. A gate begins as conformance does, so it meets one that turns bad. */
const onsets: Readonly<Record<Command, Readonly<Partial<Record<Moment, Onset>>>>> = {
  doctor: { first: { after: 0, of: "all" } },
  conformance: { first: { after: 0, of: "all" }, middle: { after: 150, of: "all" } },
  load: { first: { after: 0, of: "all" }, middle: { after: 15, of: "load" } },
  gate: { middle: { after: 15, of: "load" } },
};

/** k6 has sent correct load before: what fails then is the target's failure. */
function isUnderLoad(command: Command, moment: Moment): boolean {
  return moment === "middle" && onsets[command].middle?.of === "load";
}

/** The exit codes of a command on a target of a kind that turns bad at a moment. */
function exitsOf(kind: BadKind, command: Command, moment: Moment): Expectation["exit"] {
  switch (kind) {
    case "gone":
      return isUnderLoad(command, moment) ? [1] : [3];
    case "wrong":
      return moment === "first" ? [3] : [1];
    case "flawed":
      return command === "doctor" ? [0] : [1];
    case "fine":
    case "spotty":
      return [0, 4];
    default:
      return kind satisfies never;
  }
}

/** What decides a run that ends with this exit code; nothing for commands that write no results. */
function causeOf(
  exits: Expectation["exit"],
  command: Command,
  underLoad: boolean,
): Pick<Expectation, "cause"> {
  if (command === "doctor" || exits.length > 1) return {};
  if (exits[0] === 3) return { cause: ["problem"] };
  return { cause: [underLoad || command === "load" ? "load-failed" : "requirement-failed"] };
}

/** What is unusual and fine is a notice, which load does not show. */
const showsNotices: ReadonlySet<Command> = new Set<Command>(["doctor", "conformance"]);

function expectationOf(
  { kind, says, finds, isSilent, but }: BadTarget,
  command: Command,
  moment: Moment,
): Expectation {
  const underLoad = isUnderLoad(command, moment);
  const exit = exitsOf(kind, command, moment);
  const exception = but?.[`${command} ${moment}`];
  const mustSay = moment === "first" && (kind !== "fine" || showsNotices.has(command));
  return {
    exit,
    ...(exception === undefined ? causeOf(exit, command, underLoad) : {}),
    ...(mustSay && says !== undefined ? { says } : {}),
    ...(underLoad && finds !== undefined ? { finds } : {}),
    // A gate is several commands; each request that gets no response waits for the whole timeout.
    ...(command === "gate" || (isSilent === true && command === "conformance") ? { seconds: 120 } : {}),
    ...exception,
  };
}

async function runOn(place: RowPlace, { respond, isSilent }: BadTarget, onset: Onset, command: Command) {
  await using target = await startTarget(place.keys, { respond, onset });
  await place.configure({ ...target, ...(isSilent === true ? { timeoutMilliseconds: 3000 } : {}) });
  return await place.start([command]).outcome;
}

/** CI runs conformance on every target that responds, and all commands on one target of each kind; `gate`, the longest, on one. */
const oneOfEachKind: readonly string[] = [
  "closes",
  "500",
  "huge headers, Retry-After, an echo of request headers",
] satisfies (keyof typeof badTargets)[];

const rows = Object.entries(badTargets).flatMap(([name, bad]: [string, BadTarget]) =>
  (Object.keys(onsets) as Command[]).flatMap((command) =>
    (Object.entries(onsets[command]) as [Moment, Onset][]).map(
      ([moment, onset]): AcceptanceRow => ({
        target: `${name}, ${moments[moment]}`,
        command,
        expect: expectationOf(bad, command, moment),
        inCi:
          (oneOfEachKind.includes(name) && (command !== "gate" || name === "500")) ||
          (command === "conformance" && moment === "first" && bad.isSilent === undefined),
        run: (place) => runOn(place, bad, onset, command),
      }),
    ),
  ),
);

acceptRows(rows);
