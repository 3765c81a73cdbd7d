// CloudPrivateIPConfigs in OpenShift 4.13: src/ovn/rules.md R105 and R106.
import { afterEach, expect, test } from "vitest";
import { CloudWorld, FINALIZER } from "./support.ts";

let world: CloudWorld;
afterEach(() => world.stop());

test("of a missing node nothing is said: the request stays pending, and is tried again", async () => {
  world = await CloudWorld.start("aws", ["n1"], "openshift-4.13");
  await world.ask("n2");
  expect(world.takeHistory()).toEqual(["n2 Unknown CloudResponsePending: Adding IP address"]);
  await world.advance(60_000);
  expect(world.takeHistory()).toEqual([]);
  expect((await world.config())?.metadata.finalizers).toEqual([FINALIZER]);
  expect(world.log.lines.some((line) => line.includes('node \\"n2\\" not found'))).toBe(true);
});

test("once the node is there the address is added", async () => {
  world = await CloudWorld.start("aws", ["n1"], "openshift-4.13");
  await world.ask("n2");
  await world.addNode("n2", { ipv4: "192.168.126.12/24" });
  expect(world.takeHistory().at(-1)).toBe("n2 True CloudResponseSuccess: IP address successfully added");
});
