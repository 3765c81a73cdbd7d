// Transfers the whole state of one server into a new one, which keeps the decisions of the controllers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";

const options = { ...MEMORY_SERVER, controllers: "*" };
const manifest = (name: string) =>
  readFile(join(import.meta.dirname, "../../../e2e/manifests", `${name}.yaml`), "utf8");

/** The namespace of the networks. */
const SHOP =
  "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {k8s.ovn.org/primary-user-defined-network: ''}}\n";

const take = async (server: Server, text: string | readonly KubeObject[], more = {}) => {
  const items = await server.control.transfer.import(text, more);
  expect(items.filter(({ result }) => result === "failed")).toEqual([]);
  await server.controllers.idle();
};

/** Labels, annotations, spec and status by the identity of each object. Events and Leases are excluded. */
function decided(objects: readonly Readonly<KubeObject>[]): Map<string, string> {
  const kept = objects.filter(({ kind }) => kind !== "Event" && kind !== "Lease");
  return new Map(
    kept.map(({ apiVersion, kind, metadata, ...rest }) => {
      const { spec, status } = rest as { spec?: unknown; status?: unknown };
      const { labels, annotations } = metadata;
      const name = `${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
      return [name, JSON.stringify({ labels, annotations, spec, status })];
    }),
  );
}

test("a full export, applied with its status, keeps spec, status and what controllers have noted", {
  timeout: 60_000,
}, async () => {
  const one = await createServer(options);
  const other = await createServer(options);
  try {
    for (const name of ["nodes", "egress-ip", "egress-service"]) await take(one, await manifest(name));
    const client = one.clientFor("somebody");
    const nodes = { group: "", version: "v1", resource: "nodes" };
    // It moves to node-b, and stays there when node-a comes back: a new server would choose node-a.
    const label = (value: string | null) => ({
      metadata: { labels: { "k8s.ovn.org/egress-assignable": value } },
    });
    const key = { namespace: "", name: "node-a" };
    await client.patch(nodes, key, { type: "merge", body: label(null) });
    await one.controllers.idle();
    await client.patch(nodes, key, { type: "merge", body: label("") });
    await one.controllers.idle();
    await take(one, SHOP);
    await take(one, await manifest("networks"));
    const before = await one.control.transfer.export({ full: true });
    const web = before.find(({ kind, metadata }) => kind === "EgressIP" && metadata.name === "web");
    expect(web?.["status"]).toMatchObject({ items: [{ node: "node-b" }] });

    await take(other, before, { status: true });
    const after = decided(await other.control.transfer.export({ full: true }));
    for (const [name, text] of decided(before)) expect(after.get(name), name).toBe(text);
  } finally {
    await one.close();
    await other.close();
  }
});

test.each(["real", "frozen"] as const)(
  "an import with statuses has settled when the controllers have, with a clock that is %s",
  async (mode) => {
    const server = await createServer(options);
    try {
      if (mode === "frozen") await server.control.clock.freeze();
      for (const name of ["nodes", "egress-ip"])
        await server.control.transfer.import(await manifest(name), { status: true }); // the controllers begin anew
      await server.control.clock.settle();
      const egressIps = { group: "k8s.ovn.org", version: "v1", resource: "egressips" };
      const found = await server.clientFor("somebody").get(egressIps, { namespace: "", name: "web" });
      expect(found["status"]).toMatchObject({ items: [{ node: "node-a" }] });
    } finally {
      await server.close();
    }
  },
);
