import { type BadName, misbehaviours, type Onset, startBadTarget } from "./bad-target.ts";
import type { Cell, CellPlace, Expectation, RunningCommand } from "./cell.ts";

// What must come of each command on each bad target, from its first request on and from the middle on.

type Command = "doctor" | "discover" | "conformance" | "load" | "gate" | "replay";

/** The moments at which a target turns bad, for each command. */
const onsets = {
  doctor: { first: { after: 0, of: "all" } },
  discover: { first: { after: 0, of: "all" }, middle: { after: 20, of: "all" } },
  conformance: { first: { after: 0, of: "all" }, middle: { after: 150, of: "all" } },
  load: { first: { after: 0, of: "all" }, middle: { after: 15, of: "load" } },
  gate: {
    first: { after: 0, of: "all" },
    middle: { after: 150, of: "all" },
    load: { after: 15, of: "load" },
  },
  replay: { first: { after: 0, of: "all" }, middle: { after: 20, of: "all" } },
} as const satisfies Record<Command, Readonly<Record<string, Onset>>>;

type Moment = "first" | "middle" | "load";

const commands: Readonly<Record<Command, readonly string[]>> = {
  doctor: ["doctor"],
  discover: ["discover"],
  conformance: ["conformance"],
  load: ["load"],
  gate: ["gate"],
  replay: ["replay", "latest", "errors.shape"],
};

/** What a bad target is, which decides what each command must say of it. */
type Kind =
  /** Nothing can be asked of it. */
  | "gone"
  /** It is there, and breaks requirements. */
  | "wrong"
  /** It is there, and right where it responds. */
  | "spotty";

interface Row {
  readonly kind: Kind;
  /** What the output must say when it is so from the first request on. */
  readonly says?: RegExp;
  /** Where a command must end otherwise than the kind says. */
  readonly but?: Partial<Record<`${Command} ${Moment}`, Partial<Expectation>>>;
}

const rows = {
  hangs: { kind: "gone", says: /no response came in time/ },
  closes: { kind: "gone", says: /closed before the response/ },
  resets: { kind: "gone", says: /closed before the response/ },
  dies: { kind: "gone", says: /refused|closed before the response/ },
  "half a body": { kind: "gone", says: /closed before the response/ },
  "endless body": { kind: "gone", says: /larger than/ },
  "gzip bomb": { kind: "gone", says: /larger than/ },
  "broken gzip": { kind: "gone", says: /Content-Encoding/ },
  "huge headers": {
    kind: "gone",
    says: /headers/,
    // No sentence of the spec limits headers, and k6 reads these: only the body shows, which may be a product.
    but: { "load middle": { exit: [1, 3] }, "gate load": { exit: [1, 3] } },
  },
  "not HTTP": { kind: "gone", says: /not HTTP/ },
  "slow drip": { kind: "gone", says: /no response came in time/ },
  "503": { kind: "gone", says: /503/ },
  "429 for an hour": { kind: "gone", says: /3,?600 s/ },
  "429 again and again": { kind: "gone", says: /429/ },
  "status 999": {
    kind: "wrong",
    says: /999/,
    but: {
      "discover middle": { exit: [3], says: /999/ },
      // It is not told as passed: the target was gone.
      "replay middle": { exit: [1, 3, 4] },
    },
  },
  "500": {
    kind: "wrong",
    says: /500/,
    but: {
      "discover middle": { exit: [3] },
      "conformance middle": { exit: [1, 3] },
      "replay middle": { exit: [3] },
    },
  },
  HTML: { kind: "wrong", says: /JSON/ },
  redirect: { kind: "wrong", says: /http:\/\/127\.0\.0\.1:9\/login/ },
  "empty body": { kind: "wrong", says: /JSON/ },
  "deep JSON": { kind: "wrong", says: /JSON/ },
  "20 MB of JSON": { kind: "gone", says: /larger than|in time/ },
  "key echoed": { kind: "wrong", says: /JSON/ },
  "hangs on the batch": { kind: "spotty" },
  "2 in 100 hang": { kind: "spotty" },
} as const satisfies Record<BadName, Row>;

/** Of a target of a kind, at a moment: which exit codes are right. */
function expected(kind: Kind, command: Command, moment: Moment): Expectation {
  // What conformance saw before stands; under load a target that was there at first and then fails has failed.
  const failsUnderLoad = (command === "load" && moment === "middle") || moment === "load";
  switch (kind) {
    case "gone":
      return { exit: failsUnderLoad ? [1] : [3], seconds: 60 };
    case "wrong":
      if (failsUnderLoad) return { exit: [1] };
      // What it showed before is worth having; what is missing is told.
      if (moment === "middle" && command === "discover") return { exit: [0, 3] };
      if (moment === "middle") return { exit: command === "replay" ? [1, 4] : [1] };
      return { exit: [3] };
    case "spotty":
      return { exit: [0, 4] };
    default:
      return kind satisfies never;
  }
}

/** Every command on every bad target, at every moment. */
export function targetCells(wanted: readonly Command[]): Cell[] {
  return wanted.flatMap((command) =>
    (Object.keys(misbehaviours) as BadName[]).flatMap((bad) =>
      (Object.entries(onsets[command]) as [Moment, Onset][]).map(([moment, onset]): Cell => {
        const row: Row = rows[bad];
        const says = moment === "first" && row.says !== undefined ? { says: row.says } : {};
        return {
          name: `${command}, ${bad}, ${moment === "first" ? "from the first request" : `${moment === "load" ? "under load" : "from the middle"}`}`,
          expect: { ...expected(row.kind, command, moment), ...says, ...row.but?.[`${command} ${moment}`] },
          run: (place) => runOn(place, bad, onset, commands[command]),
        };
      }),
    ),
  );
}

async function runOn(place: CellPlace, bad: BadName, onset: Onset, argv: readonly string[]) {
  if (argv[0] === "replay") {
    await using fine = await startBadTarget(place.keys, undefined, onset);
    await place.configure(fine);
    await place.start(["conformance", "--only", "errors.shape"]).outcome;
  }
  await using target = await startBadTarget(place.keys, misbehaviours[bad], onset);
  await place.configure(target);
  const address = argv[0] === "replay" ? ["--base-url", target.baseUrl] : [];
  const started: RunningCommand = place.start([...argv, ...address]);
  return await started.outcome;
}
