// Folder layouts of dump tools: which files are read, and what their paths add to objects with missing fields.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Collected, collect } from "../../../../../src/features/import/sources/collect.ts";
import { readFiles } from "../../../../../src/features/import/sources/files.ts";
import { layOut } from "../../../../support/lay-out.ts";
import { zipFile } from "../../../../support/zip-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-forms-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const json = (value: unknown) => JSON.stringify(value);
const bare = (name: string, namespace?: string, more = {}) => ({
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...more,
});
const whole = (apiVersion: string, kind: string, name: string, namespace?: string) => ({
  apiVersion,
  kind,
  ...bare(name, namespace),
});
const list = (...items: object[]) => json({ metadata: { resourceVersion: "5" }, items });

const told = ({ objects, skipped, notes }: Collected) => ({
  objects: objects
    .map(
      ({ apiVersion, kind, metadata }) =>
        `${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`,
    )
    .sort(),
  skipped: skipped.reasons.map(({ reason }) => reason),
  form: notes.form,
});

let count = 0;
async function read(files: Readonly<Record<string, string>>) {
  const root = await layOut(join(folder, `form-${++count}`), files);
  const inFolder = await collect(readFiles(root));
  const packed = `${root}.tar`;
  execFileSync("tar", ["-cf", packed, "--sort=name", "-C", folder, `form-${count}`]);
  const inArchive = await collect(readFiles(packed));
  return { inFolder, ...told(inFolder), archived: told(inArchive) };
}

describe("a support bundle", () => {
  const BUNDLE = {
    "b/version.yaml": "versionNumber: 1\n",
    "b/cluster-info/cluster_version.json": json({
      info: { major: "1", gitVersion: "v1.29.4" },
      string: "v1.29.4",
    }),
    "b/cluster-resources/nodes.json": list(bare("n")),
    "b/cluster-resources/pods/shop.json": list(bare("p", "shop")),
    "b/cluster-resources/network-policy/shop.json": list(bare("np", "shop")),
    "b/cluster-resources/ingress/shop.json": list(bare("i", "shop")),
    "b/cluster-resources/pods-errors.json": json(["forbidden"]),
    "b/cluster-resources/auth-cani-list/shop.json": json({ status: {} }),
    "b/cluster-resources/pods/logs/shop/p/c.json": "{}",
    "b/cluster-resources/custom-resources/egressips.k8s.ovn.org.json": json([
      whole("k8s.ovn.org/v1", "EgressIP", "e"),
    ]),
    "b/cluster-resources/custom-resources/egressips.k8s.ovn.org.yaml": "- bad: [",
    "b/cluster-resources/custom-resources/widgetz.acme.example/shop.json": json([
      whole("acme.example/v1", "Widget", "w", "shop"),
    ]),
    "b/cluster-resources/groups.json": json([{ name: "acme.example", versions: [] }]),
    "b/cluster-resources/resources.json": json([
      {
        groupVersion: "k8s.ovn.org/v1",
        resources: [{ name: "egressips", kind: "EgressIP", namespaced: false, verbs: ["list"] }],
      },
    ]),
    "b/goldpinger/x.json": json(whole("v1", "Pod", "of-nobody")),
  };

  test("has lists without kinds, and custom resources as bare lists", async () => {
    const { inFolder, archived, ...found } = await read(BUNDLE);
    expect(found).toEqual({
      objects: [
        "acme.example/v1 Widget shop/w",
        "k8s.ovn.org/v1 EgressIP /e",
        "networking.k8s.io/v1 Ingress shop/i",
        "networking.k8s.io/v1 NetworkPolicy shop/np",
        "v1 Node /n",
        "v1 Pod shop/p",
      ],
      skipped: [],
      form: "a support bundle",
    });
    expect(archived.objects).toEqual(found.objects);
    expect(inFolder.notes.kubernetesVersion).toBe("v1.29.4");
    expect(inFolder.kinds.of("acme.example/v1", "Widget")).toMatchObject({
      resource: "widgetz",
      namespaced: true,
    });
  });

  test("of hosts alone says so", async () => {
    const files = { "b/host-collectors/run-host/uname.json": "{}", "b/version.yaml": "a: b" };
    const root = await layOut(join(folder, "hosts"), files);
    const found = told(await collect(readFiles(root)));
    expect(found).toEqual({
      objects: [],
      skipped: [expect.stringMatching(/data of hosts alone/)],
      form: undefined,
    });
  });
});

