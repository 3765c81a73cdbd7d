import { describe, expect, test } from "vitest";
import type { Fault } from "../../../../src/features/faults/fault.ts";
import { faultyClients } from "../../../../src/features/faults/faults.ts";
import { FakeClient } from "../../../support/fake-client.ts";
import { NODES, nodeObject } from "../../kube/controllers/support.ts";
import { faultWorld } from "./support.ts";

const MANAGER = "cluster-manager";
const KEY = { namespace: "", name: "a" };
const CONFLICT: Fault = { match: { userAgent: MANAGER, verb: "update", name: "a" }, error: { code: 409 } };

function world(fault: Fault) {
  const { faults, clock, deps } = faultWorld();
  const inner = new FakeClient();
  void inner.create(NODES, nodeObject("a"));
  const client = faultyClients(() => inner, faults, deps)(MANAGER);
  const report = faults.add(fault);
  return { client, clock, inner, fired: () => faults.get(report.id)?.fired };
}

describe("a controller inside the server", () => {
  test("meets an error that names it", async () => {
    const { client, fired } = world(CONFLICT);
    const live = await client.get(NODES, KEY);
    await expect(client.update(NODES, live)).rejects.toMatchObject({ code: 409, reason: "Conflict" });
    expect(fired()).toBe(1);
  });

  test("meets none that names nobody", async () => {
    const { client, fired } = world({ error: { code: 500 } });
    await expect(client.get(NODES, KEY)).resolves.toMatchObject({ metadata: { name: "a" } });
    expect(fired()).toBe(0);
  });

  test("meets an error after its write", async () => {
    const { client } = world({ match: { userAgent: "*" }, error: { code: 504, when: "after" } });
    await expect(client.create(NODES, nodeObject("b"))).rejects.toMatchObject({ code: 504 });
    await expect(client.get(NODES, { ...KEY, name: "b" })).resolves.toBeDefined();
  });

  test("waits", async () => {
    const { client, clock } = world({ match: { userAgent: MANAGER }, delay: { milliseconds: 10 } });
    const read = client.get(NODES, KEY);
    clock.advance(10);
    await expect(read).resolves.toBeDefined();
  });

  test("cannot open a watch", () => {
    const { client } = world({ match: { userAgent: MANAGER, verb: "watch" }, error: { code: 410 } });
    expect(() => client.watch(NODES, "1")).toThrow("too old");
  });

  test("has no connection to break", async () => {
    const { client, fired } = world({ match: { userAgent: "*" }, disconnect: { how: "reset" } });
    await expect(client.get(NODES, KEY)).resolves.toBeDefined();
    expect(fired()).toBe(0);
  });
});
