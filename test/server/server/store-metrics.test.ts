// Store metrics in /metrics: in memory, in a folder, and in an etcd that fails for a while.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import { Relay } from "../../support/sockets/relay.ts";

const problem = etcdProblem();
const { inMemory: _, ...STORED } = MEMORY_SERVER;
const MAPS = "/api/v1/namespaces/default/configmaps";
const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";

const after: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of after.splice(0).reverse()) await end();
});

async function serve(options: Partial<ServerOptions>): Promise<Server> {
  const server = await createServer(options);
  after.push(() => server.close());
  return server;
}

type Metrics = (name: string, ...labels: string[]) => number | undefined;

/** One of them, by its name and labels: `x`, `x{a="b"}`. */
async function figuresOf({ url }: Server): Promise<Metrics> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  const lines = new Map<string, number>();
  for (const line of (await answer.text()).split("\n")) {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) lines.set([name, ...labels.split(",").sort()].join(), Number(value));
  }
  return (name, ...labels) => lines.get([name, ...(labels.length === 0 ? [""] : labels.sort())].join());
}

async function send({ url }: Server, method: string, path: string, body?: object): Promise<number> {
  const headers = {
    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
  };
  const answer = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null });
  await answer.arrayBuffer();
  return answer.status;
}

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { name } },
});
const ofMaps = ['group=""', 'resource="configmaps"'];
const ofEgressIps = ['group="k8s.ovn.org"', 'resource="egressips"'];

/** Three ConfigMaps come, one of them twice, one is changed, one goes; an EgressIP comes. */
async function change(server: Server): Promise<void> {
  for (const name of ["a", "b", "c"]) expect(await send(server, "POST", MAPS, configMap(name))).toBe(201);
  expect(await send(server, "POST", MAPS, configMap("a"))).toBe(409);
  expect(await send(server, "PATCH", `${MAPS}/a`, { data: { x: "1" } })).toBe(200);
  expect(await send(server, "DELETE", `${MAPS}/b`)).toBe(200);
  const spec = { egressIPs: ["192.168.126.101"], namespaceSelector: {} };
  const egressIp = { apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" }, spec };
  expect(await send(server, "POST", EGRESS_IPS, egressIp)).toBe(201);
}

function expectWrites(figure: Metrics): void {
  const operation = (name: string) => `operation="${name}"`;
  expect(figure("etcd_requests_total", operation("create"), ...ofMaps)).toBeGreaterThanOrEqual(3);
  for (const name of ["update", "delete"])
    expect(figure("etcd_requests_total", operation(name), ...ofMaps), name).toBe(1);
  expect(figure("etcd_requests_total", operation("create"), ...ofEgressIps)).toBe(1);
  const bucket = (le: string) =>
    figure("etcd_request_duration_seconds_bucket", operation("update"), ...ofMaps, `le="${le}"`);
  expect([bucket("60"), bucket("+Inf")]).toEqual([1, 1]);
  expect(bucket("0.005")).toBeDefined();
  expect(figure("etcd_request_duration_seconds_sum", operation("update"), ...ofMaps)).toBeGreaterThan(0);
  expect(figure("etcd_request_errors_total", operation("create"), ...ofMaps)).toBeUndefined();
  expect(figure("apiserver_resource_objects", ...ofEgressIps)).toBe(1);
  expect(figure("apiserver_storage_objects", 'resource="egressips.k8s.ovn.org"')).toBe(1);
  expect(figure("apiserver_watch_cache_events_dispatched_total", ...ofEgressIps)).toBe(1);
}

/** A page of one, all by a label, and a watch that begins with all. */
async function read(server: Server): Promise<void> {
  expect(await send(server, "GET", `${MAPS}?limit=1`)).toBe(200);
  expect(await send(server, "GET", `${MAPS}?labelSelector=name%3Da`)).toBe(200);
  const ends = AbortSignal.timeout(60_000);
  const watch = await fetch(`${server.url}${MAPS}?watch=1&timeoutSeconds=1`, { signal: ends });
  await watch.body?.cancel();
}

test("a store in memory tells its writes, lists and watches by resource", async () => {
  const server = await serve(MEMORY_SERVER);
  await change(server);
  const before = await figuresOf(server);
  expectWrites(before);
  await read(server);
  const now = await figuresOf(server);
  const more = (name: string) => (now(name, ...ofMaps) ?? 0) - (before(name, ...ofMaps) ?? 0);
  const count = now("apiserver_resource_objects", ...ofMaps) ?? 0;
  const inDefault = 2 + 1; // a, c and kube-root-ca.crt, if there is one
  expect(more("apiserver_storage_list_total")).toBe(2);
  expect(more("apiserver_storage_list_returned_objects_total")).toBe(2);
  expect(more("apiserver_storage_list_fetched_objects_total")).toBeGreaterThanOrEqual(3);
  expect(more("apiserver_storage_list_fetched_objects_total")).toBeLessThanOrEqual(1 + inDefault);
  expect(more("apiserver_storage_list_evaluated_objects_total")).toBe(
    more("apiserver_storage_list_fetched_objects_total"),
  );
  expect(more("apiserver_init_events_total")).toBeGreaterThanOrEqual(2);
  expect(count).toBeGreaterThanOrEqual(2);
  expect(now("apiserver_storage_size_bytes", 'storage_cluster_id="level-0"')).toBeUndefined();
  expect(now("apiserver_cache_list_total", ...ofMaps, 'index=""')).toBeUndefined();
});

test("a store in a folder tells its size as well", async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-metrics-"));
  after.push(() => rm(folder, { recursive: true, force: true }));
  const server = await serve({ ...STORED, store: `level:${join(folder, "data")}` });
  const figure = await figuresOf(server);
  expect(figure("apiserver_storage_size_bytes", 'storage_cluster_id="level-0"')).toBeGreaterThan(1000);
});

