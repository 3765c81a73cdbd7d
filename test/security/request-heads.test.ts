// Request heads and body framing that a server and a proxy before it might parse differently (request smuggling): Host
// headers, versions, targets, transfer codings, chunks, line ends. Codes and texts are those of a kube-apiserver v1.36.3
// where both reject; Node's parser rejects more than Go's.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendRaw } from "../support/sockets/raw-socket.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const CLOSE = "Connection: close";
const ROOT = "Authorization: Bearer root";
const LOCAL = "Host: 127.0.0.1";
const head = (first: string, ...lines: readonly string[]) => [first, ...lines, "", ""].join("\r\n");
const get = (...lines: readonly string[]) => head("GET /version HTTP/1.1", ...lines, ROOT, CLOSE);

/** The codes of all answers on the connection, and the body of the first. */
async function answers(text: string): Promise<{ codes: number[]; body: string }> {
  const { status, headers, body } = await sendRaw(server.url, text);
  const more = [...body.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, code]) => Number(code));
  return { codes: headers === "" ? [] : [status, ...more], body };
}

describe("the Host header", () => {
  test.each([
    ["two of the same", [LOCAL, LOCAL], "400 Bad Request"],
    ["two that differ", [LOCAL, "hOST: example.com"], "400 Bad Request"],
    ["none", [], "400 Bad Request: missing required Host header"],
    ["a space", ["Host: a b"], "400 Bad Request: malformed Host header"],
    ["a path", ["Host: localhost/x"], "400 Bad Request: malformed Host header"],
    ["user information", ["Host: u@localhost"], "400 Bad Request: malformed Host header"],
    ["a list", ["Host: localhost, example.com"], "400 Bad Request: malformed Host header"],
    ["a backslash", ["Host: localhost\\x"], "400 Bad Request: malformed Host header"],
    ["a query", ["Host: localhost?x"], "400 Bad Request: malformed Host header"],
    ["a quote", ['Host: "localhost"'], "400 Bad Request: malformed Host header"],
    ["a letter outside of ASCII", ["Host: \u00e9"], "400 Bad Request: malformed Host header"],
  ] as const)("%s is refused", async (_what, lines, text) => {
    expect(await answers(get(...lines))).toEqual({ codes: [400], body: text });
  });

  test("may be missing in HTTP/1.0, but not be there twice", async () => {
    const old = (...lines: string[]) => answers(head("GET /version HTTP/1.0", ...lines, ROOT));
    expect((await old()).codes).toEqual([200]);
    expect((await old(LOCAL, LOCAL)).codes).toEqual([400]);
  });

  test("gives way to the authority of an absolute-form target", async () => {
    const target = (url: string, host = LOCAL) =>
      answers(head(`GET ${url} HTTP/1.1`, host, ROOT, CLOSE)).then(({ codes }) => codes);
    expect(await target("http://127.0.0.1/version")).toEqual([200]);
    expect(await target("https://u:p@127.0.0.1/version", "Host: example.com")).toEqual([200]);
    expect(await target("http://example.com/version")).toEqual([403]);
    expect(await target("http://a b/version")).toEqual([400]);
    expect(await target("http://127.0.0.1/api/v1/../../egret/v1/snapshots")).toEqual([404]);
  });
});

test.each([
  ["no version", "GET /version\r\n\r\n", 400],
  ["HTTP/2.0", head("GET /version HTTP/2.0", LOCAL, ROOT), 505],
  ["HTTP/3.0", head("GET /version HTTP/3.0", LOCAL, ROOT), 400],
  ["a version in small letters", head("GET /version http/1.1", LOCAL, ROOT), 400],
  ["OPTIONS *", head("OPTIONS * HTTP/1.1", LOCAL, CLOSE), 200],
  ["GET *", head("GET * HTTP/1.1", LOCAL, ROOT, CLOSE), 404],
])("%s has the code of a real server", async (_what, text, code) => {
  expect((await answers(text)).codes).toEqual([code]);
});

const BODY = '{"metadata":{"name":"smuggled"}}';
const SIZE = BODY.length.toString(16);
const CHUNKS = `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`;
/** Would be the next request, if the end of the first one were parsed differently. */
const NEXT = head("DELETE /api/v1/namespaces/default/configmaps/kept HTTP/1.1", LOCAL, ROOT, CLOSE);

