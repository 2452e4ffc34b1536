import { expect, test } from "vitest";
import { listChecks } from "../suite/all.ts";
import { cells, type DimensionId, dimensions, operations, triedCells } from "./matrix.ts";

const ids = new Set<string>(listChecks().map(({ id }) => id));

test("every dimension has a cell for each operation on its kind, and no other", () => {
  for (const [id, { kind }] of Object.entries(dimensions)) {
    const own = cells.filter(({ dimension }) => dimension === id).map(({ operation }) => operation);
    const expected = Object.entries(operations).flatMap(([name, { kinds }]) =>
      kinds.some((one) => one === kind) ? [name] : [],
    );
    expect(own.sort(), id).toEqual(expected.sort());
  }
});

test("cells name checks that exist, or a sentence", () => {
  for (const { cell, dimension, operation } of cells)
    if (cell.kind === "checked")
      for (const id of cell.by) expect(ids, `${dimension}, ${operation}`).toContain(id);
    else expect(cell.why, `${dimension}, ${operation}`).toMatch(/^[A-Z].{15,}\.\)?$/);
});

test("at most 30 cells are impossible, and most are checked", () => {
  const count = (kind: string) => cells.filter(({ cell }) => cell.kind === kind).length;
  expect(count("impossible")).toBeLessThanOrEqual(30);
  expect(count("checked")).toBeGreaterThan(cells.length * 0.7);
});

test("every check of changed values is in the matrix", () => {
  const named = new Set<string>(cells.flatMap(({ cell }) => (cell.kind === "checked" ? cell.by : [])));
  const changed = listChecks().filter(({ id }) =>
    /\/(changed|hostile-input\/|other-retailer|two-keys)/.test(id),
  );
  expect(changed.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
});

test("a run tries the cells of which a check was judged", () => {
  const { of } = triedCells(() => true);
  expect(triedCells(() => true).tried).toBe(of);
  expect(triedCells(() => false)).toEqual({ tried: 0, of });
  const slug: DimensionId = "slug";
  expect(triedCells((id) => id === "by-id.unknown-slug/changed-slug").tried).toBeGreaterThan(0);
  expect(dimensions[slug].kind).toBe("text");
});
