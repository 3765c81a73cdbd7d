// The cost of one pod: it may have many networks, each with a long configuration.
import { afterEach, beforeEach, expect, test } from "vitest";
import { cpuMs } from "../../../../support/cpu-time.ts";
import { core, NADS, nadObject, type World } from "../networks/support.ts";
import { addPod, allocations, configOf, startWhereabouts } from "./support.ts";

const POOL = "10.1.0.0-16";
/** 400 KB. */
const LONG = { range: "10.1.0.0/16", note: "x".repeat(1000), more: Array(60_000).fill("a note") };

let world: World;
beforeEach(async () => {
  world = await startWhereabouts();
  await world.add(NADS, nadObject("ns", "net", configOf(LONG)));
});
afterEach(() => world.stop());

const messages = async (): Promise<unknown[]> => {
  const { items } = await world.client.list(core("events"), { namespace: "ns" });
  return items.map((event) => ({ ...event })["message"]);
};

test("a pod that attaches to thousands of networks is told that it gets nothing", async () => {
  const before = cpuMs();
  await addPod(world, "p", Array(10_000).fill("net").join(","));
  expect(cpuMs() - before).toBeLessThan(5000);
  expect(await messages()).toEqual([
    "Failed to create pod sandbox: error at storage engine: the pod attaches to 10000 networks, at most 256 are served",
  ]);
  expect(await allocations(world, POOL)).toBeUndefined();
});

test("a pod that asks for too many addresses is told so", async () => {
  const ipRanges = Array.from({ length: 300 }, (_, index) => ({ range: `10.${2 + (index % 250)}.0.0/24` }));
  await world.add(NADS, nadObject("ns", "wide", configOf({ ipRanges })));
  await addPod(world, "p", "wide,wide");
  expect(await messages()).toEqual([
    "Failed to create pod sandbox: error at storage engine: the pod asks for 600 addresses, at most 512 are given",
  ]);
});

test("a network's long configuration is read once for all of a pod's interfaces", async () => {
  const parse = JSON.parse;
  let read = 0;
  JSON.parse = (text: string, ...more) => {
    if (text.length > 400_000 && text.startsWith('{"cniVersion"')) read++;
    return parse(text, ...more);
  };
  try {
    await addPod(world, "p", Array(50).fill("net").join(","));
  } finally {
    JSON.parse = parse;
  }
  expect(await allocations(world, POOL)).toHaveLength(50);
  expect(read).toBe(1);
});
