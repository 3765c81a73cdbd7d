// Raw imports of malicious objects: the server stores only what an API create could have stored, and starts again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { encodeStored } from "../../src/apiserver/registry/codec/object-codec.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const LINES = { type: "application/x-ndjson" };
const DOCUMENTS = ["/openapi/v2", "/openapi/v3", "/apis", "/readyz"];
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Report {
  readonly objects: number;
  readonly derived: readonly string[];
  readonly skipped: readonly { readonly reason: string; readonly origins: readonly string[] }[];
}

let folder: string;
let server: BuiltServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-hostile-"));
  server = await startBuiltServer(["--data-dir", join(folder, "store")]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function imported(...objects: readonly unknown[]): Promise<Report> {
  const lines = objects.map((object) => (typeof object === "string" ? object : JSON.stringify(object)));
  const { status, text } = await server.send("POST", "/egret/v1/import", `${lines.join("\n")}\n`, LINES);
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

async function expectServed(of = server): Promise<void> {
  for (const path of DOCUMENTS) expect([path, (await of.send("GET", path)).status]).toEqual([path, 200]);
}

const custom = (apiVersion: string, kind = "X", name = "a") => ({ apiVersion, kind, metadata: { name } });

const definition = (group: string, changes: object = {}, status: object = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `xs.${group}` },
  spec: {
    ...{ group, scope: "Cluster", names: { plural: "xs", singular: "x", kind: "X", listKind: "XList" } },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    ...changes,
  },
  status,
});

describe("a definition derived from objects is validated as one that a client creates", () => {
  test.each(["../v1", "x.y/v 1", "x.y/../v1", "x.y/", "x_y.z/v1", "x.y/V1", `x.y/${"v".repeat(64)}`])(
    "%s",
    async (apiVersion) => {
      const report = await imported(custom(apiVersion));
      expect(report).toMatchObject({ objects: 0, derived: [] });
      expect(report.skipped.map(({ reason }) => reason).join()).toMatch(/no kind X of .* is known/);
      await expectServed();
    },
  );

  test.each(["X/Y", "X Y", "..", "é", "", "X".repeat(64)])("of the kind %j", async (kind) => {
    expect(await imported(custom("x.y/v1", kind))).toMatchObject({ objects: 0, derived: [] });
    await expectServed();
  });

  test("what a client may create is derived as before", async () => {
    expect(await imported(custom("fine.example.com/v1"))).toMatchObject({ objects: 2, skipped: [] });
    expect((await server.send("GET", "/apis/fine.example.com/v1/xs/a")).status).toBe(200);
  });
});

describe("a definition that came with the objects is not stored where no path could serve it", () => {
  const version = { name: "v1", served: true, storage: true };
  test.each([
    ["no group", definition("..")],
    ["a version with a slash", definition("a.b", { versions: [{ ...version, name: "../v1" }] })],
    ["no versions", definition("a.b", { versions: [] })],
    ["two stored versions", definition("a.b", { versions: [version, { ...version, name: "v2" }] })],
    ["another name", { ...definition("a.b"), metadata: { name: "ys.a.b" } }],
    ["accepted names", definition("a.b", {}, { acceptedNames: { plural: "../pods", kind: "X" } })],
    ["a list as its names", definition("a.b", { names: [] })],
    ["a text as its spec", { ...definition("a.b"), spec: "x" }],
  ])("%s", async (_what, crd) => {
    const report = await imported(crd);
    expect(report.objects).toBe(0);
    expect(report.skipped[0]?.reason).toMatch(/cannot be served|cannot be read/);
    await expectServed();
  });
});

describe("names and namespaces that no key can have are skipped", () => {
  const configMap = (name: unknown, namespace: unknown = "default") => ({
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    metadata: { name, namespace },
  });
  test.each([
    ["../../pods/default/x", "default"],
    ["..", "default"],
    ["a%2fb", "default"],
    ["a", "../kube-system"],
    ["a", "a/b"],
    ["A", "default"],
    ["a\u0000b", "default"],
    ["a\ud800", "default"],
    ["x".repeat(254), "default"],
    ["a", "x".repeat(64)],
  ])("%j in %j", async (name, namespace) => {
    const report = await imported(configMap(name, namespace));
    expect(report.objects).toBe(0);
    expect(report.skipped[0]?.reason).toContain("has a name that no ConfigMap can have");
  });

  test("a role may have every name that is a segment of a path", async () => {
    const roles = ["system:node:x", "a%b", "a\u0007b"].map((name) => ({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules: [] },
      metadata: { name },
    }));
    expect(await imported(...roles)).toMatchObject({ objects: 1, skipped: [{ count: 1 }, { count: 1 }] });
  });
});

