// Limits of open connections: which one is closed for a new one, and that the counts match the sockets.
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { connectionsFor, resolveConnectionLimits } from "../../../../src/apiserver/http/descriptors.ts";
import { addressKey, OpenConnections } from "../../../../src/apiserver/http/open-connections.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remotePort = 1;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    queueMicrotask(() => this.emit("close"));
  }
}

class World {
  readonly #server = new EventEmitter();
  readonly table: OpenConnections;
  readonly sockets: FakeSocket[] = [];

  constructor(connectionsMax: number, connectionsPerAddressMax: number) {
    const fastify = { server: this.#server } as unknown as FastifyInstance;
    this.table = new OpenConnections(fastify, { connectionsMax, connectionsPerAddressMax }, false);
  }

  connect(address = "10.0.0.1"): FakeSocket {
    const socket = new FakeSocket(address);
    this.sockets.push(socket);
    this.#server.emit("connection", socket);
    return socket;
  }

  /** Returns what ends the request. */
  request(socket: FakeSocket, name: string, groups: readonly string[] = []): () => void {
    const response = new EventEmitter();
    const request = { socket } as unknown as IncomingMessage;
    this.table.use(request, response as ServerResponse, { name, groups });
    return () => response.emit("close");
  }

  get open(): FakeSocket[] {
    return this.sockets.filter(({ destroyed }) => !destroyed);
  }
}

test("the connection that has been idle for the longest time is closed for a new one", () => {
  const world = new World(3, 3);
  const [first, second, third] = [world.connect(), world.connect(), world.connect()];
  world.request(first, "jane")(); // its idle time begins anew
  const fourth = world.connect();
  expect(world.open).toEqual([first, third, fourth]);
  expect(second.destroyed).toBe(true);
});

test("an address that has its share closes its own, and others still get in", () => {
  const world = new World(4, 2);
  const other = world.connect("10.0.0.2");
  const [oldest] = [world.connect(), world.connect(), world.connect()];
  expect([oldest.destroyed, other.destroyed, world.open.length]).toEqual([true, false, 3]);
});

test("when all are in use the user with a large share loses the oldest, and never an administrator", () => {
  const world = new World(8, 8);
  const many = Array.from({ length: 4 }, () => world.connect());
  const admins = Array.from({ length: 4 }, () => world.connect());
  for (const socket of many) world.request(socket, "many");
  for (const socket of admins) world.request(socket, "root", ["system:masters"]);
  const fresh = world.connect();
  expect([many[0]?.destroyed, fresh.destroyed]).toEqual([true, false]);
  for (const socket of admins) expect(socket.destroyed).toBe(false);
});

test("when all are in use and no user has a large share a new one is refused", () => {
  const world = new World(8, 8);
  for (let index = 0; index < 8; index++) world.request(world.connect(), `user-${index % 4}`);
  expect(world.connect().destroyed).toBe(true);
});

test("a server that stops waits for requests, then for connections, and closes what is left", async () => {
  const world = new World(8, 8);
  const [idle, busy] = [world.connect(), world.connect()];
  const end = world.request(busy, "jane");
  const told: string[] = [];
  const unused = world.table.unused().then(() => void told.push("unused"));
  await Promise.resolve();
  expect(told).toEqual([]);
  end();
  await unused;
  const closed = world.table.closed().then(() => void told.push("closed"));
  idle.destroy();
  await Promise.resolve();
  expect(told).toEqual(["unused"]);
  world.table.destroy();
  await closed;
  expect([told, busy.destroyed, world.table.count]).toEqual([["unused", "closed"], true, 0]);
});

type Step =
  | { readonly do: "connect"; readonly address: number }
  | { readonly do: "request" | "end" | "close"; readonly which: number; readonly user: number };

const step = fc.oneof(
  fc.record({ do: fc.constant("connect" as const), address: fc.nat(3) }),
  fc.record({
    do: fc.constantFrom("request" as const, "end" as const, "close" as const),
    which: fc.nat(40),
    user: fc.nat(3),
  }),
);

test("whatever happens, the bounds hold and what is counted is what is open", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps: Step[]) => {
      const world = new World(8, 6);
      const ends: (() => void)[] = [];
      for (const item of steps) {
        const socket = "which" in item ? world.open[item.which % Math.max(world.open.length, 1)] : undefined;
        if (item.do === "connect") world.connect(`10.0.0.${item.address}`);
        else if (item.do === "end") ends.shift()?.();
        else if (item.do === "close") socket?.destroy();
        else if (socket) {
          const groups = item.user === 0 ? ["system:masters"] : [];
          ends.push(world.request(socket, `user-${item.user}`, groups));
        }
        await Promise.resolve(); // sockets emit "close"
        expect(world.table.count).toBe(world.open.length);
        expect(world.open.length).toBeLessThanOrEqual(8);
        for (let address = 0; address < 4; address++) {
          const of = world.open.filter(({ remoteAddress }) => remoteAddress === `10.0.0.${address}`);
          expect(of.length).toBeLessThanOrEqual(6);
        }
      }
    }),
  );
});

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["fd00:1:2:3:4:5:6:7", "fd00:1:2:3"],
  ["fd00:1::9", "fd00:1:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
])("the address %s counts as %s", (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test("connections leave descriptors for everything else, and fit the heap", () => {
  const heapBytes = 4 * 1024 ** 3;
  expect(connectionsFor({ openFilesMax: 256, openFiles: 30, heapBytes })).toBe(256 - 30 - 64 - 32);
  expect(connectionsFor({ openFilesMax: 64, openFiles: 60, heapBytes })).toBe(16);
  expect(connectionsFor({ openFilesMax: 1_000_000, openFiles: 30, heapBytes })).toBe(65_536);
  const process = { openFilesMax: 1024, openFiles: 32, heapBytes };
  const derived = resolveConnectionLimits({ connectionsMax: 0, connectionsPerAddressMax: 0 }, process);
  expect(derived).toEqual({ connectionsMax: 800, connectionsPerAddressMax: 600 });
  const given = resolveConnectionLimits({ connectionsMax: 10, connectionsPerAddressMax: 50 }, process);
  expect(given).toEqual({ connectionsMax: 10, connectionsPerAddressMax: 10 });
});
