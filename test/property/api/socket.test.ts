// The property of lists and watches over real sockets, with streamed text and network pauses.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { openWatchSocket } from "../../support/sockets/watch-socket.ts";
import { runs } from "./objects.ts";

const NAMES = ["a", "b", "c"];
const PATH = "/api/v1/namespaces/default/configmaps";
const SELECTORS = ["", "labelSelector=tier%3Dx", "fieldSelector=metadata.name!%3Da"];
const LAST = "last";

const write = fc.record({
  op: fc.constantFrom("put" as const, "put" as const, "delete" as const),
  name: fc.constantFrom(...NAMES),
  tier: fc.constantFrom("x", "y"),
  value: fc.constantFrom("1", "2"),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

let server: Server;
beforeAll(async () => {
  server = await createServer({
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    controllers: "namespace",
  });
});
afterAll(() => server?.close());

async function send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as JsonObject; // every answer here is an object
}

async function play({ op, name, tier, value }: Write): Promise<void> {
  if (op === "delete") await send("DELETE", `${PATH}/${name}`);
  else {
    const metadata = { name, labels: { tier } };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
    await send("PATCH", `${PATH}/${name}?fieldManager=m&force=true`, object);
  }
}

interface Listed {
  readonly held: Map<string, unknown>;
  readonly version: string;
}

async function list(selector: string): Promise<Listed> {
  const { items, metadata } = await send("GET", `${PATH}?${selector}`);
  // Items of a list have no kind and apiVersion; objects of events do.
  const objects = (items as KubeObject[]).map((item) => ({ kind: "ConfigMap", apiVersion: "v1", ...item }));
  const held = new Map(objects.map((object) => [object.metadata.name ?? "", object]));
  return { held, version: String(isObject(metadata) ? metadata["resourceVersion"] : "") };
}

/** Follows the watch until it receives the object that is written last. */
async function follow({ held, version }: Listed, selector: string, signal: AbortSignal): Promise<void> {
  const watch = `${server.url}${PATH}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}&${selector}`;
  const response = await fetch(watch, { signal });
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
      const { name = "" } = object.metadata;
      if (type === "DELETED") expect(held.delete(name), `${name} goes`).toBe(true);
      else if (type !== "BOOKMARK") held.set(name, object);
      if (name === LAST && type === "DELETED") return;
    }
  }
  throw new Error("the watch has ended");
}

test("a list and the watch from there make the list of later", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...SELECTORS),
    fc.array(write, { maxLength: 4 }),
    fc.array(write, { minLength: 1, maxLength: 8 }),
    async (selector, before, after) => {
      for (const each of before) await play(each);
      const from = await list(selector);
      const abort = new AbortController();
      try {
        const all = follow(from, selector, abort.signal);
        for (const each of after) await play(each);
        const now = await list(selector);
        await play({ op: "put", name: LAST, tier: "x", value: "1" });
        await play({ op: "delete", name: LAST, tier: "x", value: "1" });
        await all;
        expect(from.held).toEqual(now.held);
      } finally {
        abort.abort();
      }
    },
  );
  await fc.assert(property, runs(30));
});

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const FORMS = [
  JSON_TYPE,
  `${JSON_TYPE};as=Table;g=meta.k8s.io;v=v1`,
  `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  PROTOBUF_TYPE,
];

/** The event after which no write follows. */
const isLast = (event: Uint8Array) => ["DELETED", LAST].every((word) => Buffer.from(event).includes(word));

test("a watch has the same events as WebSocket, byte by byte", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...SELECTORS),
    fc.constantFrom(...FORMS),
    fc.array(write, { minLength: 1, maxLength: 8 }),
    async (selector, accept, writes) => {
      const { version } = await list(selector);
      const url = `${server.url}${PATH}?watch=true&resourceVersion=${version}&${selector}`;
      const abort = new AbortController();
      const plain = await fetch(url, { headers: { accept }, signal: abort.signal });
      await using socket = await openWatchSocket(url, { headers: { accept } });
      for (const each of [
        ...writes,
        { op: "put", name: LAST } as const,
        { op: "delete", name: LAST } as const,
      ]) {
        await play({ tier: "x", value: "1", ...each });
      }
      await socket.reachedOne(isLast);
      const isBinary = accept === PROTOBUF_TYPE;
      expect(socket.messages.every((message) => message.isBinary === isBinary)).toBe(true);
      const framed = socket.messages.flatMap(({ data }) => (isBinary ? [lengthOf(data), data] : [data]));
      const expected = Buffer.concat(framed).toString("latin1");
      let stream = "";
      for await (const chunk of plain.body ?? []) {
        stream += Buffer.from(chunk).toString("latin1");
        if (stream.length >= expected.length) break;
      }
      expect(stream).toBe(expected);
      abort.abort();
    },
  );
  await fc.assert(property, runs(20));
});

function lengthOf(data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return length;
}
