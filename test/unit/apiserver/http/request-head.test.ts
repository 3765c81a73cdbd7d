// Property: a request head is accepted only with one valid Host header, an HTTP/1 version and no transfer coding except
// chunked.
import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeadCheck } from "../../../../src/apiserver/http/request-head.ts";
import { runs } from "../../../support/fuzz-runs.ts";

const VALID = /^[0-9A-Za-z!$%&()*+,\-.:;=['\]_~]*$/;
const drawn = fc.record({
  hosts: fc.array(fc.oneof(fc.constantFrom("localhost", "[::1]:1", "", "a b", "x/y"), fc.string()), {
    maxLength: 3,
  }),
  name: fc.constantFrom("Host", "host", "hOsT"),
  version: fc.constantFrom("0.9", "1.0", "1.1", "1.1", "2.0"),
  coding: fc.constantFrom(undefined, undefined, "chunked", "CHUNKED", "gzip, chunked", "", "identity"),
  url: fc.constantFrom("/", "/version?a", "*", "http://localhost/x", "http://example.com", "http://a b/"),
});

test("what passes names one host in one way", () => {
  const check = createHeadCheck();
  fc.assert(
    fc.property(drawn, ({ hosts, name, version, coding, url }) => {
      const [host] = hosts;
      const headers = { ...(host === undefined ? {} : { host }), "transfer-encoding": coding };
      const message = {
        ...{ method: "GET", httpVersion: version, httpVersionMajor: Number(version[0]), url, headers },
        rawHeaders: ["Accept", "x", ...hosts.flatMap((text) => [name, text])],
        socket: {},
      };
      const refused = check(message as unknown as IncomingMessage);
      const isWrong =
        hosts.length > 1 ||
        (hosts.length === 0 && version === "1.1") ||
        !VALID.test(host ?? "") ||
        !["1.0", "1.1"].includes(version) ||
        (coding !== undefined && (coding.toLowerCase() !== "chunked" || version === "1.0")) ||
        url === "http://a b/";
      expect(refused !== undefined).toBe(isWrong);
      if (refused === undefined && url.startsWith("http"))
        expect([headers.host, message.url]).toEqual(
          url === "http://localhost/x" ? ["localhost", "/x"] : ["example.com", "/"],
        );
    }),
    runs(3000),
  );
});

test("nothing is a request after a refusal on the same connection", () => {
  const check = createHeadCheck();
  const good = { httpVersion: "1.1", httpVersionMajor: 1, url: "/", method: "GET" };
  const one = { ...good, headers: { host: "a" }, rawHeaders: ["Host", "a"] };
  const two = { ...one, rawHeaders: ["Host", "a", "Host", "a"] };
  const socket = {};
  const codes = [one, two, one].map(
    (message) => check({ ...message, socket } as unknown as IncomingMessage)?.code,
  );
  expect(codes).toEqual([undefined, 400, 0]);
  expect(check({ ...one, socket: {} } as unknown as IncomingMessage)).toBeUndefined();
});
