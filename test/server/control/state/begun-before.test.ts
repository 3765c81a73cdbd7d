// Work that controllers began before a restore is never written afterwards, however long it was delayed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EgretServer } from "../../../../src/testing/egret-server.ts";
import { startEgret } from "../../../../src/testing/start-egret.ts";

const manifest = (name: string) =>
  readFile(join(import.meta.dirname, "../../../e2e/manifests", name), "utf8");
const EGRESS_IP = "k8s.ovn.org/v1/EgressIP";
const READY = { status: { conditions: [{ type: "Ready", status: "True" }] } };

/** A frozen clock, two nodes, and an EgressIP on the first. */
async function startPlaced(): Promise<EgretServer> {
  const server = await startEgret({ clock: "frozen" });
  await server.apply(await manifest("nodes.yaml"));
  for (const name of ["node-a", "node-b"])
    await server.client.patch("v1/Node", name, READY, { subresource: "status" });
  await server.apply(await manifest("egress-ip.yaml"));
  await server.clock.settle();
  return server;
}

const placed = async ({ client }: EgretServer) => {
  const { metadata, status } = await client.get(EGRESS_IP, "web");
  return { version: metadata.resourceVersion, nodes: status?.items.map(({ node }) => node) };
};

test.each(["before", "after"] as const)("a write that a fault delays, %s it is carried out", async (when) => {
  await using server = await startPlaced();
  expect((await placed(server)).nodes).toEqual(["node-a"]);
  const saved = server.snapshot();
  const { id } = server.faults.add({
    match: { userAgent: "ovnkube-cluster-manager", verb: "patch", resource: "egressips" },
    delay: { milliseconds: 30_000, when },
  });
  await server.client.delete("v1/Node", "node-a");
  await server.clock.settle();
  expect(server.faults.get(id)?.fired).toBe(1);
  expect((await placed(server)).nodes).toEqual([when === "before" ? "node-a" : "node-b"]);

  await server.restore(saved);
  server.faults.clear();
  const restored = await placed(server);
  expect(restored.nodes).toEqual(["node-a"]);
  await server.clock.advance(120_000);
  expect(await placed(server)).toEqual(restored);
});

test("a state is restored although controllers cannot start: lists fail, and the clock stands", async () => {
  await using server = await startPlaced();
  const saved = server.snapshot();
  await server.client.delete("v1/Node", "node-a");
  await server.clock.settle();
  server.faults.add({
    match: { userAgent: "ovnkube-cluster-manager", verb: "list" },
    error: { code: 503 },
  });
  await server.restore(saved);
  expect((await placed(server)).nodes).toEqual(["node-a"]);
  server.faults.clear();
  const { version } = await placed(server);
  await server.clock.advance(120_000);
  expect(await placed(server)).toEqual({ version, nodes: ["node-a"] });
  // They have come to themselves.
  await server.client.delete("v1/Node", "node-a");
  await server.clock.settle();
  expect((await placed(server)).nodes).toEqual(["node-b"]);
});

test("reset() brings an EgressIP back to the node on which it was at the start, again and again", async () => {
  const objects = [await manifest("nodes.yaml"), await manifest("egress-ip.yaml")];
  await using server = await startEgret({ objects });
  const start = (await placed(server)).nodes;
  expect(start).toEqual(["node-a"]);
  for (let round = 0; round < 3; round++) {
    await server.client.delete("v1/Node", "node-a");
    await server.waitFor(
      { kind: EGRESS_IP, name: "web" },
      'has(object.status) && object.status.items.exists(item, item.node == "node-b")',
    );
    await server.reset();
    const back = await placed(server);
    expect(back.nodes).toEqual(start);
    await server.reset();
    expect(await placed(server)).toEqual(back);
  }
});

test("definitions are exchanged for others, and the list of APIServices with them", async () => {
  await using server = await startEgret();
  const definition = (plural: string, kind: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${plural}.example.com` },
    spec: {
      group: `${plural}.example.com`,
      scope: "Cluster",
      names: { plural, kind },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  const contentOf = ({ items }: ReturnType<EgretServer["snapshot"]>) =>
    [...items].map(([key, { value }]) => [key, Buffer.from(value).toString()]);
  const states: ReturnType<EgretServer["snapshot"]>[] = [];
  for (const [plural, kind] of [
    ["apples", "Apple"],
    ["pears", "Pear"],
  ] as const) {
    await server.reset();
    await server.apply(JSON.stringify(definition(plural, kind)));
    await server.apply(
      JSON.stringify({ apiVersion: `${plural}.example.com/v1`, kind, metadata: { name: "a" } }),
    );
    await server.waitFor(
      { kind: "apiregistration.k8s.io/v1/APIService", name: `v1.${plural}.example.com` },
      "object != null",
    );
    await server.restore(server.snapshot());
    states.push(server.snapshot());
  }
  for (let round = 0; round < 6; round++) {
    for (const [index, state] of states.entries()) {
      await server.restore(state);
      expect(contentOf(server.snapshot())).toEqual(contentOf(state));
      // The deletion of its objects is under way; its conditions must not be written to the restored definition.
      const plural = index === 0 ? "apples" : "pears";
      await server.client.delete(
        "apiextensions.k8s.io/v1/CustomResourceDefinition",
        `${plural}.${plural}.example.com`,
      );
      await server.restore(state);
      expect(contentOf(server.snapshot())).toEqual(contentOf(state));
    }
  }
});

test("several states at once: the last one stays, and controllers go on from it", async () => {
  await using server = await startPlaced();
  const onA = server.snapshot();
  await server.client.delete("v1/Node", "node-a");
  await server.clock.settle();
  const onB = server.snapshot();
  await Promise.all([server.restore(onA), server.restore(onB), server.restore(onA)]);
  expect((await placed(server)).nodes).toEqual(["node-a"]);
  await server.client.delete("v1/Node", "node-a");
  await server.clock.settle();
  expect((await placed(server)).nodes).toEqual(["node-b"]);
});
