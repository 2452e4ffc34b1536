import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLimiter } from "../access/limiter.ts";
import { watchPermissions } from "../access/permissions.ts";
import { faults } from "../faults/index.ts";
import { createApp } from "../http/app.ts";
import { createCursors } from "../query/cursor.ts";
import { changeCounter, openDatabase } from "../store/database.ts";
import { sqliteCatalogue } from "../store/sqlite-catalogue.ts";
import { issueStartKeys, type Keys, stockGenerated } from "../store/stock.ts";
import { variants } from "../variants/index.ts";
import { type ChangeEntry, type ChangeNames, createChangedSteps, listChanges } from "./changed-steps.ts";
import { createAsker, findSubjects, probe, type Subjects } from "./probes.ts";

describe("a variant", () => {
  let database: DatabaseSync;
  let keys: Keys;
  let subjects: Subjects;
  const honest = new Map<string, string>();

  beforeAll(async () => {
    database = openDatabase(":memory:");
    stockGenerated(database, 150, 1);
    keys = issueStartKeys(database);
    const app = appWith({});
    subjects = await findSubjects(createAsker(app, keys, new Map()));
    await probe(createAsker(app, keys, honest), subjects);
  });
  afterAll(() => database.close());

  function appWith(variants: ChangeNames, rate = 1_000_000) {
    const sources = {
      permissions: watchPermissions(database, changeCounter(database)),
      catalogue: sqliteCatalogue(database),
      limiter: createLimiter(rate, rate),
      cursors: createCursors(Buffer.alloc(32, 7)),
    };
    return createApp(createChangedSteps(sources, variants));
  }

  async function notesOf(variants: ChangeNames): Promise<Map<string, string>> {
    const notes = new Map<string, string>();
    await probe(createAsker(appWith(variants), keys, notes), subjects);
    return notes;
  }

  it("leaves no trace when there is none", async () => {
    expect(await notesOf({})).toEqual(honest);
  });

  it("is the same in whatever order it is named with others", async () => {
    const names = ["batch-found-wrapped", "gtin-in-list", "offset-timestamps"];
    const notes = await notesOf({ variants: names });
    expect(notes).not.toEqual(honest);
    expect(await notesOf({ variants: names.toReversed() })).toEqual(notes);
  });

  const atLimit = ({ topic, name }: ChangeEntry) => topic.startsWith("limit.") || name.includes("429");
  const named = (plugs: readonly ChangeEntry[], limit: boolean) =>
    plugs.filter((plug) => atLimit(plug) === limit).map(({ name }) => name);

  it.each(named(faults, false))("fault %s shows in an answer", async (name) => {
    expect(await notesOf({ faults: [name] })).not.toEqual(honest);
  });

  it.each(named(variants, false).filter((name) => name !== "slow"))(
    "variant %s shows in an answer, and no variant makes an error of the service",
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
  async function limitNotes(variants: ChangeNames): Promise<Map<string, string>> {
    const notes = new Map<string, string>();
    const asker = createAsker(appWith(variants, 4), keys, notes);
    const url = "/v1/products?category=last%20chance&limit=30";
    for (let number = 1; number <= 8; number++) {
      await asker.ask(`request ${number}`, { url, headers: { "x-api-key": keys.primary } });
    }
    await asker.ask("other organization", { url, headers: { "x-api-key": keys.otherOrg } });
    await asker.ask("same organization", { url, headers: { "x-api-key": keys.sameOrg } });
    vi.setSystemTime(Date.now() + 1000);
    await asker.ask("after the wait", { url, headers: { "x-api-key": keys.primary } });
    return notes;
  }

  it.each([...named(faults, true), ...named(variants, true)])("%s shows at the limit", async (name) => {
    stopTheClock();
    const kind = faults.some((fault) => fault.name === name) ? "faults" : "variants";
    expect(await limitNotes({ [kind]: [name] })).not.toEqual(await limitNotes({}));
  });
});

describe("the list of variants", () => {
  it("has many of both kinds, each named once", () => {
    expect(faults.length).toBeGreaterThanOrEqual(90);
    expect(variants.length).toBeGreaterThanOrEqual(25);
    const names = listChanges().map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("gives each a sentence, a section and a topic", () => {
    for (const variant of listChanges()) {
      expect(variant.sentence.length, variant.name).toBeGreaterThan(10);
      expect(variant.section, variant.name).not.toBe("");
      expect(variant.topic, variant.name).toMatch(/^[a-z]+\.[a-z0-9-]+$/);
      expect(variant.name).toMatch(/^[a-z0-9-]+$/);
    }
  });
});
