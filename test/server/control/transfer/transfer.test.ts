// What goes out of a server comes into another one, and what every server has stays out of it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";

const options = { ...MEMORY_SERVER, controllers: "*" };

let server: Server;
beforeEach(async () => {
  server = await createServer(options);
});
afterEach(() => server.close());

const OBJECTS = `
apiVersion: example.com/v1
kind: Thing
metadata: {name: t, namespace: shop, labels: {app: web}}
spec: {size: 3}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: shop}
spec: {type: NodePort, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: shop}
data: {answer: "yes"}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const things = { group: "example.com", version: "v1", resource: "things" };
const configMaps = { group: "", version: "v1", resource: "configmaps" };
const results = async (text: string, more = {}) =>
  (await server.control.transfer.import(text, more)).map(({ kind, result }) => `${kind} ${result}`);
const exported = async (more = {}) =>
  (await server.control.transfer.export(more)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe("import", () => {
  test("applies objects of one kind together, in the order of the text, and one object's states one by one", async () => {
    const map = (name: string, more = "") =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;
    const names = Array.from({ length: 200 }, (_, index) => `c-${index}`);
    const owner = ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c-199, uid: elsewhere}]";
    const texts = [...names.map((name) => map(name)), map("c-7", ", labels: {a: b}"), map("owned", owner)];
    const told = await server.control.transfer.import(texts.join("---\n"), { namespace: "default" });
    expect(told.map(({ name, result }) => `${name} ${result}`)).toEqual([
      ...names.map((name) => `${name} created`),
      "c-7 configured",
      "owned created",
    ]);
    const written = await server.control.transfer.export({ kinds: "configmaps", full: true });
    const revisionOf = (name: string) =>
      Number(written.find(({ metadata }) => metadata.name === name)?.metadata.resourceVersion);
    const others = names.filter((name) => name !== "c-7").map(revisionOf);
    expect(others).toEqual([...others].sort((a, b) => a - b));
    expect(revisionOf("c-7")).toBeGreaterThan(others.at(-1) ?? 0);
    const uidOf = (name: string) => written.find(({ metadata }) => metadata.name === name)?.metadata.uid;
    expect(written.find(({ metadata }) => metadata.name === "owned")?.metadata.ownerReferences).toMatchObject(
      [{ uid: uidOf("c-199") }],
    );
  });
  test("applies what others need first, and tells of each object in the order of the text", async () => {
    expect(await results(OBJECTS)).toEqual([
      "Thing created",
      "Service created",
      "ConfigMap created",
      "Namespace created",
      "CustomResourceDefinition created",
    ]);
    expect(await server.clientFor("test").get(things, { namespace: "shop", name: "t" })).toMatchObject({
      spec: { size: 3 },
      metadata: { managedFields: [{ manager: "egret", operation: "Apply" }] },
    });
  });

  test("tells what was changed and what was not", async () => {
    await results(OBJECTS);
    const configMap = (answer: string) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop"},"data":{"answer":"${answer}"}}`;
    expect(await results(configMap("yes"))).toEqual(["ConfigMap unchanged"]);
    expect(await results(configMap("no"))).toEqual(["ConfigMap configured"]);
  });

  test("one that is refused keeps no other out", async () => {
    const wrong = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_B}\n";
    const unknown = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n";
    const right = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    const items = await server.control.transfer.import([wrong, unknown, right].join("---\n"));
    expect(items.map(({ result, status }) => [result, status?.code])).toEqual([
      ["failed", 422],
      ["failed", 404],
      ["created", undefined],
    ]);
  });

  test("namespace is for objects that name none, and status comes when it is asked for", async () => {
    await results(OBJECTS);
    const thing =
      "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: u}\nspec: {a: 1}\nstatus: {b: 2}\n";
    expect(await results(thing, { namespace: "shop" })).toEqual(["Thing created"]);
    const get = () => server.clientFor("test").get(things, { namespace: "shop", name: "u" });
    expect(await get()).not.toHaveProperty("status");
    expect(await results(thing, { namespace: "shop", status: true })).toEqual(["Thing configured"]);
    expect(await get()).toMatchObject({ spec: { a: 1 }, status: { b: 2 } });
  });
});

describe("export", () => {
  test("of a server that nobody has given anything to is empty", async () => {
    await server.controllers.idle();
    expect(await exported()).toEqual([]);
    expect((await exported({ full: true })).length).toBeGreaterThan(50);
  });

  test("is what was put in, in a form that another server takes", async () => {
    await results(OBJECTS);
    await server.controllers.idle();
    const objects = await server.control.transfer.export();
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([
      "Namespace shop",
      "CustomResourceDefinition things.example.com",
      "ConfigMap c",
      "Service s",
      "Thing t",
    ]);
    expect(objects[4]).toEqual({
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "t", namespace: "shop", labels: { app: "web" } },
      spec: { size: 3 },
    });
    const other = await createServer(options);
    try {
      const taken = await other.control.transfer.import(objects);
      expect(taken.map(({ result }) => result)).toEqual(Array(5).fill("created"));
      await other.controllers.idle();
      expect(await other.control.transfer.export()).toEqual(objects);
    } finally {
      await other.close();
    }
  });

  test("can be narrowed", async () => {
    await results(OBJECTS);
    expect(await exported({ kinds: "cm,things.example.com" })).toEqual(["ConfigMap c", "Thing t"]);
    expect(await exported({ kinds: "Service", namespace: "shop" })).toEqual(["Service s"]);
    expect(await exported({ namespace: "default" })).toEqual([]);
    expect(await exported({ labelSelector: "app=web" })).toEqual(["Thing t"]);
    await expect(exported({ kinds: "nothing" })).rejects.toMatchObject({ code: 400 });
  });

  test("what a server has is exported once it was changed, what it owns of an object is not", async () => {
    const client = server.clientFor("somebody");
    const namespace = { group: "", version: "v1", resource: "namespaces" };
    const body = { metadata: { labels: { tier: "one" } } };
    await client.patch(namespace, { namespace: "", name: "default" }, { type: "merge", body });
    await client.create(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "owned",
        namespace: "default",
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "1", controller: true }],
      },
    });
    expect(await exported()).toEqual(["Namespace default"]);
  });
});
