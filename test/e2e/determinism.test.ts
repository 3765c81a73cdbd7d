// With a seed and a frozen clock a server is deterministic: two servers that get the same requests in sequence return the
// same bytes, whatever their controllers do in between.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { createServer, type Server, type ServerOptions } from "../../src/server/server.ts";

const START = "2030-01-02T03:04:05Z";
const RUNS = 10;

/** Of some of the requests below, the resource by the end of the path. */
const KINDS = [
  ["/namespaces", { group: "", version: "v1", resource: "namespaces" }],
  ["/nodes", { group: "", version: "v1", resource: "nodes" }],
  ["/egressips", { group: "k8s.ovn.org", version: "v1", resource: "egressips" }],
] as const;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const open: Server[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

const start = async (options: Partial<ServerOptions> = {}): Promise<Server> => {
  const server = await createServer({
    inMemory: true,
    kubeconfig: undefined,
    listen: "127.0.0.1:0",
    logLevel: "silent",
    controllers: "*",
    clock: START,
    seed: "a test",
    ...options,
  });
  open.push(server);
  return server;
};

/** Status, headers and body, in one text. */
async function send(server: Server, { method, path, body }: Asked): Promise<string> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(new URL(path, server.url), {
    method,
    headers: { "content-type": type, "user-agent": "determinism/1" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return `${method} ${path}\n${answer.status}\n${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
}

const sendJson = async (server: Server, asked: Asked) =>
  JSON.parse((await send(server, asked)).split("\n").slice(3).join("\n"));

const node = (name: string, host: number): Asked => ({
  method: "POST",
  path: "/api/v1/nodes",
  body: {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      labels: { "k8s.ovn.org/egress-assignable": "" },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"10.0.0.${host}/24"}`,
        "k8s.ovn.org/host-cidrs": `["10.0.0.${host}/24"]`,
      },
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  },
});

const egressIp = (host: number): Asked => ({
  method: "POST",
  path: "/apis/k8s.ovn.org/v1/egressips",
  body: {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { generateName: "ip-" },
    spec: { egressIPs: [`10.0.0.${host}`], namespaceSelector: { matchLabels: { team: "a" } } },
  },
});

const pod = (name: string, nodeName: string): Asked => ({
  method: "POST",
  path: "/api/v1/namespaces/shop/pods",
  body: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "web" } },
    spec: { nodeName, containers: [{ name: "c", image: "i" }] },
  },
});

const SERVICE: Asked = {
  method: "POST",
  path: "/api/v1/namespaces/shop/services",
  body: {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80 }] },
  },
};

const WIDGETS: Asked = {
  method: "POST",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  },
};

const widget = (finalizers: string[]): Asked => ({
  method: "POST",
  path: "/apis/example.com/v1/namespaces/shop/widgets",
  body: { apiVersion: "example.com/v1", kind: "Widget", metadata: { generateName: "w-", finalizers } },
});

const REQUESTS: readonly Asked[] = [
  {
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "a" } } },
  },
  egressIp(100), // before there is a node for it
  ...[11, 12, 13].map((host) => node(`node-${host}`, host)),
  ...[101, 102, 103, 104].map(egressIp),
  WIDGETS,
  widget([]),
  SERVICE,
  ...["a", "b", "c"].map((name, index) => pod(name, `node-${11 + index}`)),
  {
    method: "PATCH",
    path: "/api/v1/namespaces/shop/pods/a/status",
    body: { status: { phase: "Running", podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] } },
  },
  {
    method: "POST",
    path: "/api/v1/namespaces/shop/serviceaccounts/default/token",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  },
  {
    method: "PATCH",
    path: "/api/v1/nodes/node-11",
    body: { metadata: { annotations: { "egret.dev/reachable": "false" } } },
  },
  { method: "POST", path: "/egret/v1/clock/advance", body: { duration: "1m" } },
  { method: "DELETE", path: "/api/v1/nodes/node-12" },
  { method: "DELETE", path: "/api/v1/namespaces/shop/pods/b" },
  { method: "DELETE", path: "/apis/k8s.ovn.org/v1/egressips" },
  { method: "DELETE", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com" },
  { method: "GET", path: "/api/v1/namespaces/nowhere/pods/none" },
  { method: "DELETE", path: "/api/v1/namespaces/shop" },
  { method: "POST", path: "/egret/v1/clock/advance", body: { to: "2030-01-02T04:00:00Z" } },
];

