import { inject, type TestAPI, test } from "vitest";
import { openSession, type Session } from "./session.ts";

let extended: TestAPI<{ session: Session }> | undefined;

/**
 * vitest's `test` with the run's session. One session for all files: they share the rate limit, the budget and
 * the controls. Made at the first use, since outside of a vitest worker there is nothing to extend.
 */
export function suiteTest(): TestAPI<{ session: Session }> {
  extended ??= test.extend<{ session: Session }>({
    session: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern.
      async ({}, use) => {
        const session = openSession(inject("conformance"));
        await use(session);
        await session.close();
      },
      { scope: "worker" },
    ],
  });
  return extended;
}
