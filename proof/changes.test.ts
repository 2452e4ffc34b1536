import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { watchPermissions } from "../service/access.ts";
import { createApp } from "../service/app.ts";
import { changeCounter, openDatabase } from "../service/catalog/database.ts";
import { cachedCatalog, sqliteCatalog } from "../service/catalog/sqlite.ts";
import { createCursors } from "../service/cursor.ts";
import { createLimiter } from "../service/limiter.ts";
import { createSteps } from "../service/steps.ts";
import { issueStartKeys, type Keys, stockGenerated } from "../service/stock.ts";
import { applyChanges, type Send, type WireResponse } from "../service/wire.ts";
import { createProbeClient, findSubjects, probe, type Subjects } from "../test/support/probes.ts";
import { changesOf, faults, variants } from "./table.ts";

type Names = Parameters<typeof changesOf>[0];

const all = "the key to every retailer";
let database: DatabaseSync;
let keys: Keys;
let subjects: Subjects;
let unchanged: Send;
const honest = new Map<string, string>();

beforeAll(async () => {
  database = openDatabase(":memory:");
  stockGenerated(database, 150, 1);
  keys = issueStartKeys(database);
  unchanged = remembering(limitedService(1_000_000));
  subjects = await findSubjects(createProbeClient(unchanged, keys, new Map()));
  await probe(createProbeClient(unchanged, keys, honest), subjects);
});
afterAll(() => database.close());

/** The changes around the known responses of the reference service. */
function serviceWith(names: Names): Send {
  return applyChanges(unchanged, changesOf(names).wire, { ...keys, all });
}

/** Sends each request once: the same request gets the same response from the unchanged service. */
function remembering(send: Send): Send {
  const responses = new Map<string, Promise<WireResponse>>();
  return (request) => {
    const name = JSON.stringify({ ...request, body: request.body.toString("latin1") });
    const response = responses.get(name) ?? send(request);
    responses.set(name, response);
    return response;
  };
}

/** The reference service without a socket, with a limit of `rate` requests at once and per second. */
function limitedService(rate: number, burst = rate): Send {
  const version = changeCounter(database);
  const sources = {
    permissions: watchPermissions(database, version, all),
    catalog: cachedCatalog(sqliteCatalog(database), version),
    limiter: createLimiter(rate, burst),
    cursors: createCursors(Buffer.alloc(32, 7)),
  };
  return createApp(createSteps(sources)).send;
}

async function notesOf(names: Names): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  await probe(createProbeClient(serviceWith(names), keys, notes), subjects);
  return notes;
}

class Difference extends Error {}

/** Whether a response differs from the honest one. The probe ends at the first difference. */
async function showsInAResponse(names: Names): Promise<boolean> {
  const compared = {
    set(label: string, note: string) {
      if (honest.get(label) !== note) throw new Difference(label);
    },
  };
  try {
    await probe(createProbeClient(serviceWith(names), keys, compared), subjects);
    return false;
  } catch (error) {
    if (error instanceof Difference) return true;
    throw error;
  }
}

const isAtLimit = (name: string) =>
  /limit-is|limit-per|limit-of|limit-headers|tight-limit|retry|429/.test(name);
const named = (table: ReadonlyMap<string, unknown>, atLimit: boolean) =>
  [...table.keys()].filter((name) => isAtLimit(name) === atLimit);

describe("a fault or variant", () => {
  it("leaves no trace when there is none", async () => {
    const notes = new Map<string, string>();
    await probe(createProbeClient(limitedService(1_000_000), keys, notes), subjects);
    expect(notes).toEqual(honest);
    expect(await showsInAResponse({})).toBe(false);
  });

  it("is the same in whatever order variants are named", async () => {
    const names = ["batch-found-wrapped", "gtin-in-list", "offset-timestamps"];
    const notes = await notesOf({ variants: names });
    expect(notes).not.toEqual(honest);
    expect(await notesOf({ variants: names.toReversed() })).toEqual(notes);
  });

  it.each(named(faults, false))("fault %s shows in a response", async (name) => {
    expect(await showsInAResponse({ faults: [name] })).toBe(true);
  });

  // Delays, what only the connection shows, and what takes more pages than a probe requests.
  const invisible = [
    "slow",
    "x-api-key-takes-longer",
    "bodies-in-chunks",
    "connections-not-kept",
    "cursors-expire-early",
  ];
  it.each(named(variants, false).filter((name) => !invisible.includes(name)))(
    "variant %s shows in a response, and is no error of the service",
    async (name) => {
      const notes = await notesOf({ variants: [name] });
      expect(notes).not.toEqual(honest);
      expect([...notes.values()].filter((note) => note.startsWith("500"))).toEqual([]);
    },
  );

  function stopTheClock(): void {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
  }

  /** Eight requests at a limit of four, then one by the other organization, one with the first one's other key. */
  async function limitNotes(names: Names): Promise<Map<string, string>> {
    const notes = new Map<string, string>();
    const { wire, rate = 4, burst = 4 } = changesOf(names);
    const send = applyChanges(limitedService(rate, burst), wire, { ...keys, all });
    const client = createProbeClient(send, keys, notes);
    const url = "/v1/products?category=last%20chance&limit=30";
    for (let number = 1; number <= 8; number++) {
      await client.ask(`request ${number}`, { url, headers: { "x-api-key": keys.primary } });
    }
    await client.ask("other organization", { url, headers: { "x-api-key": keys.otherOrg } });
    await client.ask("same organization", { url, headers: { "x-api-key": keys.sameOrg } });
    vi.setSystemTime(Date.now() + 1000);
    await client.ask("after the wait", { url, headers: { "x-api-key": keys.primary } });
    return notes;
  }

  it.each([
    ...named(faults, true).map((name) => [name, { faults: [name] }] as const),
    ...named(variants, true).map((name) => [name, { variants: [name] }] as const),
  ])("%s shows at the limit", async (_name, names) => {
    stopTheClock();
    expect(await limitNotes(names)).not.toEqual(await limitNotes({}));
  });
});
