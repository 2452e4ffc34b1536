import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { startLab } from "../../clients/lab/lab.ts";
import { observations } from "../../clients/observations/observations.ts";

// Client programs of two languages on the reference service, one with kept connections and one with a new one for each
// request: careful ones, which nothing is found of, and ones with a flaw each, which is found where it belongs.

const interpreters = { "catalog-client.py": "python3", "curl-client.sh": "bash" } as const;

interface Row {
  readonly program: keyof typeof interpreters;
  readonly style?: string;
  readonly flaw?: string;
  /** Observations that find something. Others find nothing. */
  readonly found: readonly string[];
}

const waits = "limits.respect/waits";
const goesOn = "limits.sent-again/after-the-wait";
const cursor = "page.opaque-cursor/unchanged";
const toTheEnd = "query.follow-cursor/to-the-end";
const repeats = "errors.final-refusals/not-repeated";
const inHeader = "authentication.key-in-header/sent";
/** What another message or other fields may have stopped. */
const tolerance = "not judged: product.tolerant-reader/goes-on";
const wording = "not judged: error-body.wording/goes-on";
const elsewhere = "authentication.key-in-header/nowhere-else";

const flawsInPython: Readonly<Record<string, readonly string[]>> = {
  "asks-after-the-end": ["query.follow-cursor/stops"],
  "keeps-asking-a-retailer": ["retailer.no-hard-coding/after-leaving"],
  "retries-by-message": ["errors.branch-on-code/same-behaviour", repeats],
  "refuses-unknown-fields": [tolerance],
  "key-in-the-batch": [elsewhere],
  "browser-headers": ["service.server-side-only/no-browser"],
  "hammers-502": ["errors.patient-retries/gives-up"],
  "never-lists-retailers": ["retailer.no-hard-coding/listed"],
  "backs-off-without-retry-after": [waits],
  "caps-the-wait": [waits],
  "takes-milliseconds": [waits],
  "other-thread-goes-on": [waits],
  // Each thread keeps the waits that it met itself.
  "waits-alone": [waits],
  "drops-refused-requests": [waits, goesOn],
  "key-only-in-the-query": [inHeader, elsewhere, repeats],
  "batch-as-form": ["service.json-requests/body", "service.request-content-type/batch"],
  "batch-as-text": ["service.request-content-type/batch"],
  "stops-at-other-message": [wording],
  "sends-category-too": ["query.one-identifier/one"],
  "needs-the-price": [tolerance],
  "plus-not-escaped": [cursor],
  "lower-case-cursor": [cursor],
  "until-empty-page": [toTheEnd],
  "until-count-is-small": [toTheEnd],
  "one-large-batch": ["batch.most-items/at-most-50"],
  "killed-in-a-walk": [],
};

const flawsInBash: Readonly<Record<string, readonly string[]>> = {
  "half-a-second": [waits],
  "escapes-slugs-twice": ["not judged: retailer.no-hard-coding/listed"],
  "exits-in-a-walk": [],
};

const stylesInPython = ["sequential", "threads", "processes", "hedged", "burst"] as const;

const careful: readonly Row[] = [
  ...stylesInPython.map((style): Row => ({ program: "catalog-client.py", style, found: [] })),
  { program: "curl-client.sh", style: "sequential", found: [] },
];

const faulty: readonly Row[] = [
  ...rowsOf("catalog-client.py", flawsInPython),
  ...rowsOf("curl-client.sh", flawsInBash),
];

function rowsOf(program: Row["program"], flaws: Readonly<Record<string, readonly string[]>>): Row[] {
  return Object.entries(flaws).map(([flaw, found]) => ({ program, flaw, found }));
}

/** Runs a client program in a lab of its own; returns the observations that found something. */
async function foundIn({ program, style = "sequential", flaw = "" }: Row, seed: number): Promise<string[]> {
  const lab = await startLab({ seed, keepSeconds: 3 });
  try {
    const script = fileURLToPath(new URL(`clients/${program}`, import.meta.url));
    const client = spawn(interpreters[program], [script], {
      env: {
        PATH: process.env.PATH,
        SHELFCHECK_BASE_URL: lab.baseUrl,
        SHELFCHECK_API_KEY: lab.key,
        SHELFCHECK_TASK: JSON.stringify(lab.document),
        CLIENT_STYLE: style,
        CLIENT_FLAW: flaw,
      },
      // A client that stops in the middle says so.
      stdio: "ignore",
    });
    const [code] = await once(client, "exit");
    const run = {
      exchanges: lab.exchanges(),
      tasks: lab.tasks,
      key: lab.key,
      stalls: lab.stalls,
      ended: code === 0 ? ("done" as const) : ("stopped" as const),
      workers: style === "processes" ? 2 : 1,
    };
    return observations.flatMap(({ id, look }) => {
      const { finding, reason, chances } = look(run);
      const isUnjudged = chances === 0 && (reason !== undefined || id.endsWith("/goes-on"));
      return finding !== undefined ? [id] : isUnjudged ? [`not judged: ${id}`] : [];
    });
  } finally {
    await lab.stop();
  }
}

/** Further seeds: `CLIENT_SEEDS=1,2,3 npm run acceptance -- clients`. */
const seeds = (process.env.CLIENT_SEEDS ?? "1").split(",").map(Number);

describe.for(seeds)("seed %i", (seed) => {
  test.concurrent.for(careful)("$program, $style: nothing is found", async (row, { expect: own }) => {
    own(await foundIn(row, seed)).toEqual([]);
  });

  test.concurrent.for(faulty)("$program, $flaw: $found", async (row, { expect: own }) => {
    const { found } = row;
    const seen = await foundIn(row, seed);
    // Most flaws keep a client from doing all of its tasks.
    const isOther = (id: string) => found.includes(id) || ![tolerance, wording].includes(id);
    own(seen.filter(isOther).toSorted()).toEqual(found.toSorted());
  });
});

test("every observation that a program can break is broken by one", () => {
  const broken = new Set(faulty.flatMap(({ found }) => found));
  // A client that stops has broken nothing by that: these are not judged then.
  const others = ["product.tolerant-reader/goes-on", "error-body.wording/goes-on"];
  expect(observations.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual(others);
});
