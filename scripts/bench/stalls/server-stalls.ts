// Load on the server as a whole: many requests, many connections, long answers.
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerAccess } from "../client/server-access.ts";
import { maps } from "./filled-store.ts";
import { inTurn, listOf, type RawRequest, type Stall, together } from "./stall.ts";

const SLOW_BODIES = 150;
const SLOW_BODY_MS = 3000;
export const OPENAPI_V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

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
    id: "server/selectors",
    what: "ten lists at once with selectors of 100,000 terms",
    answers: [200, 429],
    arm: async (access) => {
      const list = (seed: number): RawRequest => {
        const terms = listOf(100_000, (index) => `!${seed}k${index.toString(36)}`);
        return { method: "GET", path: `/api/v1/configmaps?limit=1&labelSelector=${terms.join(",")}` };
      };
      return together(access, listOf(10, list));
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

/** Announces 2.9 MB, sends all but the last byte, and then nothing. */
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
