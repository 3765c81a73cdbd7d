// What lays itself upon the whole server: many objects, many connections, long answers.
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerAccess } from "../client/server-access.ts";
import { TABLE } from "./object-stalls.ts";
import { inTurn, listOf, must, type RawRequest, type Stall, statusOf, together } from "./stall.ts";

const SLOW_BODIES = 150;
const SLOW_BODY_MS = 3000;
const CREATED_AT_ONCE = 50;
const OPENAPI_V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

export const SERVER_STALLS: readonly Stall[] = [
  {
    id: "server/import",
    what: "an import of 5,000 objects",
    answers: [200],
    arm: async (access) => {
      const body = JSON.stringify({ apiVersion: "v1", kind: "List", items: maps(5000, "imported") });
      return inTurn(access, [{ method: "POST", path: "/egret/v1/import", body }]);
    },
  },
  {
    id: "server/lists",
    what: "lists of 10,000 objects as JSON, YAML and Table",
    answers: [200],
    arm: async (access) => {
      await fill(access, "listed", 10_000);
      const path = "/api/v1/namespaces/listed/configmaps";
      const forms = ["application/json", "application/yaml", TABLE, `${TABLE},application/json`];
      const selected = `${path}?labelSelector=${encodeURIComponent("a!=b,c notin (d,e)")}`;
      return together(access, [
        ...forms.map((accept) => ({ method: "GET", path, accept })),
        { method: "GET", path: selected },
        { method: "GET", path: "/egret/v1/export?full=true" },
      ]);
    },
  },
  {
    id: "server/collection",
    what: "10,000 objects deleted at once",
    answers: [200],
    arm: async (access) => {
      await fill(access, "collected", 10_000);
      return inTurn(access, [{ method: "DELETE", path: "/api/v1/namespaces/collected/configmaps" }]);
    },
  },
  {
    id: "server/namespace",
    what: "a namespace of 10,000 objects deleted",
    answers: [200, 404],
    arm: async (access) => {
      await fill(access, "emptied", 10_000);
      const path = "/api/v1/namespaces/emptied";
      return async () => {
        const statuses = [await statusOf(access, { method: "DELETE", path })];
        for (let tries = 0; statuses.at(-1) !== 404 && tries < 300; tries++) {
          await delay(100);
          statuses.push(await statusOf(access, { method: "GET", path }));
        }
        return statuses;
      };
    },
  },
  {
    id: "server/openapi",
    what: "OpenAPI v2 as protobuf, twenty times",
    answers: [200],
    arm: async (access) => {
      const request = { method: "GET", path: "/openapi/v2", accept: OPENAPI_V2 };
      return inTurn(
        access,
        listOf(20, () => request),
      );
    },
  },
  {
    id: "server/metrics",
    what: "2,000 invented resources, and /metrics",
    answers: [200, 404],
    arm: async (access) => {
      const invented = listOf(2000, (index) => ({ method: "GET", path: `/apis/x${index}.io/v1/y${index}` }));
      return inTurn(access, [...invented, { method: "GET", path: "/metrics" }]);
    },
  },
  {
    id: "server/slow-bodies",
    what: "150 bodies of 2.9 MB that do not end",
    answers: [],
    arm: async (access) => async () => {
      const sockets = await Promise.all(listOf(SLOW_BODIES, () => slowBody(access)));
      await delay(SLOW_BODY_MS);
      for (const socket of sockets) socket.destroy();
      return [];
    },
  },
  {
    id: "server/together",
    what: "sixteen creates of 1.4 MB at once",
    answers: [201, 409, 429],
    arm: async (access) => {
      const create = (index: number): RawRequest => ({
        method: "POST",
        path: "/api/v1/namespaces/default/configmaps",
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: `large-${index}` },
          data: { text: "x".repeat(1_000_000) },
        }),
      });
      return together(access, listOf(16, create));
    },
  },
];

const maps = (count: number, name: string, namespace = "default") =>
  listOf(count, (index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-${index}`, namespace, labels: { app: `app-${index % 100}` } },
    data: { key: `value ${index}` },
  }));

async function fill(access: ServerAccess, namespace: string, count: number): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await must(access, { method: "POST", path: "/api/v1/namespaces", body }, [201]);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const objects = maps(count, "map", namespace);
  for (let from = 0; from < count; from += CREATED_AT_ONCE) {
    const some = objects.slice(from, from + CREATED_AT_ONCE);
    await Promise.all(
      some.map((object) => must(access, { method: "POST", path, body: JSON.stringify(object) })),
    );
  }
}

/** Promises 2.9 MB, sends all but the last byte, and is silent. */
async function slowBody({ url }: ServerAccess): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.resume();
  const bytes = 2_900_000;
  const head = [
    "POST /api/v1/namespaces/default/configmaps HTTP/1.1",
    `Host: ${hostname}:${port}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes - 1, " "));
  return socket;
}
