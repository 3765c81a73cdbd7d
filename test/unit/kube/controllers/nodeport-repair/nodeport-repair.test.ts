import { beforeEach, expect, test } from "vitest";
import type { NodePorts } from "../../../../../src/controller/definition.ts";
import { nodePortRepair } from "../../../../../src/kube/controllers/nodeport-repair.ts";
import { NodePortAllocations } from "../../../../../src/server/node-port-allocations.ts";
import { ApiWorld, core, EVENTS } from "../../../../support/api-world.ts";

const SERVICES = core("services");
const ROUND_MS = 180_000;
const keyOf = (port: number): string => `/registry/ranges/servicenodeports/${port}`;

let world: ApiWorld;
let kept: NodePortAllocations;
/** Called when the ports have been read, and the Services not yet. */
let between: () => Promise<unknown> = async () => {};
beforeEach(async () => {
  between = async () => {};
  let tell: (ports: NodePortAllocations) => void = () => {};
  const ready = new Promise<NodePortAllocations>((resolve) => {
    tell = resolve;
  });
  const nodePorts: NodePorts = {
    taken: async () => {
      const taken = await (await ready).taken();
      await between();
      return taken;
    },
    range: "30000-30100",
    isInRange: (port) => kept.isInRange(port),
    portsOf: (service) => kept.portsOf(service),
    take: (port, service) => kept.take(port, service),
    giveBack: (port) => kept.giveBack(port),
  };
  const create: typeof nodePortRepair.create = (deps) => nodePortRepair.create({ ...deps, nodePorts });
  world = await ApiWorld.open([{ ...nodePortRepair, create }]);
  kept = new NodePortAllocations(world.store, { first: 30_000, last: 30_100 });
  tell(kept);
  await world.settled();
});

async function round(): Promise<void> {
  world.clock.advance(ROUND_MS);
  await world.settled();
}

const service = (name: string, ...nodePorts: number[]) => {
  const ports = nodePorts.map((nodePort, index) => ({ name: `p${index}`, port: 80 + index, nodePort }));
  return world.create(SERVICES, { name, namespace: "a" }, { spec: { type: "NodePort", ports } });
};

async function told(): Promise<string[]> {
  const { items } = await world.client.list(EVENTS);
  return items.map(({ metadata, ...event }) => {
    const about = event["involvedObject"] as { name: string };
    return `${event["type"]} ${event["reason"]} ${about.name}: ${event["message"]} (${event["count"]})`;
  });
}

test("a port that nobody has is free again the third time that it is seen", async () => {
  await service("web", 30_001);
  await world.store.commit([{ type: "create", key: keyOf(30_002), value: Buffer.alloc(0) }]);
  for (const taken of [[30_001, 30_002], [30_001, 30_002], [30_001]]) {
    await round();
    expect(await kept.taken()).toEqual(taken);
  }
  expect(world.log.lines.filter((line) => line.includes("30002"))).toHaveLength(1);
});

test("a port that comes to somebody in time stays his, and is counted anew when it is left behind later", async () => {
  await world.store.commit([{ type: "create", key: keyOf(30_002), value: Buffer.alloc(0) }]);
  await round();
  await round();
  await kept.giveBack(30_002);
  await service("web", 30_002);
  await round();
  await round();
  expect(await kept.taken()).toEqual([30_002]);
  await world.client.delete(SERVICES, { namespace: "a", name: "web" });
  await world.store.commit([{ type: "create", key: keyOf(30_002), value: Buffer.alloc(0) }]);
  await round();
  await round();
  expect(await kept.taken()).toEqual([30_002]);
  await round();
  expect(await kept.taken()).toEqual([]);
});

test("a port of a Service that nobody has noted is noted, and the Service is told", async () => {
  await service("web", 30_001, 30_002);
  await kept.giveBack(30_002);
  await round();
  expect(await kept.taken()).toEqual([30_001, 30_002]);
  await round();
  expect(await told()).toEqual(["Warning PortNotAllocated web: Port 30002 is not allocated; repairing (1)"]);
});

test("of two Services with one port the second is told each time", async () => {
  await service("a", 30_001);
  await kept.giveBack(30_001);
  await service("b", 30_001);
  await round();
  await round();
  expect(await told()).toEqual([
    "Warning PortAlreadyAllocated b: Port 30001 was assigned to multiple services; please recreate service (2)",
  ]);
});

test("a Service with a port of another range is told each time, and the port is not noted", async () => {
  await service("web", 30_001, 30_101);
  await kept.giveBack(30_101);
  await round();
  await round();
  expect(await kept.taken()).toEqual([30_001]);
  expect(kept.range).toBe("30000-30100");
  expect(await told()).toEqual([
    "Warning PortOutOfRange web: Port 30101 is not within the port range 30000-30100; please recreate service (2)",
  ]);
});

test("a Service that comes or goes while the ports are read leaves nothing wrong behind", async () => {
  await service("goes", 30_001);
  between = async () => {
    between = async () => {};
    await world.client.delete(SERVICES, { namespace: "a", name: "goes" });
    await service("comes", 30_002);
  };
  for (let rounds = 0; rounds < 4; rounds++) {
    await round();
    expect(await kept.taken()).toEqual([30_002]);
  }
  expect(await told()).toEqual([]);
});

test("a port is not taken for a Service that has become another one", async () => {
  const old = await service("web", 30_001);
  await kept.giveBack(30_001);
  await world.client.delete(SERVICES, { namespace: "a", name: "web" });
  expect(await kept.take(30_001, old)).toBe(false);
  expect(await kept.taken()).toEqual([]);
});
