import { expect, test } from "vitest";
import { readSettings, requireTarget } from "./settings.ts";

test("have defaults for everything except base URL and key", () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({ fixturesPath: "fixtures.json", seed: 1 });
  expect(() => requireTarget(settings)).toThrow("SHELFCHECK_BASE_URL is not set");
  const baseUrl = "http://127.0.0.1:8080/v1";
  expect(() => requireTarget({ ...settings, baseUrl })).toThrow("SHELFCHECK_API_KEY is not set");
});

test("refuse a key that is too short to be redacted, without repeating it", () => {
  const env = { SHELFCHECK_BASE_URL: "http://127.0.0.1:8080/v1", SHELFCHECK_API_KEY: "gehe" };
  expect(() => requireTarget(readSettings(env))).toThrow(/^SHELFCHECK_API_KEY has fewer than 8 characters/);
  expect(() => requireTarget(readSettings(env))).not.toThrow("gehe");
  const long = { ...env, SHELFCHECK_API_KEY: "long-enough" };
  expect(() => requireTarget(readSettings(long))).not.toThrow();
  expect(() => requireTarget(readSettings({ ...long, SHELFCHECK_OTHER_ORG_API_KEY: "x" }))).toThrow(
    "SHELFCHECK_OTHER_ORG_API_KEY has fewer",
  );
});

test.each(["http://127.0.0.1:8080/v1", "https://catalog.example/api/v1/", "https://[::1]:1/v1"])(
  "take %s",
  (url) => {
    expect(readSettings({ SHELFCHECK_BASE_URL: url }).baseUrl).toBe(url.replace(/\/$/, ""));
  },
);

test.each([
  "catalog.example/v1",
  "ftp://h/v1",
  "https://",
  "https://u:p@h/v1",
  "https://h/v1?key=1",
  "https://h/v1#a",
])("refuse %s, without repeating it", (url) => {
  expect(() => readSettings({ SHELFCHECK_BASE_URL: url })).toThrow(/^SHELFCHECK_BASE_URL is not an http/);
  expect(() => readSettings({ SHELFCHECK_BASE_URL: url })).not.toThrow("u:p");
});

test.each(["x", "-1", "1.5", "1e3", " 1", "99999999999999999999"])("refuse the seed %j", (seed) => {
  expect(() => readSettings({ SHELFCHECK_SEED: seed })).toThrow(
    "SHELFCHECK_SEED is not a whole number from 0",
  );
});

test("take a key without the line break of the file that it came from", () => {
  const env = {
    SHELFCHECK_API_KEY: "long-enough\r\n",
    SHELFCHECK_HEADERS: "X-Pass=PASS",
    PASS: "secret-pass\n",
  };
  expect(readSettings(env)).toMatchObject({ key: "long-enough", headers: { "X-Pass": "secret-pass" } });
});
