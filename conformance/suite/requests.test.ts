import { expect, test } from "vitest";
import { clientOfTest } from "../../test/support/service.ts";
import { stubClient, stubTarget } from "../../test/support/stub-client.ts";
import { createPoliteClient } from "../client/polite-client.ts";
import { discover } from "../discovery/discover.ts";
import { outcomeOf } from "../engine/run-check.ts";
import { openSession } from "../engine/session.ts";
import { listChecks, suiteSections } from "./all.ts";

test("a check that passes in a session of its own sends no more requests than it states", async () => {
  const { service } = await clientOfTest();
  const target = stubTarget(service.baseUrl, { keys: service.keys, categories: service.categories });
  await using http = stubClient(target, { maxRequests: 3000 });
  const client = createPoliteClient(http);
  const discovery = await discover(http, target, client);
  const afterDiscovery = { ...http, exchanges: [...http.exchanges] };
  const stated = new Map(listChecks().map(({ id, requests }) => [id, requests]));
  const over: string[] = [];
  for (const { bursts, ...check } of suiteSections.flatMap(({ checks }) => checks)) {
    if (bursts === true) continue;
    const before = http.exchanges.length;
    const session = openSession({ target, http: afterDiscovery, client, discovery });
    const { kind } = await outcomeOf(check, session, []);
    const [sent, most = 0] = [http.exchanges.length - before, stated.get(check.id)];
    if (sent > most || !["pass", "notApplicable"].includes(kind))
      over.push(`${check.id}, ${kind}: ${sent} of ${most}`);
  }
  expect(over).toEqual([]);
});
