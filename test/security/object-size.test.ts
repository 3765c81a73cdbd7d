// The size limit of an object, for every kind of write: etcd's limit, and rejections with etcd's error text.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { decodeStored, encodeStored } from "../../src/apiserver/registry/codec/object-codec.ts";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { eventually } from "../support/eventually.ts";
import { Besieged, CONFIG_MAPS } from "./besieged.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const BLOBS = "/apis/example.com/v1/blobs";
const TOO_LARGE = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "etcdserver: request is too large",
  code: 500,
};
const NOT_SENT =
  /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d{7,} vs\. 2097152\)$/;

const blobs = (schema: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "blobs.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "blobs", kind: "Blob" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const filled = { type: "object", properties: { fill: { type: "string", default: "x".repeat(100_000) } } };
const SCHEMA = {
  type: "object",
  properties: {
    data: { type: "object", additionalProperties: { type: "string" } },
    items: { type: "array", items: filled },
  },
};

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
  await server.ask("POST", CRDS, blobs(SCHEMA));
  await eventually(
    () => server.ask("GET", BLOBS),
    ({ status }) => status === 200,
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

const blob = (name: string, more: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Blob",
  metadata: { name },
  ...more,
});
const merge = { type: "application/merge-patch+json" };

test("merge patches make a custom resource as large as etcd takes, and no larger", async () => {
  await server.ask("POST", BLOBS, blob("grown"));
  const grow = (index: number) =>
    server.ask("PATCH", `${BLOBS}/grown`, { data: { [`k${index}`]: "x".repeat(500_000) } }, merge);
  expect((await grow(0)).status).toBe(200);
  expect((await grow(1)).status).toBe(200);
  expect((await grow(2)).status).toBe(200);
  expect((await grow(3)).body).toEqual(TOO_LARGE);
  const large = { data: { k: "x".repeat(2_900_000) } };
  const { status, body } = await server.ask("PATCH", `${BLOBS}/grown`, large, merge);
  expect(status).toBe(500);
  expect(body.reason).toBeUndefined();
  expect(body.message).toMatch(NOT_SENT);
  const kept = await server.ask("GET", `${BLOBS}/grown`);
  expect(Object.keys(kept.body.data)).toEqual(["k0", "k1", "k2"]);
});

test.each([
  ["create", "POST", ""],
  ["apply", "PATCH", "/new?fieldManager=m"],
])("%s of a custom resource of 2.9 MB is refused", async (_verb, method, path) => {
  const body = blob("new", { data: { k: "x".repeat(2_900_000) } });
  const type = method === "POST" ? "application/json" : "application/apply-patch+yaml";
  const answer = await server.ask(method, BLOBS + path, body, { type });
  expect(answer.body).toMatchObject({ code: 500, message: expect.stringMatching(NOT_SENT) });
  expect((await server.ask("GET", `${BLOBS}/new`)).status).toBe(404);
});

test("a built-in object counts as protobuf: a third less than in JSON for bytes, and half for quotes", async () => {
  const annotations = { quotes: '"'.repeat(250_000) };
  const map = {
    metadata: { name: "bytes", annotations },
    binaryData: { b: Buffer.alloc(1_000_000).toString("base64") },
  };
  const taken = await server.ask("POST", CONFIG_MAPS, map);
  expect(taken.status).toBe(201);
  expect(taken.text.length).toBeGreaterThan(1_800_000);
  const resourceNames = Array.from({ length: 18_000 }, (_, index) => `${index}-`.padEnd(100, "x"));
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames }];
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  expect((await server.ask("POST", path, { metadata: { name: "many" }, rules })).body).toEqual(TOO_LARGE);
});

test("what fits only without managedFields is stored without them, but not by an apply", async () => {
  const items = Object.fromEntries(
    Array.from({ length: 36_000 }, (_, index) => [`key-${index}-${"x".repeat(8)}`, ""]),
  );
  const created = await server.ask("POST", BLOBS, blob("owned", { data: items }));
  expect(created.status).toBe(201);
  expect(created.body.metadata.managedFields).toBeUndefined();
  const type = "application/apply-patch+yaml";
  const applied = await server.ask(
    "PATCH",
    `${BLOBS}/applied?fieldManager=m`,
    blob("applied", { data: items }),
    {
      type,
    },
  );
  expect(applied.body).toMatchObject({ code: 500 });
});

test("a large default in a list is filled in no further than an object may grow", async () => {
  const before = process.memoryUsage().rss;
  const cpu = cpuMs();
  const body = blob("spread", { items: Array.from({ length: 3000 }, () => ({})) });
  const { body: answer } = await server.ask("POST", BLOBS, body);
  expect(answer).toMatchObject({ code: 500, message: expect.stringMatching(NOT_SENT) });
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  expect(cpuMs() - cpu).toBeLessThan(1000);
  const few = await server.ask("POST", BLOBS, blob("few", { items: [{}, {}] }));
  expect(few.body.items[1].fill).toHaveLength(100_000);
});

test("a dry run is not refused, for nothing is stored", async () => {
  const body = blob("dry", { data: { k: "x".repeat(2_900_000) } });
  expect((await server.ask("POST", `${BLOBS}?dryRun=All`, body)).status).toBe(201);
});

test("a store that holds larger objects is opened: they are read, shrunk and deleted", async () => {
  const engine = createMemoryEngine();
  const openStore = () => openMvccStore(engine, { clock: systemClock });
  const keyOf = (name: string) => `/registry/example.com/blobs/${name}`;
  const older = await openStore();
  await using first = await Besieged.start({}, { store: older });
  await first.ask("POST", CRDS, blobs(SCHEMA));
  await eventually(
    () => first.ask("GET", BLOBS),
    ({ status }) => status === 200,
  );
  for (const name of ["a", "b"]) {
    await first.ask("POST", BLOBS, blob(name));
    const kv = older.get(keyOf(name));
    if (kv === undefined) throw new Error("it was just made");
    const value = encodeStored({ ...decodeStored(kv), data: { k: "x".repeat(5_000_000) } }, undefined);
    await older.commit([{ type: "update", key: kv.key, value, ifModRevision: kv.modRevision }]);
  }
  await first[Symbol.asyncDispose]();
  await using second = await Besieged.start({}, { store: await openStore() });
  expect((await second.ask("GET", `${BLOBS}/a`)).body.data.k).toHaveLength(5_000_000);
  const labelled = await second.ask("PATCH", `${BLOBS}/a`, { metadata: { labels: { a: "b" } } }, merge);
  expect(labelled.body.message).toMatch(NOT_SENT);
  expect((await second.ask("PATCH", `${BLOBS}/a`, {}, merge)).status).toBe(200); // nothing changes
  expect((await second.ask("PATCH", `${BLOBS}/a`, { data: null }, merge)).status).toBe(200);
  expect((await second.ask("DELETE", `${BLOBS}/b`)).status).toBe(200);
});
