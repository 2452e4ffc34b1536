import type { Answer, Call } from "../call.ts";
import { type Change, onAnswer, textOf } from "../changes/answer-changes.ts";
import { faultsOf } from "./fault.ts";

const json = "All requests and responses are JSON.";

const when = (applies: (answer: Answer, call: Call) => boolean, change: (answer: Answer) => Answer): Change =>
  onAnswer((answer, call) => (applies(answer, call) ? change(answer) : undefined));

const typed = (type: string) => (answer: Answer) => ({
  ...answer,
  headers: { ...answer.headers, "content-type": type },
});

const html = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, "content-type": "text/html; charset=utf-8" },
  body: `<html><body><h1>${answer.status}</h1></body></html>`,
});

export const jsonFaults = faultsOf("What the service does", [
  ["content-type-text", "json.content-type", json, when(({ status }) => status === 200, typed("text/plain"))],
  [
    "content-type-text-in-batch",
    "json.content-type",
    json,
    when((_answer, call) => call.endpoint === "batch", typed("text/plain")),
  ],
  [
    "content-type-text-on-errors",
    "json.content-type",
    json,
    when(({ status }) => status >= 400, typed("text/plain")),
  ],
  ["html-on-404", "json.body", json, when(({ status }) => status === 404, html)],
  ["html-on-unknown-route", "json.body", json, when((_answer, call) => call.endpoint === "none", html)],
  ["html-on-401", "json.body", json, when(({ status }) => status === 401, html)],
  [
    "trailing-text-after-retailers",
    "json.body",
    json,
    when(
      ({ status }, call) => status === 200 && call.endpoint === "retailers",
      (answer) => ({ ...answer, body: `${textOf(answer)}\n-- end` }),
    ),
  ],
  [
    "single-quotes-by-gtin",
    "json.body",
    json,
    when(
      ({ status }, call) => status === 200 && call.query.includes("gtin="),
      (answer) => ({ ...answer, body: textOf(answer).replaceAll('"', "'") }),
    ),
  ],
  [
    "latin-1",
    "json.utf-8",
    json,
    when(
      ({ status }) => status === 200,
      (answer) => ({ ...answer, body: Buffer.from(textOf(answer), "latin1") }),
    ),
  ],
]);
