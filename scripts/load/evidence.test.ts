import { expect, test } from "vitest";
import { evidenceLine } from "../../scenarios/lib/log.ts";
import { createRedaction, keyVariables } from "../../schemas/redaction.ts";
import { createEvidence } from "./evidence.ts";

const redaction = createRedaction([{ key: "canary-key-0123", shownAs: "$SHELFCHECK_API_KEY" }]);

/** The evidence of one response without a size, as the script logs it and the runner reads it. */
function evidenceOf(body: object) {
  const evidence = createEvidence("http://127.0.0.1:9/v1", {
    key: keyVariables.primary,
    headers: {},
    variables: Object.values(keyVariables),
  });
  const response = {
    status: 200,
    contentType: "application/json",
    body: JSON.stringify(body),
    milliseconds: 3,
  };
  const call = { name: "lookup-by-id", path: "/products/acme/B1" } as const;
  evidence.take(evidenceLine(call, { code: "null-value", path: "/size" }, response, redaction));
  return evidence.kept[0]?.exchange.response;
}

test("the place that the finding names is marked", () => {
  const [excerpt] = evidenceOf({ product_id: "B1", size: null, title: "canary-key-0123" })?.excerpts ?? [];
  expect(excerpt?.lines).toEqual([
    { text: "{" },
    { text: '  "product_id": "B1",' },
    { text: '  "size": null,', mark: "place" },
    { text: '  "title": "$SHELFCHECK_API_KEY"' },
    { text: "}" },
  ]);
});

test("a body that the script cut is shown as it was cut", () => {
  const response = evidenceOf({ title: "x".repeat(2000), size: null });
  expect(response?.excerpts).toBeUndefined();
  expect(response?.body).toContain("… (");
});
