import { expect, test } from "vitest";
import { UsageError } from "../errors.ts";
import { parseBaseUrl } from "./settings.ts";

test.each([
  ["https://catalog.example/v1", "https://catalog.example/v1"],
  ["https://catalog.example/v1/", "https://catalog.example/v1"],
  ["HTTP://Catalog.example:8080/api/v1//", "http://catalog.example:8080/api/v1"],
  ["http://[::1]:3000/v1", "http://[::1]:3000/v1"],
  [" https://catalog.example/v1\n", "https://catalog.example/v1"],
])("%s becomes %s", (text, expected) => {
  expect(parseBaseUrl(text, "--base-url")).toBe(expected);
});

test.each([
  [
    "catalog.example/v1",
    "The base URL is not an http or https URL: --base-url. Expected http:// or https://",
  ],
  ["localhost:3000/v1", "The base URL is not an http or https URL"],
  ["", "The base URL is not an http or https URL"],
  ["http://", "The base URL is not an http or https URL"],
  ["ftp://catalog.example/v1", "The base URL is not an http or https URL"],
  ["https://catalog.example/v1?key=1", "The base URL has a query or a fragment"],
  ["https://catalog.example/v1#", "The base URL has a query or a fragment"],
  [
    "https://catalog.example",
    "does not end in /v1: --base-url. Expected it to end in the version segment /v1: https://catalog.example/v1",
  ],
  [
    "https://catalog.example/api/",
    "does not end in /v1: --base-url. Expected it to end in the version segment /v1: https://catalog.example/api/v1",
  ],
  [
    "https://catalog.example/api/v2",
    "does not end in /v1: --base-url. Expected it to end in the version segment /v1: https://catalog.example/api/v1",
  ],
  ["https://catalog.example/v1/retailers", "the version segment /v1: https://catalog.example/v1"],
  ["https://catalog.example/xv1", "Expected it to end in the version segment"],
  ["https://u:geheim@catalog.example/v1", "The base URL contains a user name or password"],
])("%j is rejected: %s", (text, expected) => {
  const attempt = (): string => parseBaseUrl(text, "--base-url");
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(expected);
});

test("a password in a URL is not repeated", () => {
  expect(() => parseBaseUrl("https://u:geheim@catalog.example/v1", "x")).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("geheim") }),
  );
});
