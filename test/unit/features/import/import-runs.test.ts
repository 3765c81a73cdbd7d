// Which objects an import applies concurrently, so that their writes share a disk sync, and what it waits for.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { notFound } from "../../../../src/apimachinery/meta/status.ts";
import type { Client } from "../../../../src/controller/client.ts";
import { type ImportDeps, importObjects } from "../../../../src/features/import/import.ts";

/** Groups of names that were applied at the same time. */
async function groupsOf(objects: readonly KubeObject[]): Promise<string[]> {
  const groups: string[][] = [];
  let group: string[] = [];
  const patch = async (_resource: unknown, { name }: { name: string }, { body }: { body: KubeObject }) => {
    if (group.length === 0) groups.push(group);
    group.push(name);
    await new Promise(setImmediate);
    group = [];
    return { ...body, metadata: { ...body.metadata, resourceVersion: "1" } };
  };
  const get = async () => {
    throw notFound({ group: "", resource: "x" }, "x");
  };
  const view = { definition: { namespaceScoped: true, group: "", resource: "x" }, version: { name: "v1" } };
  const deps = {
    client: { get, patch } as unknown as Client, // the only methods that the import calls
    registry: { findByKind: () => view },
    settled: async () => {},
    renew: (change: () => Promise<unknown>) => change(),
  } as unknown as ImportDeps;
  await importObjects(deps, objects);
  return groups.map((names) => names.join());
}

const named = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...more },
});

test("neighbours of one kind go together, and wait for what stands before them", async () => {
  const [a, b] = [named("ConfigMap", "a"), named("ConfigMap", "b")];
  expect(await groupsOf([a, b, named("Pod", "p"), named("Pod", "q"), named("ConfigMap", "c")])).toEqual([
    ...["a,b", "p,q", "c"],
  ]);
});

test("one object's states go one by one, however its namespace is said", async () => {
  const again = named("ConfigMap", "a", { namespace: "default" });
  expect(await groupsOf([named("ConfigMap", "a"), again, named("ConfigMap", "b")])).toEqual(["a", "a,b"]);
});

test("an owner of the same kind goes before what it owns", async () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" }];
  expect(await groupsOf([named("ConfigMap", "a"), named("ConfigMap", "b", { ownerReferences })])).toEqual([
    "a",
    "b",
  ]);
});

test("what decides about others of its kind goes alone", async () => {
  const classes = ["a", "b"].map((name) => named("PriorityClass", name));
  expect(await groupsOf(classes)).toEqual(["a", "b"]);
});