test("a Velero backup has each object once more for each version, of which one copy is read", async () => {
  const pod = json(whole("v1", "Pod", "p", "shop"));
  const { objects, archived, inFolder, form } = await read({
    "metadata/version": "1.1.0",
    "resources/pods/namespaces/shop/p.json": pod,
    "resources/pods/v1-preferredversion/namespaces/shop/p.json": "{",
    "resources/widgetz.acme.example/cluster/w.json": json(whole("acme.example/v1", "Widget", "w")),
    "resources/widgetz.acme.example/v1-preferredversion/cluster/w.json": "{",
  });
  expect(objects).toEqual(["acme.example/v1 Widget /w", "v1 Pod shop/p"]);
  expect(archived.objects).toEqual(objects);
  expect(form).toBe("a Velero backup");
  expect(inFolder.kinds.of("acme.example/v1", "Widget")).toMatchObject({
    resource: "widgetz",
    namespaced: false,
  });
});

test("an Insights archive has single objects, whose path says what they are", async () => {
  const { objects, inFolder, form, skipped } = await read({
    "config/version.json": json(bare("version")),
    "config/network.json": json(bare("cluster", undefined, { status: { networkType: "OVNKubernetes" } })),
    "config/node/worker-0.json": json(bare("worker-0")),
    "config/pod/openshift-dns/dns-1.json": json(bare("dns-1", "openshift-dns")),
    "config/clusteroperator/dns.json": json(bare("dns")),
    "config/clusteroperator/operator.openshift.io/network/cluster.json": json({
      ...{ apiVersion: "operator.openshift.io/v1", kind: "Network", name: "cluster", spec: {} },
    }),
    "config/configmaps/openshift-config/x/ca-bundle.json": "{}",
    "events/openshift-dns.json": json({ items: [bare("e", "openshift-dns")] }),
    "insights-operator/gathers.json": json({ status_reports: [] }),
  });
  expect(objects).toEqual([
    "config.openshift.io/v1 ClusterOperator /dns",
    "config.openshift.io/v1 ClusterVersion /version",
    "config.openshift.io/v1 Network /cluster",
    "operator.openshift.io/v1 Network /cluster",
    "v1 Event openshift-dns/e",
    "v1 Node /worker-0",
    "v1 Pod openshift-dns/dns-1",
  ]);
  expect(skipped).toEqual([]);
  expect(form).toBe("an Insights archive");
  expect(inFolder.notes.lacks).toMatch(/not placements/);
});

test("a result of Sonobuoy has lists, in files of names that changed", async () => {
  const { objects, archived } = await read({
    "meta/config.json": json({ a: 1 }),
    "resources/cluster/Nodes.json": list(bare("n")),
    "resources/cluster/k8s.ovn.org_v1_egressips.json": json({
      items: [whole("k8s.ovn.org/v1", "EgressIP", "e")],
    }),
    "resources/ns/shop/core_v1_pods.json": list(bare("p", "shop")),
    "plugins/e2e/x.json": json(whole("v1", "Pod", "of-nobody")),
  });
  expect(objects).toEqual(["k8s.ovn.org/v1 EgressIP /e", "v1 Node /n", "v1 Pod shop/p"]);
  expect(archived.objects).toContain("v1 Pod shop/p");
});