describe.skipIf(problem !== undefined)(
  `in etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    async function serveInEtcd() {
      const etcd = await Etcd.start();
      after.push(() => etcd.stop());
      const way = await Relay.to(etcd.endpoint);
      after.push(() => way[Symbol.asyncDispose]());
      return { etcd, way, server: await serve({ ...STORED, store: `etcd://${way.endpoint}` }) };
    }

    test("requests, the cache and calls are told by resource", async () => {
      const { etcd, server } = await serveInEtcd();
      await change(server);
      await read(server);
      await etcd.put("/registry/configmaps/default/broken", Buffer.from("k8s:enc:aescbc:v1:k:x"));
      await send(server, "GET", `${MAPS}/a`); // has seen it
      const figure = await figuresOf(server);
      expectWrites(figure);
      expect(figure("apiserver_storage_decode_errors_total", ...ofMaps)).toBe(1);
      expect(figure("apiserver_storage_events_received_total", ...ofEgressIps)).toBe(1);
      expect(figure("apiserver_watch_cache_events_received_total", ...ofEgressIps)).toBe(1);
      expect(figure("apiserver_watch_cache_initializations_total", 'group=""', 'resource=""')).toBe(1);
      expect(figure("apiserver_cache_list_total", ...ofMaps, 'index=""')).toBeGreaterThanOrEqual(2);
      expect(figure("apiserver_cache_list_returned_objects_total", ...ofMaps)).toBeGreaterThanOrEqual(2);
      expect(figure("apiserver_storage_list_total", ...ofMaps)).toBeUndefined();
      const answered = ['success="true"', 'fallback="false"'];
      const present = figure("apiserver_watch_cache_consistent_read_total", ...ofMaps, ...answered) ?? 0;
      expect(present).toBeGreaterThanOrEqual(4);
      expect(figure("apiserver_watch_cache_read_wait_seconds_count", ...ofMaps)).toBe(present);
      expect(figure("apiserver_storage_size_bytes", 'storage_cluster_id="etcd-0"')).toBeGreaterThan(1000);
      const call = (service: string, method: string, type = "unary") => [
        ...[`grpc_service="etcdserverpb.${service}"`, `grpc_method="${method}"`, `grpc_type="${type}"`],
      ];
      expect(figure("grpc_client_handled_total", ...call("KV", "Txn"), 'grpc_code="OK"')).toBeGreaterThan(5);
      expect(figure("grpc_client_started_total", ...call("Watch", "Watch", "bidi_stream"))).toBeGreaterThan(
        0,
      );
      const majority = ['operation="get"', 'group=""', 'resource=""'];
      expect(figure("etcd_requests_total", ...majority)).toBeGreaterThan(0);
    });

    test("what is encrypted and decrypted is counted under its provider, and its key", async () => {
      const folder = await mkdtemp(join(tmpdir(), "egret-encryption-"));
      after.push(() => rm(folder, { recursive: true, force: true }));
      const encryptionProviderConfig = join(folder, "config.json");
      const provider = {
        aesgcm: { keys: [{ name: "key1", secret: Buffer.alloc(32, 1).toString("base64") }] },
      };
      const config = {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [{ resources: ["configmaps"], providers: [provider, { identity: {} }] }],
      };
      await writeFile(encryptionProviderConfig, JSON.stringify(config));
      const etcd = await Etcd.start();
      after.push(() => etcd.stop());
      const options = { ...STORED, encryptionProviderConfig };
      const server = await serve({ ...options, store: `etcd://${etcd.endpoint}` });
      expect(await send(server, "POST", MAPS, configMap("a"))).toBe(201);
      const figure = await figuresOf(server);
      for (const prefix of ["k8s:enc:aesgcm:v1:", "key1:"]) {
        const labels = ['transformation_type="to_storage"', `transformer_prefix="${prefix}"`];
        const done = figure(
          "apiserver_storage_transformation_operations_total",
          ...[...labels, 'resource="configmaps"', 'status="OK"'],
        );
        expect(done, prefix).toBeGreaterThan(0);
        expect(figure("apiserver_storage_transformation_duration_seconds_count", ...labels)).toBe(done);
      }
    });

    test("what is tried again is counted by what was wrong", async () => {
      const { etcd, way, server } = await serveInEtcd();
      const ranges = async (name: string) =>
        (await figuresOf(server))(
          ...([name, 'grpc_service="etcdserverpb.KV"', 'grpc_method="Range"', 'grpc_type="unary"'] as const),
        ) ?? 0;
      const before = await ranges("grpc_client_started_total");
      etcd.pause();
      const list = send(server, "GET", MAPS);
      await expect
        .poll(() => ranges("grpc_client_started_total"), { timeout: 30_000 })
        .toBeGreaterThan(before);
      way.cut();
      const retries = async () =>
        (await figuresOf(server))("etcd_request_retry_total", 'error="Unavailable"') ?? 0;
      await expect.poll(retries, { timeout: 30_000 }).toBeGreaterThan(0);
      const size = (await figuresOf(server))("apiserver_storage_size_bytes", 'storage_cluster_id="etcd-0"');
      expect(size).toBeUndefined();
      etcd.resume();
      way.mend();
      expect(await list).toBe(200);
    });
  },
);
