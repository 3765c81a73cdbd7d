import { expect, test } from "vitest";
import { createGuard, isLocalHost } from "../../../../src/apiserver/http/guard.ts";

const OTHER_HOST = "the Host header names another machine";
const OTHER_PAGE = "requests from other web pages are not allowed";

test.each([
  ["127.0.0.1", true],
  ["127.8.0.9", true],
  ["128.0.0.1", false],
  ["10.127.0.1", false],
  ["::1", true],
  ["[::1]", true],
  ["::2", false],
  ["[::2]", false],
  ["localhost", true],
  ["LOCALHOST", true],
  ["egret.localhost", true],
  ["localhost.example.com", false],
  ["local[host", false],
  ["local]host", false],
  ["notlocalhost", false],
  ["", false],
])("%s is this machine: %s", (host, expected) => {
  expect(isLocalHost(host)).toBe(expected);
});

/** Of a server on the loopback. */
test.each([
  [{}, undefined],
  [{ host: "" }, undefined],
  [{ host: "127.0.0.1:8080" }, undefined],
  [{ host: "localhost" }, undefined],
  [{ host: "LocalHost:8080" }, undefined],
  [{ host: "[::1]:8080" }, undefined],
  [{ host: "evil.example.com" }, OTHER_HOST],
  [{ host: "evil.example.com:8080" }, OTHER_HOST],
  [{ host: "127.0.0.1.example.com:8080" }, OTHER_HOST],
  [{ host: "[::2]:8080" }, OTHER_HOST],
  [{ host: "evil.example.com", origin: "http://evil.example.com" }, OTHER_HOST],
  [{ host: "localhost:8080", origin: "http://localhost:8080" }, undefined],
  [{ host: "localhost:8080", origin: "HTTPS://LocalHost:8080" }, undefined],
  [{ host: "[::1]:8080", origin: "http://[::1]:8080" }, undefined],
  [{ host: "localhost:8080", origin: "http://localhost:9090" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "http://127.0.0.1:8080" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "http://evil.example.com" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "http://localhost:8080.evil.example.com" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "ftp://localhost:8080" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "null" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "" }, OTHER_PAGE],
  [{ origin: "http://localhost" }, OTHER_PAGE],
  [{ host: "", origin: "" }, OTHER_PAGE],
  [{ host: "http://localhost:8080" }, OTHER_HOST],
  [{ host: "//localhost:8080" }, OTHER_HOST],
  [{ host: "[localhost]" }, undefined],
  [{ host: "example.com/localhost:8080" }, OTHER_HOST],
  [{ host: "localhost:8080", origin: "http://http://localhost:8080" }, OTHER_PAGE],
  [{ host: "localhost:8080", origin: "xhttp://localhost:8080" }, OTHER_PAGE],
])("a server of this machine: %j", (headers, refusal) => {
  expect(createGuard("127.0.0.1")(headers)).toBe(refusal);
});

/** Of a server that listens for others. */
test.each([
  [{ host: "egret.example.com" }, undefined],
  [{ host: "egret.example.com", origin: "https://egret.example.com" }, undefined],
  [{ host: "egret.example.com:8443", origin: "https://egret.example.com:8443" }, undefined],
  [{ host: "egret.example.com", origin: "https://evil.example.com" }, OTHER_PAGE],
  [{ host: "egret.example.com", origin: "https://egret.example.com:8443" }, OTHER_PAGE],
])("a server for others: %j", (headers, refusal) => {
  expect(createGuard("0.0.0.0")(headers)).toBe(refusal);
});

test("who has passed once is looked at again when he names a page", () => {
  const refusalOf = createGuard("127.0.0.1");
  expect(refusalOf({ host: "localhost:8080" })).toBeUndefined();
  expect(refusalOf({ host: "localhost:8080" })).toBeUndefined();
  expect(refusalOf({ host: "localhost:8080", origin: "http://evil.example.com" })).toBe(OTHER_PAGE);
  expect(refusalOf({ host: "evil.example.com" })).toBe(OTHER_HOST);
  expect(refusalOf({})).toBeUndefined();
  expect(refusalOf({ host: "evil.example.com" })).toBe(OTHER_HOST);
});