test("a bundle of support-bundle-kit has folders by group and version", async () => {
  const { objects, inFolder } = await read({
    "yamls/cluster/v1/nodes.yaml": "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: n1}\n",
    "yamls/cluster/acme.example/v1/widgetz.yaml":
      "apiVersion: acme.example/v1\nkind: WidgetList\nitems:\n- metadata: {name: w}\n",
    "yamls/namespaced/shop/v1/pods.yaml":
      "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: p, namespace: shop}\n",
    "logs/x.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: of-nobody}\n",
  });
  expect(objects).toEqual(["acme.example/v1 Widget /w", "v1 Node /n1", "v1 Pod shop/p"]);
  expect(inFolder.kinds.of("acme.example/v1", "Widget")).toMatchObject({ resource: "widgetz" });
});

describe("a must-gather", () => {
  test("tells by its paths and its discovery how kinds are called", async () => {
    const { objects, inFolder } = await read({
      "image/aggregated-discovery-apis.yaml": `kind: APIGroupDiscoveryList\nitems:\n- metadata: {name: acme.example}\n  versions:\n  - version: v1\n    resources:\n    - resource: gadgetry\n      responseKind: {kind: Gadget}\n      scope: Namespaced\n      verbs: [list]\n`,
      "image/cluster-scoped-resources/acme.example/widgetz/w.yaml":
        "---\napiVersion: acme.example/v1\nkind: Widget\nmetadata: {name: w}\n",
      "image/namespaces/shop/acme.example/gadgetry/g.yaml":
        "---\napiVersion: acme.example/v1\nkind: Gadget\nmetadata: {name: g, namespace: shop}\n",
      "image/namespaces/shop/pods/p/p.yaml":
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n",
    });
    expect(objects).toEqual(["acme.example/v1 Gadget shop/g", "acme.example/v1 Widget /w", "v1 Pod shop/p"]);
    expect(inFolder.kinds.of("acme.example/v1", "Widget")).toMatchObject({
      resource: "widgetz",
      namespaced: false,
    });
    expect(inFolder.kinds.of("acme.example/v1", "Gadget")).toMatchObject({
      resource: "gadgetry",
      verbs: ["list"],
    });
    expect(inFolder.kinds.of("v1", "Pod")).toMatchObject({ resource: "pods" });
  });

  test("of one inspected pod alone is read, too", async () => {
    const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n";
    expect((await read({ "namespaces/shop/core/pods/p.yaml": pod })).objects).toEqual(["v1 Pod shop/p"]);
  });
});

describe("what kubectl cluster-info dump", () => {
  const nodes = json({ kind: "NodeList", apiVersion: "v1", items: [bare("n")] });
  const pods = json({ kind: "PodList", apiVersion: "v1", items: [bare("p", "shop")] });
  const EXPECTED = ["v1 Node /n", "v1 Pod shop/p", "v1 ReplicationController shop/rc"];
  const controllers = list(bare("rc", "shop"));

  test("writes into a folder", async () => {
    const { objects } = await read({
      "nodes.json": nodes,
      "shop/pods.json": pods,
      "shop/replication-controllers.json": controllers,
      "shop/p/logs.txt": "==== START logs for container c of pod shop/p ====\n",
    });
    expect(objects).toEqual(EXPECTED);
  });

  test("prints, with logs in between", async () => {
    const path = join(folder, "dump.txt");
    const log = (text: string) =>
      `==== START logs for container c of pod shop/p ====\n${text}\n==== END logs for container c of pod shop/p ====\n`;
    await writeFile(
      path,
      `${nodes}\n${log('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"logged"}}\n} {')}${pods}\n${log("")}`,
    );
    expect(told(await collect(readFiles(path))).objects).toEqual(EXPECTED.slice(0, 2));
  });
});

