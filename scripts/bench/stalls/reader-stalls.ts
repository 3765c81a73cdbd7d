// Clients that read what is most expensive to send, or do not read it: large events to thousands of watchers, lists that
// no client reads, long URLs, logins.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerAccess } from "../client/server-access.ts";
import { inTurn, listOf, must, type RawRequest, type Stall, statusOf, together } from "./stall.ts";

const WATCHERS = 2000;
const EVENTS = 3;
const EVENT_BYTES = 700_000;
const WATCHED_MS_MAX = 60_000;
const UNREAD_LISTS = 200;
const UNREAD_MS = 3000;
const LISTED = 60;
const URL_BYTES = 980_000;
const NAMESPACE = "/api/v1/namespaces/default";

export const READER_STALLS: readonly Stall[] = [
  {
    id: "readers/large-events",
    what: "2,000 watchers, and three events of 0.7 MB",
    answers: [201, 200],
    arm: async (access) => {
      const name = "watched";
      const sent = await openWatches(
        access,
        `${NAMESPACE}/configmaps?watch=1&fieldSelector=metadata.name%3D${name}`,
      );
      return async () => {
        const statuses: number[] = [];
        for (let index = 0; index < EVENTS; index++)
          statuses.push(await statusOf(access, index === 0 ? create(name, index) : replace(name, index)));
        await sent.reached(EVENTS * EVENT_BYTES);
        sent.close();
        return statuses;
      };
    },
  },
  {
    id: "readers/unread-lists",
    what: "200 lists of 42 MB in YAML that are not read",
    answers: [],
    arm: async (access) => {
      for (let index = 0; index < LISTED; index++)
        await must(access, create(`listed-${index}`, index), [201, 409]);
      return async () => {
        const sockets = await Promise.all(listOf(UNREAD_LISTS, () => openUnread(access)));
        await delay(UNREAD_MS);
        for (const socket of sockets) socket.destroy();
        return [];
      };
    },
  },
  {
    id: "readers/long-urls",
    what: "400 GETs whose query has 980 kB",
    answers: [200],
    arm: async (access) =>
      inTurn(
        access,
        listOf(400, (index) => ({
          method: "GET",
          path: `${NAMESPACE}/configmaps?limit=1&x${index}=${"y".repeat(URL_BYTES)}`,
        })),
      ),
  },
  {
    id: "readers/logins",
    what: "1,000 logins, and thirty with 2.6 MB of YAML",
    answers: [204, 413],
    arm: async (access) => {
      const login = { method: "POST", path: "/egret/v1/ui/login", body: "{}" };
      const long = { ...login, type: "application/yaml", body: "- [x, y]\n".repeat(290_000) };
      const [short, large] = [
        inTurn(
          access,
          listOf(1000, () => login),
        ),
        together(
          access,
          listOf(30, () => long),
        ),
      ];
      return async () => (await Promise.all([short(), large()])).flat().filter((status) => status !== 0);
    },
  },
];

const bodyOf = (name: string, index: number): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { text: String(index).repeat(EVENT_BYTES).slice(0, EVENT_BYTES) },
  });
const create = (name: string, index: number): RawRequest => ({
  ...{ method: "POST", path: `${NAMESPACE}/configmaps`, body: bodyOf(name, index) },
});
const replace = (name: string, index: number): RawRequest => ({
  ...{ method: "PUT", path: `${NAMESPACE}/configmaps/${name}`, body: bodyOf(name, index) },
});

interface Watches {
  /** Resolves once each has received so many bytes, or on a timeout. */
  reached(bytes: number): Promise<void>;
  close(): void;
}

async function openWatches(access: ServerAccess, path: string): Promise<Watches> {
  const received = new Map<Socket, number>();
  for (let from = 0; from < WATCHERS; from += 100) {
    const opened = listOf(100, async () => {
      const socket = send(access, path, "application/json");
      await once(socket, "data");
      received.set(socket, 0);
      socket.on("data", (chunk: Buffer) => received.set(socket, (received.get(socket) ?? 0) + chunk.length));
    });
    await Promise.all(opened);
  }
  return {
    async reached(bytes) {
      const until = performance.now() + WATCHED_MS_MAX;
      while ([...received.values()].some((count) => count < bytes)) {
        if (performance.now() > until) throw new Error("a watcher has not received all events");
        await delay(50);
      }
    },
    close() {
      for (const socket of received.keys()) socket.destroy();
    },
  };
}

async function openUnread(access: ServerAccess): Promise<Socket> {
  const socket = send(access, `${NAMESPACE}/configmaps`, "application/yaml");
  await Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.pause();
  return socket;
}

function send({ url }: ServerAccess, path: string, accept: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: ${accept}\r\n\r\n`);
  return socket;
}
