import { expect, test } from "vitest";
import { core, NAMESPACES } from "../../../../support/api-world.ts";
import { inA, openWorld } from "../endpoints/support.ts";

const ACCOUNTS = core("serviceaccounts");

test("each namespace has the ServiceAccount default, also one that is made later", async () => {
  const world = await openWorld("serviceaccount");
  await world.create(NAMESPACES, { name: "later" });
  await world.settled();
  for (const namespace of ["default", "a", "b", "later"]) {
    expect(await world.names(ACCOUNTS, { namespace })).toEqual(["default"]);
  }
});

test("it is made again when it is deleted, and left as it is when it is changed", async () => {
  const world = await openWorld("serviceaccount");
  await world.settled();
  await world.client.delete(ACCOUNTS, inA("default"));
  await world.settled();
  expect(await world.names(ACCOUNTS, { namespace: "a" })).toEqual(["default"]);
  await world.change(ACCOUNTS, inA("default"), { labels: { own: "x" } });
  await world.settled();
  expect((await world.get(ACCOUNTS, inA("default")))?.metadata.labels).toEqual({ own: "x" });
});

test("it is not made again in a namespace that goes", async () => {
  const world = await openWorld("serviceaccount", "namespace");
  await world.change(NAMESPACES, { namespace: "", name: "a" }, { finalizers: ["example.com/hold"] });
  await world.settled();
  await world.client.delete(NAMESPACES, { namespace: "", name: "a" });
  await world.settled();
  world.clock.advance(1_000);
  await world.settled();
  expect(await world.names(ACCOUNTS, { namespace: "a" })).toEqual([]);
  expect(world.log.lines).toEqual([]);
});