describe("a list that is long, or was cut off,", () => {
  const item = (name: string, more = "") =>
    `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: ${name}\n    annotations:\n      text: |\n        - a\n\n        items:\n${more}`;
  const names = ({ objects }: Collected) => objects.map(({ metadata }) => metadata.name);
  const readText = async (text: string) => {
    const path = join(folder, "list");
    await writeFile(path, text);
    return collect(readFiles(path));
  };
  const filler = "x".repeat(30_000);
  const many = Array.from({ length: 40 }, (_, at) => `p${at}`);

  test("is read item by item (YAML)", async () => {
    const yaml = (end: string) =>
      `apiVersion: v1\nitems:\n${many.map((name) => item(name, `        ${filler}\n`)).join("")}${end}`;
    expect(names(await readText(yaml("kind: List\nmetadata:\n  resourceVersion: ''\n")))).toEqual(many);
    const cut = await readText(yaml('- apiVersion: v1\n  kind: "Po'));
    expect(names(cut)).toEqual(many);
    expect(cut.skipped.count).toBe(1);
  });

  test("is read item by item (short YAML)", async () => {
    const cut = await readText(
      `apiVersion: v1\nitems:\n${item("a")}${item("b")}- apiVersion: v1\n  kind: "Po`,
    );
    expect(names(cut)).toEqual(["a", "b"]);
    expect(cut.skipped.count).toBe(1);
  });

  test.each([
    ["long", many],
    ["short", ["a", "b"]],
  ])("is read item by item (%s JSON)", async (_length, given) => {
    const items = given.map((name) => ({
      metadata: { name, annotations: { text: `}],"items":[ ${filler}` } },
    }));
    const whole = json({ kind: "PodList", apiVersion: "v1", metadata: {}, items });
    expect(names(await readText(whole))).toEqual(given);
    expect(names(await readText(json({ items, apiVersion: "v1", kind: "PodList" })))).toEqual(given);
    const withTail = json({ items, kind: "PodList", apiVersion: "v1", metadata: { more: [1, "]}"] } });
    expect(names(await readText(withTail))).toEqual(given);
    expect(names(await readText(`${whole}\n${withTail.replaceAll('"p', '"q')}`))).toEqual(
      expect.arrayContaining(given),
    );
    const cut = await readText(whole.slice(0, -5));
    expect(names(cut)).toEqual(given.slice(0, -1));
    expect(cut.skipped.count).toBe(1);
  });
});

describe("a zip archive", () => {
  const zip = (
    files: Readonly<Record<string, string>>,
    more: { method?: number; flags?: number } = {},
  ): Buffer => zipFile(Object.entries(files).map(([path, content]) => ({ path, content, ...more })));
  const readZip = async (bytes: Buffer) => {
    const path = join(folder, "archive.zip");
    await writeFile(path, bytes);
    return told(await collect(readFiles(path)));
  };
  const FILES = {
    "m/version": "x",
    "m/namespaces/shop/core/pods.yaml":
      "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: p, namespace: shop}\n",
    "m/cluster-scoped-resources/core/nodes/n.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
    "m/other.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: of-nobody}\n",
  };

  test.each([0, 8])("is read by its directory (method %i)", async (method) => {
    expect(await readZip(zip(FILES, { method }))).toEqual({
      objects: ["v1 Node /n1", "v1 Pod shop/p"],
      skipped: [],
      form: "a must-gather",
    });
  });

  test("is refused where it is encrypted, packed otherwise, cut off, or unpacks to more than it says", async () => {
    await expect(readZip(zip(FILES, { flags: 1 }))).resolves.toMatchObject({
      skipped: [expect.stringMatching(/encrypted/)],
    });
    await expect(readZip(zip(FILES, { method: 14 }))).resolves.toMatchObject({
      skipped: [expect.stringMatching(/method 14/)],
    });
    await expect(readZip(zip(FILES).subarray(0, 200))).rejects.toThrow(/ends in the middle/);
    const bomb = zip({ "bomb.yaml": " ".repeat(100_000) });
    const size = bomb.indexOf(Buffer.from("504b0102", "hex")) + 24;
    bomb.writeUInt32LE(10, size);
    await expect(readZip(bomb)).rejects.toThrow(/damaged/);
  });
});
