// Unusual content of dumps: unknown kinds, contradictory states, webhooks, objects whose namespaces are missing; and
// request bodies that break off.
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { startEgret } from "../../../src/testing/start-egret.ts";

let server: Awaited<ReturnType<typeof startEgret>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-odd-"));
  server = await startEgret({ controllers: [] });
});
afterEach(() => server.reset());
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function laid(name: string, files: Readonly<Record<string, object>>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  }
  return join(folder, name);
}

const object = (apiVersion: string, kind: string, metadata: object, more: object = {}) =>
  ({ apiVersion, kind, metadata: { uid: `${kind}-uid`, ...metadata }, ...more }) as KubeObject;
const get = async (path: string) => {
  const answer = await fetch(new URL(path, server.url));
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

const DISCOVERY = {
  ...{ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {} },
  items: [
    {
      metadata: { name: "told.example.com" },
      versions: [
        {
          version: "v1beta1",
          resources: [
            {
              ...{ resource: "mice", singularResource: "mouse", scope: "Namespaced", shortNames: ["mo"] },
              responseKind: { group: "told.example.com", version: "v1beta1", kind: "Mouse" },
              ...{ verbs: ["get", "list"], subresources: [{ subresource: "status", verbs: ["get"] }] },
            },
          ],
        },
      ],
    },
  ],
};

test("kinds that nobody has defined are served as discovery, the path or the object says", async () => {
  const gathered = await laid("kinds", {
    "aggregated-discovery-apis.yaml": DISCOVERY,
    "namespaces/n/told.example.com/mice/a.yaml": object("told.example.com/v1beta1", "Mouse", {
      name: "a",
      namespace: "n",
    }),
    "cluster-scoped-resources/lain.example.com/oxen/b.yaml": object(
      "lain.example.com/v2",
      "Ox",
      { name: "b" },
      { x: 1 },
    ),
  });
  const { derived } = await server.import([
    gathered,
    object("alone.example.com/v1", "Policy", { name: "c", namespace: "n" }),
    object("alone/v1", "Nameless", { name: "d" }),
  ]);
  expect(derived).toEqual(["mice.told.example.com", "oxen.lain.example.com", "policies.alone.example.com"]);
  expect((await get("/apis/told.example.com/v1beta1/namespaces/n/mice/a")).body).toMatchObject({
    kind: "Mouse",
  });
  expect((await get("/apis/told.example.com/v1beta1")).body["resources"]).toEqual([
    expect.objectContaining({ name: "mice", singularName: "mouse", shortNames: ["mo"], namespaced: true }),
    expect.objectContaining({ name: "mice/status" }),
  ]);
  expect((await get("/apis/lain.example.com/v2/oxen/b")).body).toMatchObject({
    x: 1,
    metadata: { uid: "Ox-uid" },
  });
  expect((await get("/apis/alone.example.com/v1/namespaces/n/policies/c")).status).toBe(200);
});

test("objects come in the order of their versions, also where numbers cannot tell these apart", async () => {
  const versions = ["9007199254740993", "12", "9007199254740992", "9007199254740994", "9"];
  const { body: before } = await get("/api/v1/namespaces/default/configmaps");
  expect(before["items"]).toEqual([]);
  await server.import(
    versions.map((resourceVersion) =>
      object("v1", "ConfigMap", { name: `v${resourceVersion}`, namespace: "default", resourceVersion }),
    ),
  );
  const { items } = (await get("/api/v1/namespaces/default/configmaps")).body as { items: KubeObject[] };
  const order = items.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  expect(order.map(({ metadata }) => metadata.name)).toEqual([
    "v9",
    "v12",
    "v9007199254740992",
    "v9007199254740993",
    "v9007199254740994",
  ]);
});

test("of two images that hold an object the newer state counts, and the report says that there were two", async () => {
  const map = (version: string) =>
    object(
      "v1",
      "ConfigMap",
      { name: "m", namespace: "default", resourceVersion: version },
      { data: { version } },
    );
  const same = object("v1", "ConfigMap", { name: "same", namespace: "default", resourceVersion: "7" });
  const place = "namespaces/default/core/configmaps";
  const gathered = await laid("images", {
    [`one/${place}/m.yaml`]: map("12"),
    [`one/${place}/same.yaml`]: same,
    [`two/${place}/m.yaml`]: map("9"),
    [`two/${place}/same.yaml`]: same,
  });
  const { skipped } = await server.import(gathered);
  expect((await get("/api/v1/namespaces/default/configmaps/m")).body["data"]).toEqual({ version: "12" });
  expect(skipped).toEqual([
    {
      reason: "holds another state of an object that was found before: the newer one counts",
      count: 1,
      origins: [join(gathered, "two", place, "m.yaml")],
    },
  ]);
});

test("webhooks stay out unless they are asked for", async () => {
  const hook = object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", { name: "w" });
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w";
  const { skipped } = await server.import([hook]);
  expect(skipped).toEqual([
    {
      ...{ count: 1, origins: ["ValidatingWebhookConfiguration w"] },
      reason:
        "webhooks would be asked about every write, and nobody answers them here; --webhooks takes them",
    },
  ]);
  expect((await get(path)).status).toBe(404);
  await server.import([hook], { webhooks: true });
  expect((await get(path)).status).toBe(200);
});

test("a namespace that did not come is made where somebody lives in it, and told otherwise", async () => {
  const { namespaces } = await server.import([
    object(
      "v1",
      "Pod",
      { name: "p", namespace: "lived-in" },
      { spec: { containers: [{ name: "c", image: "i" }] } },
    ),
    object("v1", "ConfigMap", { name: "m", namespace: "forgotten" }),
    object("v1", "ConfigMap", { name: "m", namespace: "default" }),
  ]);
  expect(namespaces).toEqual({ made: ["lived-in"], missing: ["forgotten"] });
  expect((await get("/api/v1/namespaces/lived-in")).body).toMatchObject({ status: { phase: "Active" } });
  expect((await get("/api/v1/namespaces/forgotten")).status).toBe(404);
  expect((await get("/api/v1/namespaces/forgotten/configmaps/m")).status).toBe(200);
});

const LINE = `${JSON.stringify(object("v1", "ConfigMap", { name: "first", namespace: "default" }))}\n`;
const FIRST = "/api/v1/namespaces/default/configmaps/first";

test("nothing is written of a body that breaks off", async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const before = (await get("/egret/v1/status")).body["revision"];
  socket.write(
    `POST /egret/v1/import HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9999\r\n\r\n${LINE}`,
  );
  await eventuallyHeld();
  socket.destroy();
  await once(socket, "close");
  expect((await get(FIRST)).status).toBe(404);
  expect((await get("/egret/v1/status")).body["revision"]).toBe(before);
});

/** The server has received the data so far: another request on another socket has been answered since. */
const eventuallyHeld = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await get("/version");
};

test("a line that is no object is told of, and one that is too deep; what surrounds them is taken", async () => {
  const lines = [LINE, '{"apiVersion": "v1", "kind"\n', "[1]\n", '{"a":1}\n', `${"[".repeat(20_000)}\n`];
  const answer = await fetch(new URL("/egret/v1/import", server.url), {
    ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
    body: lines.join(""),
  });
  expect(answer.status).toBe(200);
  const report = (await answer.json()) as { objects: number; skipped: { origins: string[] }[] };
  expect(report.objects).toBe(1);
  expect(report.skipped.flatMap(({ origins }) => origins).sort()).toEqual([
    "line 2",
    "line 3",
    "line 4",
    "line 5",
  ]);
  expect((await get(FIRST)).status).toBe(200);
});
