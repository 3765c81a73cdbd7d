import { getServers } from "node:dns";
import { isIPv6 } from "node:net";
import { expect, test } from "vitest";
import { describeNetworkError } from "../../../../src/apimachinery/go/client-errors.ts";

const failed = (message: string, more: object) => Object.assign(new Error(message), more);
const [server = ""] = getServers();
const NAME_SERVER = isIPv6(server) ? `[${server}]` : server;
const ALERT = "80:error:0A000410:SSL routines:ssl3_read_bytes:alert:../rec.c:1601:SSL alert number";

test.each([
  [
    { code: "ECONNREFUSED", address: "127.0.0.1", port: 1 },
    "x",
    "dial tcp 127.0.0.1:1: connect: connection refused",
  ],
  [{ code: "ECONNREFUSED", address: "::1", port: 1 }, "x", "dial tcp [::1]:1: connect: connection refused"],
  [{ code: "ENOTFOUND", hostname: "a" }, "x", `dial tcp: lookup a on ${NAME_SERVER}:53: no such host`],
  [
    { code: "HPE_INVALID_CONSTANT", rawPacket: Buffer.from("220 mail\r\nx") },
    "Parse Error",
    'net/http: HTTP/1.x transport connection broken: malformed HTTP response "220 mail"',
  ],
  [{ code: "ECONNRESET" }, "socket disconnected", "EOF"],
  [
    { code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "wrong version number" },
    "80:error",
    "http: server gave HTTP response to HTTPS client",
  ],
  [{ code: "EPROTO" }, `${ALERT} 40\n`, "remote error: tls: handshake failure"],
  [{ code: "ERR_SSL_X" }, `${ALERT} 116\n`, "remote error: tls: certificate required"],
  [{ code: "ERR_SSL_X" }, `${ALERT} 99\n`, "remote error: tls: alert(99)"],
  [{ code: "ERR_SSL_X", reason: "bad record type" }, "80:error\n", "tls: bad record type"],
  [{}, "context deadline exceeded", "context deadline exceeded"],
])("%j with %j is %s", (more, message, text) => {
  expect(describeNetworkError(failed(message, more))).toBe(text);
});