describe("a member of a wrong type is reported for its object", () => {
  test.each([
    ["namespace", { name: "a", namespace: 5 }],
    ["namespace", { name: "a", namespace: ["x"] }],
    ["uid", { name: "a", uid: {} }],
    ["resourceVersion", { name: "a", resourceVersion: { a: 1 } }],
    ["resourceVersion", { name: "a", resourceVersion: 7 }],
  ])("metadata.%s", async (member, metadata) => {
    const good = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "good", namespace: "default" } };
    const report = await imported({ apiVersion: "v1", kind: "ConfigMap", metadata }, good);
    expect(report.objects).toBe(1);
    expect(report.skipped[0]?.reason).toBe(`has a metadata.${member} that is no text`);
  });

  test.each([
    { labels: ["a"] },
    { annotations: { a: 1 } },
    { ownerReferences: {} },
    { ownerReferences: [5] },
    { ownerReferences: [{ uid: 5, kind: [], name: {}, apiVersion: 1 }] },
    { generation: "x" },
    { creationTimestamp: {} },
    { managedFields: "x" },
    { finalizers: { a: 1 } },
  ])("metadata %j", async (metadata) => {
    const report = await imported({
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { name: "typed", namespace: "default", ...metadata },
    });
    expect(report.objects).toBe(0);
    expect(report.skipped[0]?.reason).toContain("cannot be read as a ConfigMap");
  });

  /** Objects with the members that imports read, of any type, and arbitrary JSON. */
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        apiVersion: fc.oneof(fc.constantFrom("v1", "x.y/v1", "/", "a/b/c"), fc.jsonValue()),
        kind: fc.oneof(fc.constantFrom("Pod", "List", "Secret", "Service", "X"), fc.jsonValue()),
        metadata: fc.oneof(
          fc.record(
            {
              name: fc.oneof(fc.constant("a"), fc.jsonValue()),
              namespace: fc.oneof(fc.constant("default"), fc.jsonValue()),
              uid: fc.oneof(fc.constant("u"), fc.jsonValue()),
              resourceVersion: fc.oneof(fc.constantFrom("7", "-1"), fc.jsonValue()),
              ownerReferences: fc.jsonValue(),
              generation: fc.jsonValue(),
              annotations: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
        items: fc.jsonValue(),
        spec: fc.jsonValue(),
        status: fc.jsonValue(),
        data: fc.jsonValue(),
        type: fc.jsonValue(),
        object: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );

  test("no JSON makes an import an internal error, by any of its forms", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 30 }), async (values) => {
        const lines = `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
        for (const [path, type, body] of [
          ["/egret/v1/import?secrets=true", LINES.type, lines],
          ["/egret/v1/import/file?name=x.json", "application/octet-stream", lines],
          ["/egret/v1/import", "application/json", JSON.stringify(values)],
          ["/egret/v1/diff", LINES.type, lines],
        ] as const) {
          const { status, text } = await server.send("POST", path, body, { type });
          expect(status, `${path}: ${text}`).toBeLessThan(500);
          if (status < 400) expect(text).not.toContain("InternalError");
        }
      }),
      { numRuns: 15 },
    );
    await expectServed();
  });
});

describe("a store into which an older release has imported such objects", () => {
  test("starts, serves all else, names the definition, and lets it be deleted", async () => {
    const store = join(folder, "old");
    const put = async (key: string, object: KubeObject) => {
      await using open = await openMvccStore(await openLevelEngine(store), { clock: systemClock });
      await open.commit([{ type: "create", key, value: encodeStored(object, undefined) }]);
    };
    const crd = definition(
      "..",
      {},
      { conditions: [{ type: "Established", status: "True" }], acceptedNames: {} },
    );
    await put("/registry/apiextensions.k8s.io/customresourcedefinitions/xs...", {
      ...crd,
      metadata: { name: "xs...", uid: "u1", finalizers: ["customresourcecleanup.apiextensions.k8s.io"] },
    });
    await put("/registry/../xs/a", { ...custom("../v1"), metadata: { name: "a", uid: "u2" } });
    await using old = await startBuiltServer(["--data-dir", store]);
    await expectServed(old);
    expect((await old.send("GET", CRDS)).text).toContain("xs...");
    expect((await old.send("GET", "/egret/v1/status")).text).toContain("xs...");
    expect((await old.send("DELETE", `${CRDS}/xs...`)).status).toBe(200);
    await expect.poll(async () => (await old.send("GET", `${CRDS}/xs...`)).status).toBe(404);
  });
});

test("after all of that the server starts again", async () => {
  await server.process.stop("SIGTERM");
  server = await startBuiltServer(["--data-dir", join(folder, "store")]);
  await expectServed();
  expect((await server.send("GET", "/apis/fine.example.com/v1/xs/a")).status).toBe(200);
});
