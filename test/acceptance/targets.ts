import type { Finding } from "../../schemas/contracts/finding.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import { type BadName, misbehaviours, type Onset, startBadTarget } from "./bad-target.ts";
import type { Cell, CellPlace, Expectation } from "./cell.ts";

// Every command on every bad target: one that is bad from the first request on, or turns bad later.

/** A command that is tried on bad targets. */
export type TargetCommand = "doctor" | "discover" | "conformance" | "load" | "gate" | "replay";
type Moment = "first" | "middle" | "load";

const moments: Readonly<Record<Moment, string>> = {
  first: "from the first request",
  middle: "from the middle",
  load: "under load",
};

/** When a target turns bad under each command. */
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
} as const satisfies Record<TargetCommand, Readonly<Partial<Record<Moment, Onset>>>>;

/** The kind of a bad target, which decides the exit code of a command. */
type Kind =
  /** It sends no complete response, or refuses every request. */
  | "gone"
  /** It sends responses that break requirements. */
  | "wrong"
  /** Most of its responses are correct. */
  | "spotty"
  /** Its responses are correct, and larger than Node's client reads. */
  | "unreadable";

interface Row {
  readonly kind: Kind;
  /** Text that the output must contain if the target is bad from the first request on. */
  readonly says?: RegExp;
  /** Codes of which load finds at least one when the target turns bad during it. */
  readonly finds?: readonly Finding["code"][];
  /** It does not respond, so that each request takes the whole timeout. */
  readonly isSilent?: true;
  /** Exit codes that do not follow from the kind. */
  readonly but?: Partial<Record<`${TargetCommand} ${Moment}`, Partial<Expectation>>>;
}

const fails = ["failed-requests"] as const;
const invalid = ["invalid-responses"] as const;
const gone = ["target-gone-under-load", "failed-requests"] as const;
const tooBig = ["response-too-big", "target-gone-under-load", "failed-requests"] as const;

const rows = {
  hangs: { kind: "gone", isSilent: true, says: saysTransport("silent"), finds: gone },
  closes: { kind: "gone", says: saysTransport("reset"), finds: gone },
  resets: { kind: "gone", says: saysTransport("reset"), finds: gone },
  dies: { kind: "gone", says: saysTransport("refused", "reset"), finds: gone },
  "half a body": { kind: "gone", says: saysTransport("reset"), finds: gone },
  "endless body": { kind: "gone", says: saysTransport("too big"), finds: tooBig },
  "gzip bomb": { kind: "gone", says: saysTransport("too big"), finds: tooBig },
  "broken gzip": { kind: "gone", says: saysTransport("undecodable"), finds: fails },
  "huge headers": { kind: "unreadable", says: saysTransport("headers too big") },
  "not HTTP": { kind: "gone", says: saysTransport("not HTTP"), finds: gone },
  "slow drip": { kind: "gone", isSilent: true, says: saysTransport("silent"), finds: gone },
  "503": { kind: "gone", says: /\b503\b/, finds: fails },
  "429 for an hour": { kind: "gone", says: /3,?600 s/, finds: ["rate-limit-reached"] },
  "429 again and again": { kind: "gone", says: /\b429\b/, finds: ["rate-limit-reached"] },
  "status 999": {
    kind: "wrong",
    says: /\b999\b/,
    finds: fails,
    but: {
      "discover middle": { exit: [3], says: /\b999\b/ },
      "replay middle": { exit: [1, 3, 4] },
    },
  },
  "500": {
    kind: "wrong",
    says: /\b500\b/,
    finds: fails,
    but: {
      "discover middle": { exit: [3] },
      "conformance middle": { exit: [1, 3] },
      "replay middle": { exit: [3] },
    },
  },
  HTML: { kind: "wrong", says: /JSON/, finds: invalid },
  redirect: { kind: "wrong", says: /http:\/\/127\.0\.0\.1:9\/login/, finds: fails },
  "empty body": { kind: "wrong", says: /JSON/, finds: invalid },
  "deep JSON": { kind: "wrong", says: /JSON/, finds: invalid },
  "20 MB of JSON": { kind: "gone", says: saysTransport("too big", "silent"), finds: [...invalid, ...tooBig] },
  "key echoed": { kind: "wrong", says: /JSON/, finds: invalid },
  "hangs on the batch": {
    kind: "spotty",
    isSilent: true,
    but: {
      "conformance first": { exit: [4] },
      "conformance middle": { exit: [4] },
      "gate first": { exit: [4], finds: ["no-batch-field"] },
      // A load of batches that all hang has failed.
      "gate middle": { exit: [1], finds: fails },
      "gate load": { exit: [1], finds: fails },
    },
  },
  "2 in 100 hang": {
    kind: "spotty",
    isSilent: true,
    // A smoke load sends one request of a rare kind. If this one hangs, the kind is not measured.
    but: { "load first": { exit: [0, 3, 4] } },
  },
} as const satisfies Record<BadName, Row>;

