import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { giveBackMemory } from "./heap.ts";

test("collects what nothing refers to any more", async () => {
  const garbage = new WeakRef({});
  // Until the end of a task its weak references keep their objects.
  await setImmediate();
  giveBackMemory();
  expect(garbage.deref()).toBeUndefined();
});
