import { expect, test } from "vitest";
import { hiddenByParsers, hiddenIn } from "./json-text.ts";

test.each([
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', []],
  ['{"a":1,"a":2}', [{ path: "/a", differs: true, before: "1" }]],
  ['{"a":{"x":1},"a":{"x":1}}', [{ path: "/a", differs: false, before: '{"x":1}' }]],
  ['{"\\u0061":1,"a":1}', [{ path: "/a", differs: false, before: "1" }]],
  ['{"":"\\"a\\":", "/":[ ], "/" : [ ] }', [{ path: "/~1", differs: false, before: "[ ]" }]],
  ['[[],{},"{\\"a\\":1,\\"a\\":2}"]', []],
])("names that %s repeats", (text, repeated) => {
  expect(() => JSON.parse(text)).not.toThrow();
  expect(hiddenIn(text).repeated).toEqual(repeated);
});

test("numbers that a double changes are found with their digits", () => {
  const text = '{"a":9007199254740993,"b":9007199254740992,"c":-1e999,"d":[0.1,12345678901234567],"e":1e22}';
  expect(hiddenIn(text).inexact).toEqual([
    { path: "/a", digits: "9007199254740993" },
    { path: "/c", digits: "-1e999" },
    { path: "/d/1", digits: "12345678901234567" },
  ]);
  expect(hiddenByParsers({ text, json: JSON.parse(text) }).inexact).toEqual(hiddenIn(text).inexact);
  expect(hiddenByParsers({ text: "no JSON" }).inexact).toEqual([]);
});

test("half characters are found in texts and names, whole ones are not", () => {
  const text = '{"a":"\\ud83d","b":"\\ud83d\\ude00","c":"\\\\ud83d","\\udc00":0}';
  expect(hiddenIn(text).halved).toEqual([{ path: "/a" }, { path: "/\udc00" }]);
});

test.each(["0", '""', " [ ] ", "{}", "true", '"a"', '\n{ "a" :\t[ 1 , 2 ] }\r\n'])(
  "nothing is hidden in %j",
  (text) => {
    expect(hiddenIn(text)).toEqual({ repeated: [], inexact: [], halved: [] });
  },
);

test("a response is read once, however many ask", () => {
  let reads = 0;
  const response = {
    get text() {
      reads++;
      return '{"a":1,"a":2}';
    },
    json: { a: 2 },
  };
  for (const _time of [1, 2]) expect(hiddenByParsers(response).repeated).toHaveLength(1);
  expect(reads).toBe(1);
});
