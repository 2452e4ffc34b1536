import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";
import { acceptRows } from "./accept.ts";
import { type BadKind, type BadTarget, badTargets, type Onset, startTarget } from "./bad-targets.ts";
import { canaryKeys, openPlace, type RowPlace } from "./place.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// Every command on every bad target: one that is bad from the first request on, or turns bad later.

type Command = "doctor" | "conformance" | "load" | "gate" | "replay";
type Moment = "first" | "middle" | "load";

const moments: Readonly<Record<Moment, string>> = {
  first: "from the first request",
  middle: "from the middle",
  load: "under load",
};

/** When a target turns bad under each command. */
const onsets = {
  doctor: { first: { after: 0, of: "all" }, middle: { after: 20, of: "all" } },
  conformance: { first: { after: 0, of: "all" }, middle: { after: 150, of: "all" } },
  load: { first: { after: 0, of: "all" }, middle: { after: 15, of: "load" } },
  gate: {
    first: { after: 0, of: "all" },
    middle: { after: 150, of: "all" },
    load: { after: 15, of: "load" },
  },
  replay: { first: { after: 0, of: "all" }, middle: { after: 20, of: "all" } },
} as const satisfies Record<Command, Readonly<Partial<Record<Moment, Onset>>>>;

/** The exit codes of a command on a target of a kind that turns bad at a moment. */
function exitsOf(kind: BadKind, command: Command, moment: Moment): Expectation["exit"] {
  // k6 has sent correct load before: what fails then is the target's failure.
  const isUnderLoad = moment === "load" || (command === "load" && moment === "middle");
  switch (kind) {
    case "gone":
      return isUnderLoad ? [1] : [3];
    case "wrong":
      if (isUnderLoad) return [1];
      if (moment === "first") return [3];
      if (command === "doctor") return [0, 3];
      return command === "replay" ? [1, 4] : [1];
    case "flawed":
      if (["load", "conformance", "gate"].includes(command)) return [1];
      return command === "replay" ? [0, 1, 4] : [0];
    case "fine":
    case "spotty":
      return [0, 4];
    default:
      return kind satisfies never;
  }
}

/** What decides a run that ends with one of these exit codes; nothing for commands that write no results. */
function causeOf(
  exits: Expectation["exit"],
  command: Command,
  isUnderLoad: boolean,
): Pick<Expectation, "cause"> {
  if (!["conformance", "load", "gate"].includes(command) || exits.length > 1) return {};
  if (exits[0] === 3) return { cause: ["problem"] };
  return { cause: [isUnderLoad || command === "load" ? "load-failed" : "requirement-failed"] };
}

/** What is unusual and fine is a notice, which other commands do not show. */
const showsNotices: ReadonlySet<Command> = new Set<Command>(["doctor", "conformance"]);

function expectationOf(
  { kind, says, finds, isSilent, but }: BadTarget,
  command: Command,
  moment: Moment,
): Expectation {
  const isUnderLoad = moment === "load" || (command === "load" && moment === "middle");
  const exit = exitsOf(kind, command, moment);
  const exception = but?.[`${command} ${moment}`];
  return {
    exit,
    ...(exception === undefined ? causeOf(exit, command, isUnderLoad) : {}),
    ...(moment === "first" && says !== undefined && (kind !== "fine" || showsNotices.has(command))
      ? { says }
      : {}),
    ...(isUnderLoad && finds !== undefined ? { finds } : {}),
    // A gate is several commands; each request that gets no response waits for the whole timeout.
    ...(command === "gate" || (isSilent === true && command === "conformance") ? { seconds: 120 } : {}),
    ...exception,
  };
}

/** A gate under load and a target that goes during discovery are parts of other commands: they run on one target of each kind. */
const partly: ReadonlySet<string> = new Set(["gate load", "doctor middle"]);

/** The run that is replayed, which all rows of `replay` copy; so they have the same keys. */
const replayed = { keys: canaryKeys(), place: undefined as Promise<RowPlace> | undefined };
afterAll(async () => await (await replayed.place)?.[Symbol.asyncDispose]());

async function recordRun(): Promise<RowPlace> {
  const place = await openPlace(replayed.keys, new AbortController().signal);
  await using correct = await startTarget(place.keys);
  await place.configure(correct);
  await place.start(["conformance", "--only", "errors.shape"]).outcome;
  return place;
}

async function runOn(place: RowPlace, { respond, isSilent }: BadTarget, onset: Onset, command: Command) {
  if (command === "replay") {
    replayed.place ??= recordRun();
    const { cwd } = await replayed.place;
    await cp(join(cwd, "reports"), join(place.cwd, "reports"), { recursive: true, verbatimSymlinks: true });
  }
  await using target = await startTarget(place.keys, { respond, onset });
  await place.configure({ ...target, ...(isSilent === true ? { timeoutMilliseconds: 3000 } : {}) });
  // A recorded run names the address of the target that it ran on, which is another one.
  const argv =
    command === "replay" ? ["replay", "latest", "errors.shape", "--base-url", target.baseUrl] : [command];
  return await place.start(argv).outcome;
}

/** CI runs commands that end soon on every target that responds, and all of them on one target of each kind; `gate`, the longest, on one. */
const quick: readonly Command[] = ["doctor", "conformance"];
const oneOfEachKind: readonly string[] = [
  "closes",
  "500",
  "huge headers, Retry-After, an echo of request headers",
] satisfies (keyof typeof badTargets)[];

const rows = Object.entries(badTargets).flatMap(([name, bad]: [string, BadTarget]) =>
  (Object.keys(onsets) as Command[]).flatMap((command) =>
    (Object.entries(onsets[command]) as [Moment, Onset][])
      .filter(([moment]) => oneOfEachKind.includes(name) || !partly.has(`${command} ${moment}`))
      .map(
        ([moment, onset]): AcceptanceRow => ({
          target: `${name}, ${moments[moment]}`,
          command,
          expect: expectationOf(bad, command, moment),
          inCi:
            (oneOfEachKind.includes(name) && (command !== "gate" || name === "500")) ||
            (quick.includes(command) && moment === "first" && bad.isSilent === undefined),
          ...(command === "replay" ? { keys: replayed.keys } : {}),
          run: (place) => runOn(place, bad, onset, command),
        }),
      ),
  ),
);

acceptRows("targets", rows);
