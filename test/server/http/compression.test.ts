// Answers as gzip: which ones, as a real kube-apiserver v1.36 was seen to do it, and that clients get the same bytes.
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const CORE = "/api/v1/namespaces/default";
const THRESHOLD = 128 * 1024;

let server: Server;
beforeAll(async () => {
  server = await createServer({ ...MEMORY_SERVER });
  await create("large", text(2 * THRESHOLD));
});
afterAll(() => server?.close());

/** No run repeats within the window of the compression, so that nothing gets much smaller. */
const text = (length: number): string => {
  let [out, state] = ["", 7];
  while (out.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    out += state.toString(36);
  }
  return out.slice(0, length);
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

async function ask(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  body?: object,
): Promise<Answer> {
  const sent = httpRequest(server.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(sent, "response");
  const chunks: Buffer[] = await answer.toArray();
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) };
}

const create = (name: string, value: string, plural = "configmaps", headers = {}) =>
  ask(`${CORE}/${plural}`, headers, "POST", { metadata: { name }, data: { text: value } });

/** The same answer as it is, and as gzip. */
async function both(
  path: string,
  more: Record<string, string> = {},
): Promise<{ plain: Answer; zipped: Answer }> {
  return { plain: await ask(path, more), zipped: await ask(path, { ...more, "accept-encoding": "gzip" }) };
}

const OBJECT = `${CORE}/configmaps/large`;

test.each(["gzip", "deflate,gzip", "identity, gzip "])("Accept-Encoding %s compresses", async (accepted) => {
  const { headers, bytes } = await ask(OBJECT, { "accept-encoding": accepted });
  expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(headers["content-length"]).toBe(String(bytes.length));
  expect(gunzipSync(bytes)).toEqual((await ask(OBJECT)).bytes);
});

test.each(["", "identity", "*", "GZIP", "gzip;q=1", "br, gzip;q=0"])(
  "Accept-Encoding %s does not",
  async (accepted) => {
    const { headers } = await ask(OBJECT, { "accept-encoding": accepted });
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  },
);

test("an answer of 128 KiB is sent as it is, one of a byte more is not", async () => {
  const empty = await create("edge", "");
  const rest = THRESHOLD - empty.bytes.length;
  const write = async (length: number) => {
    const body = { metadata: { name: "edge" }, data: { text: text(length) } };
    return await ask(`${CORE}/configmaps/edge`, { "accept-encoding": "gzip" }, "PUT", body);
  };
  let length = rest;
  let answer = await write(length);
  // The times of managedFields come on top.
  for (; answer.headers["content-encoding"] === "gzip"; answer = await write(length)) length -= 16;
  expect(answer.bytes.length).toBeGreaterThan(THRESHOLD - 64);
  const more = await write(length + THRESHOLD + 1 - answer.bytes.length);
  expect([more.headers["content-encoding"], gunzipSync(more.bytes).length]).toEqual(["gzip", THRESHOLD + 1]);
});

describe("a list", () => {
  const FORMS = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
  const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

  beforeAll(async () => {
    for (let at = 0; at < 12; at++) await create(`c-${at}`, text(2 * THRESHOLD));
    for (let at = 0; at < 150; at++) await create(`s-${at}`, "", "secrets");
    await create("gz", text(2 * THRESHOLD), "secrets");
  });

  test.each(FORMS)("as %s has the same bytes", async (accept) => {
    const { plain, zipped } = await both(`${CORE}/configmaps`, { accept });
    expect(plain.bytes.length).toBeGreaterThan(1024 * 1024);
    expect(zipped.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
  });

  test("that is streamed and short is sent as it is", async () => {
    const { plain, zipped } = await both(`${CORE}/secrets?labelSelector=none`, { accept: TABLE });
    expect(zipped.bytes).toEqual(plain.bytes);
    const rows = await both(`${CORE}/secrets?limit=120`, { accept: TABLE });
    expect(rows.zipped.headers["content-encoding"]).toBe(
      rows.plain.bytes.length > THRESHOLD ? "gzip" : undefined,
    );
  });

  test("is compressed no further than its client reads", async () => {
    const sent = httpRequest(`${server.url}${CORE}/configmaps`, { headers: { "accept-encoding": "gzip" } });
    sent.end();
    const [answer] = await once(sent, "response");
    await once(answer, "readable");
    answer.destroy();
    expect((await ask("/readyz")).status).toBe(200);
    await eventually(
      async () => (await ask(OBJECT, { "accept-encoding": "gzip" })).status,
      (status) => status === 200,
    );
  });
});

test("a watch and a HEAD are not compressed", async () => {
  expect(
    (await ask(OBJECT, { "accept-encoding": "gzip" }, "HEAD")).headers["content-encoding"],
  ).toBeUndefined();
  const query = "watch=1&timeoutSeconds=1";
  const { headers, bytes } = await ask(`${CORE}/configmaps?${query}`, { "accept-encoding": "gzip" });
  expect(headers["content-encoding"]).toBeUndefined();
  expect(bytes.length).toBeGreaterThan(2 * THRESHOLD);
});

describe("/openapi/v2", () => {
  test.each(["gzip", "x, gzip;q=0.1"])("is compressed for %s", async (accepted) => {
    const { headers, bytes } = await ask("/openapi/v2", { "accept-encoding": accepted });
    expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding, Accept" });
    expect(gunzipSync(bytes).equals((await ask("/openapi/v2")).bytes)).toBe(true);
  });

  test.each(["", "gzip;q=0", "*"])("is not for %s", async (accepted) => {
    const { headers } = await ask("/openapi/v2", { "accept-encoding": accepted });
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "Accept-Encoding, Accept"]);
  });

  test("has its protobuf form compressed, too, and /openapi/v3 never", async () => {
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { plain, zipped } = await both("/openapi/v2", { accept });
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    const { headers, bytes } = await ask("/openapi/v3/api/v1", { "accept-encoding": "gzip" });
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "Accept"]);
    expect(bytes.length).toBeGreaterThan(THRESHOLD);
  });
});