/** Any of these transport failures, in the words of the reports. */
function saysTransport(...failures: readonly string[]): RegExp {
  const texts = failures.map((failure) => RegExp.escape(transportFailureWords(failure).text));
  return new RegExp(texts.join("|"));
}

/** The exit codes of a command on a target of a kind that turns bad at a moment. */
function exitsOf(kind: Kind, command: TargetCommand, moment: Moment): Expectation["exit"] {
  // k6 has sent correct load before: what fails then is the target's failure.
  const isUnderLoad = moment === "load" || (command === "load" && moment === "middle");
  switch (kind) {
    case "gone":
      return isUnderLoad ? [1] : [3];
    case "wrong":
      if (isUnderLoad) return [1];
      if (moment === "first") return [3];
      if (command === "discover") return [0, 3];
      return command === "replay" ? [1, 4] : [1];
    case "spotty":
      return [0, 4];
    case "unreadable":
      // No sentence of the spec limits headers, and k6 reads these.
      return isUnderLoad ? [0, 4] : [3];
    default:
      return kind satisfies never;
  }
}

/** The cells of a command: every bad target at every moment. */
export function targetCells(command: TargetCommand): Cell[] {
  const entries = Object.entries(onsets[command]) as [Moment, Onset][];
  return (Object.keys(misbehaviours) as BadName[]).flatMap((bad) =>
    entries.map(([moment, onset]) => ({
      name: `${command}, ${bad}, ${moments[moment]}`,
      expect: expectationOf(rows[bad], command, moment),
      run: (place) => runOn(place, bad, onset, command),
    })),
  );
}

function expectationOf(
  { kind, says, finds, isSilent, but }: Row,
  command: TargetCommand,
  moment: Moment,
): Expectation {
  const isUnderLoad = moment === "load" || (command === "load" && moment === "middle");
  return {
    exit: exitsOf(kind, command, moment),
    ...(moment === "first" && says !== undefined ? { says } : {}),
    ...(isUnderLoad && finds !== undefined ? { finds } : {}),
    // Each request that gets no response, and each load of a gate, waits for the whole timeout.
    ...(isSilent === true && (command === "gate" || command === "conformance") ? { seconds: 120 } : {}),
    ...but?.[`${command} ${moment}`],
  };
}

async function runOn(place: CellPlace, bad: BadName, onset: Onset, command: TargetCommand) {
  if (command === "replay") {
    await using correct = await startBadTarget(place.keys, undefined, onset);
    await place.configure(correct);
    await place.start(["conformance", "--only", "errors.shape"]).outcome;
  }
  await using target = await startBadTarget(place.keys, misbehaviours[bad], onset);
  const { isSilent }: Row = rows[bad];
  await place.configure({ ...target, ...(isSilent === true ? { timeoutMilliseconds: 3000 } : {}) });
  // A recorded run names the address of the target that it ran on, which is another one.
  const argv =
    command === "replay" ? ["replay", "latest", "errors.shape", "--base-url", target.baseUrl] : [command];
  return await place.start(argv).outcome;
}