/** Every list that there is, as the paths of discovery say. */
async function listPaths(server: Server): Promise<string[]> {
  const { groups } = await sendJson(server, { method: "GET", path: "/apis" });
  const versions: string[] = groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  );
  const paths: string[] = [];
  for (const base of ["/api/v1", ...versions]) {
    const { resources } = await sendJson(server, { method: "GET", path: base });
    for (const { name, verbs } of resources as { name: string; verbs: string[] }[]) {
      if (verbs.includes("list")) paths.push(`${base}/${name}`);
    }
  }
  return paths;
}

/** Further reads of the stored state and of the recorded activity. */
const OTHERS = [
  "/api/v1/nodes?limit=1",
  "/egret/v1/export?full=true",
  "/egret/v1/requests",
  "/egret/v1/history/nodes/node-11",
  "/version",
];

/** All that a server has to say to the same requests, and at the end of all that it holds. */
async function transcript(options: Partial<ServerOptions> = {}): Promise<readonly string[]> {
  const server = await start(options);
  const answers: string[] = [];
  for (const asked of REQUESTS) answers.push(await send(server, asked));
  for (const path of await listPaths(server)) answers.push(await send(server, { method: "GET", path }));
  for (const path of OTHERS) answers.push(await send(server, { method: "GET", path }));
  return answers;
}

describe("with a seed and a clock that stands", () => {
  test(`${RUNS} servers give the same bytes`, async () => {
    const first = await transcript();
    const failed = first
      .filter((answer) => !/\n20[01]\n/.test(answer))
      .map((answer) => answer.split("\n")[0]);
    expect(failed).toEqual(["GET /api/v1/namespaces/nowhere/pods/none"]);
    for (let run = 1; run < RUNS; run++) expect(await transcript()).toEqual(first);
  }, 180_000);

  test("so do two that write to disks", async () => {
    const folder = async () => {
      const made = await mkdtemp(join(tmpdir(), "egret-determinism-"));
      folders.push(made);
      return { inMemory: false, dataDir: join(made, "data") };
    };
    expect(await transcript(await folder())).toEqual(await transcript(await folder()));
  }, 180_000);

  test("so do two that are asked in the process", async () => {
    const run = async (): Promise<unknown> => {
      const made = await mkdtemp(join(tmpdir(), "egret-determinism-"));
      folders.push(made);
      const server = await start({ inMemory: false, dataDir: join(made, "data") });
      const client = server.clientFor("a test");
      const answers: unknown[] = [];
      for (const { method, path, body } of REQUESTS) {
        const resource = KINDS.find(([end]) => method === "POST" && path.endsWith(end))?.[1];
        if (resource) answers.push(await client.create(resource, body as KubeObject)); // as they stand above
      }
      for (const [, resource] of KINDS) answers.push(await client.list(resource));
      return answers;
    };
    expect(await run()).toEqual(await run());
  }, 180_000);

  test("two watches of the same requests get the same bytes", async () => {
    const watched = async (): Promise<string> => {
      const server = await start();
      const path = "/apis/k8s.ovn.org/v1/egressips?watch=true&timeoutSeconds=120&allowWatchBookmarks=true";
      const watch = await fetch(new URL(path, server.url));
      for (const asked of REQUESTS) await send(server, asked);
      return `${JSON.stringify([...watch.headers])}\n${await watch.text()}`; // advancing the clock has ended it
    };
    const [first, second] = [await watched(), await watched()];
    expect(first).toContain('"BOOKMARK"');
    expect(second).toEqual(first);
  }, 180_000);
});

test("another seed, and no seed, give other uids", async () => {
  const uidOf = async (seed: string | undefined): Promise<string> => {
    const server = await start({ seed });
    return (await sendJson(server, { method: "GET", path: "/api/v1/namespaces/default" })).metadata.uid;
  };
  const uids = [await uidOf("one"), await uidOf("two"), await uidOf(undefined), await uidOf(undefined)];
  expect(new Set(uids).size).toBe(4);
});

test("a server that keeps its objects does not give new ones the uids of old ones", async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-determinism-"));
  folders.push(folder);
  const run = async (name: string): Promise<string> => {
    const server = await start({ inMemory: false, dataDir: join(folder, "data") });
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const { metadata } = await sendJson(server, { method: "POST", path: "/api/v1/namespaces", body });
    const { items } = await sendJson(server, { method: "GET", path: "/api/v1/namespaces" });
    const uids = items.map((item: { metadata: { uid: string } }) => item.metadata.uid);
    expect(new Set(uids).size).toBe(uids.length);
    await server.close();
    open.length = 0;
    return metadata.uid;
  };
  expect(await run("one")).not.toBe(await run("two"));
}, 180_000);