describe("a body whose end is ambiguous", () => {
  const post = (body: string, ...lines: readonly string[]) =>
    head(
      "POST /api/v1/namespaces/default/configmaps HTTP/1.1",
      ...[LOCAL, ROOT, "Content-Type: application/json", ...lines],
    ) + body;
  const CHUNKED = "Transfer-Encoding: chunked";
  const LENGTH = `Content-Length: ${BODY.length}`;

  test.each([
    ["two lengths", post(BODY, LENGTH, "Content-Length: 3")],
    ["a list of lengths", post(BODY, `${LENGTH}, 3`)],
    ["a length with a sign", post(BODY, `Content-Length: +${BODY.length}`)],
    ["a negative length", post(BODY, "Content-Length: -1")],
    ["a hexadecimal length", post(BODY, `Content-Length: 0x${SIZE}`)],
    ["a length that is too long", post(BODY, "Content-Length: 99999999999999999999")],
    ["an empty length", post(BODY, "Content-Length: ")],
    ["a length and chunks", post(CHUNKS, "Content-Length: 4", CHUNKED)],
    ["chunks after another coding", post(CHUNKS, "Transfer-Encoding: gzip, chunked")],
    ["another coding after chunks", post(CHUNKS, "Transfer-Encoding: chunked, gzip")],
    ["an unknown coding", post(CHUNKS, "Transfer-Encoding: xchunked")],
    ["identity", post(CHUNKS, "Transfer-Encoding: identity")],
    ["two codings", post(CHUNKS, CHUNKED, CHUNKED)],
    ["a coding in quotes", post(CHUNKS, 'Transfer-Encoding: "chunked"')],
    ["a vertical tab before the coding", post(CHUNKS, "Transfer-Encoding:\u000bchunked")],
    ["a space before the colon", post(CHUNKS, "Transfer-Encoding : chunked")],
    ["a folded header", post(CHUNKS, "Transfer-Encoding:", " chunked")],
    ["chunks in HTTP/1.0", post(CHUNKS, CHUNKED).replace("HTTP/1.1", "HTTP/1.0")],
    ["a chunk size with a sign", post(`+${CHUNKS}`, CHUNKED)],
    ["a chunk size with a prefix", post(`0x${CHUNKS}`, CHUNKED)],
    ["a chunk size that overflows", post(`fffffffffffffffff\r\n${BODY}`, CHUNKED)],
    ["a chunk that ends in LF", post(CHUNKS.replaceAll("\r\n", "\n"), CHUNKED)],
    ["a chunk extension that ends in LF", post(`${SIZE};a\n${BODY}\r\n0\r\n\r\n`, CHUNKED)],
    ["a chunk that goes on", post(`${SIZE}\r\n${BODY}XX0\r\n\r\n`, CHUNKED)],
    ["line ends without CR", post(BODY, LENGTH).replace("\r\nHost", "\nHost")],
    ["CR within a line", post(BODY, LENGTH, "X-A: b\rX-B: c")],
    ["NUL in a header", post(BODY, LENGTH, "X-A: b\0c")],
  ])("%s is refused, and nothing after it is executed", async (_what, text) => {
    const kept = { metadata: { name: "kept" } };
    await server.send("POST", "/api/v1/namespaces/default/configmaps", kept);
    const { codes } = await answers(text + NEXT);
    expect([400, 501, 415]).toContain(codes[0]);
    expect(codes).toHaveLength(1);
    expect((await server.send("GET", "/api/v1/namespaces/default/configmaps/smuggled")).status).toBe(404);
    expect((await server.send("GET", "/api/v1/namespaces/default/configmaps/kept")).status).toBe(200);
  });

  test("a body of a GET is no request", async () => {
    const { codes } = await answers(
      head("GET /version HTTP/1.1", LOCAL, ROOT, `Content-Length: ${NEXT.length}`, CLOSE) + NEXT,
    );
    expect(codes).toEqual([200]);
    expect((await server.send("GET", "/api/v1/namespaces/default/configmaps/kept")).status).toBe(200);
  });

  test("trailers are no headers", async () => {
    const text = post(`${SIZE}\r\n${BODY}\r\n0\r\n${ROOT}\r\n\r\n`, CHUNKED, CLOSE).replace(
      `${ROOT}\r\n`,
      "",
    );
    expect((await answers(text)).codes).toEqual([403]);
  });

  test("an answer that came before the body is the only one", async () => {
    const text = post(`zz\r\n${BODY}`, CHUNKED).replace("Bearer root", "Bearer wrong");
    expect((await answers(text + NEXT)).codes).toEqual([401]);
  });

  test("a chunk extension changes nothing", async () => {
    const text = post(`${SIZE};a=b\r\n${BODY}\r\n0\r\nX-T: y\r\n\r\n`, CHUNKED, CLOSE);
    expect((await answers(text.replace("configmaps HTTP", "configmaps?dryRun=All HTTP"))).codes).toEqual([
      201,
    ]);
  });
});
