// Snapshots of etcd: recorded values of a kube-apiserver v1.36, in files of all layouts, and damaged files.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect } from "../../../../../../src/features/import/sources/collect.ts";
import { readFiles } from "../../../../../../src/features/import/sources/files.ts";
import { etcdFile, type FileForm, type Written } from "../../../../../support/etcd-file.ts";

interface Recorded {
  readonly path: string;
  readonly key: string;
  /** Base64. */
  readonly value: string;
  /** As the server gave it at the same revision. */
  readonly object: { readonly metadata: { readonly resourceVersion: string } };
}

let folder: string;
let recorded: readonly Recorded[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-etcd-"));
  const facts = new URL("../../../../../fixtures/facts/etcd/registry.json", import.meta.url);
  recorded = JSON.parse(await readFile(facts, "utf8")) as Recorded[];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Buffer) {
  const path = join(folder, "snapshot.db");
  await writeFile(path, bytes);
  return collect(readFiles(path));
}

const bytesOf = (text: string) => Buffer.from(text);
const configMap = (name: string, more = "") =>
  bytesOf(`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"${name}"}${more}}`);
const named = (count: number): Written[] =>
  Array.from({ length: count }, (_, at) => ({
    key: `/registry/example.com/notes/n${at}`,
    value: configMap(`n${at}`),
  }));
const names = ({ objects }: { objects: readonly { metadata: { name?: string } }[] }) =>
  objects.map(({ metadata }) => metadata.name).sort();

describe("what a kube-apiserver has written", () => {
  test("is what it serves", async () => {
    const written = recorded
      .map(({ key, value, object }) => ({
        key,
        value: Buffer.from(value, "base64"),
        revision: Number(object.metadata.resourceVersion),
      }))
      .sort((a, b) => a.revision - b.revision);
    const { objects, skipped } = await read(etcdFile(written, { withSum: true }));
    expect(skipped.reasons).toEqual([]);
    const read_ = objects.map((object) => JSON.parse(JSON.stringify(object)) as unknown);
    for (const { object } of recorded) expect(read_).toContainEqual(object);
    expect(objects).toHaveLength(recorded.length);
  });
});

describe("a file", () => {
  const forms: [name: string, count: number, form: FileForm][] = [
    ["with its sum", 5, { withSum: true }],
    ["without one, as a copy of member/snap/db", 5, {}],
    ["with a deep tree", 90, { perPage: 3 }],
    ["of large pages", 50, { pageSize: 65536 }],
    ["of the smallest pages", 50, { pageSize: 1024, perPage: 2 }],
    ["of a machine with the other order of bytes", 50, { isLittle: false }],
  ];
  test.each(forms)("%s", async (_name, count, form) => {
    const found = await read(etcdFile(named(count), form));
    expect(names(found)).toEqual(
      named(count)
        .map(({ key }) => key.slice(key.lastIndexOf("/") + 1))
        .sort(),
    );
    expect(found.skipped.reasons).toEqual([]);
    expect(found.notes).toMatchObject({ revision: BigInt(count + 1), form: "a copy of etcd" });
  });

  test("with values that need many pages", async () => {
    const large = "x".repeat(700_000);
    const { objects } = await read(
      etcdFile([{ key: "/registry/a/b/c", value: configMap("large", `,"text":"${large}"`) }, ...named(2)]),
    );
    expect(objects.find(({ metadata }) => metadata.name === "large")?.["text"]).toBe(large);
  });

  test("of which the first meta is broken is read by the second, and one of both by none", async () => {
    const bytes = etcdFile(named(3), { pageSize: 16384 });
    bytes.fill(0, 0, 200);
    expect(names(await read(bytes))).toEqual(["n0", "n1", "n2"]);
    bytes.fill(0, 16384, 16384 + 200);
    await expect(read(bytes)).rejects.toThrow("the copy of etcd is damaged");
  });

  test("that was cut off is told of", async () => {
    const bytes = etcdFile(named(100), { perPage: 20 });
    const whole = await read(bytes);
    expect(names(whole)).toHaveLength(100);
    await expect(read(bytes.subarray(0, bytes.length - 4096))).rejects.toThrow(/ends in the middle/);
  });

  test("whose sum is that of something else is told of", async () => {
    const bytes = etcdFile(named(3), { withSum: true });
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const { objects, skipped } = await read(bytes);
    expect(objects).toHaveLength(3);
    expect(skipped.reasons).toMatchObject([{ reason: expect.stringMatching(/sum at its end/) }]);
  });

  test("whose pages lead back to themselves, or out of the file, comes to an end", async () => {
    const whole = etcdFile(named(60), { perPage: 3 });
    const pages = whole.length / 4096;
    const branches = Array.from({ length: pages }, (_, page) => page).filter(
      (page) => page > 1 && whole.readUInt16LE(page * 4096 + 8) === 1,
    );
    const told: string[] = [];
    for (const page of [branches[0] ?? 0, branches.at(-2) ?? 0, branches.at(-1) ?? 0])
      for (const target of [page, branches.at(-1) ?? 0, pages, 0, 2 ** 31]) {
        const bytes = Buffer.from(whole);
        bytes.writeBigUInt64LE(BigInt(target), page * 4096 + 16 + 8);
        const outcome = await read(bytes).catch((error: Error) => error.message);
        told.push(typeof outcome === "string" ? outcome : (outcome.skipped.reasons[0]?.reason ?? "nothing"));
      }
    expect(branches.length).toBeGreaterThan(5);
    for (const reason of told) expect(reason).toMatch(/the copy of etcd is damaged/);
  });

  test("with any byte changed is read, or refused, and never more", async () => {
    const whole = etcdFile(named(12), { perPage: 3, pageSize: 1024 });
    for (let at = 2048; at < whole.length; at += 89) {
      const bytes = Buffer.from(whole);
      bytes[at] = 0xff;
      const outcome = await read(bytes).catch((error: Error) => error.constructor.name);
      expect(outcome === "SourceError" || typeof outcome === "object").toBe(true);
    }
  });
});

describe("of a key", () => {
  test("the newest value counts, and none that was deleted", async () => {
    const note = (name: string, text: string) => configMap(name, `,"text":"${text}"`);
    const found = await read(
      etcdFile(
        [
          { key: "/registry/a", value: note("a", "old"), revision: 5 },
          { key: "/registry/b", value: note("b", "gone"), revision: 6 },
          { key: "/registry/a", value: note("a", "new"), revision: 8 },
          { key: "/registry/b", value: undefined, revision: 9 },
          { key: "/registry/c", value: undefined, revision: 10 },
          { key: "/registry/c", value: note("c", "again"), revision: 12 },
        ],
        { perPage: 2, compacted: 40 },
      ),
    );
    expect(found.objects.map(({ metadata, ["text"]: text }) => [metadata.resourceVersion, text])).toEqual([
      ["12", "again"],
      ["8", "new"],
    ]);
    expect(found.notes.revision).toBe(40n);
  });

  test("the prefix may be any, and custom kinds have their plural there", async () => {
    const value = configMap("x");
    const found = await read(
      etcdFile([
        { key: "/kubernetes.io/example.com/notez/x", value },
        { key: "/openshift.io/whatever/y", value: configMap("y") },
        { key: "compact_rev_key", value: bytesOf("884") },
        { key: "/kubernetes.io/masterleases/10.0.0.1", value },
      ]),
    );
    expect(names(found)).toEqual(["x", "y"]);
    expect(found.kinds.of("example.com/v1", "Note")).toMatchObject({ resource: "notez", namespaced: false });
    expect(found.skipped.count).toBe(0);
  });

  test("the ranges of Services and ports are told of the cluster", async () => {
    const ranges = (text: string) =>
      Buffer.concat([
        bytesOf("k8s\0\n\u0015\n\u0002v1\u0012\u000fRangeAllocation"),
        Buffer.from([0x12, text.length + 4, 0x0a, 0x00, 0x12, text.length]),
        bytesOf(text),
      ]);
    const { notes, objects } = await read(
      etcdFile([
        { key: "/registry/ranges/secondaryserviceips", value: ranges("fd00:10:96::/112") },
        { key: "/registry/ranges/serviceips", value: ranges("10.96.0.0/12") },
        { key: "/registry/ranges/servicenodeports", value: ranges("30000-32767") },
      ]),
    );
    expect(objects).toEqual([]);
    expect(notes).toMatchObject({
      serviceSubnets: "10.96.0.0/12,fd00:10:96::/112",
      nodePorts: "30000-32767",
    });
  });
});

describe("a value that cannot be read", () => {
  const envelope = (apiVersion: string, kind: string) => {
    const type = Buffer.concat([
      Buffer.from([10, apiVersion.length]),
      bytesOf(apiVersion),
      Buffer.from([18, kind.length]),
      bytesOf(kind),
    ]);
    return Buffer.concat([bytesOf("k8s\0\n"), Buffer.from([type.length]), type, Buffer.from([18, 0])]);
  };
  test.each([
    ["encrypted", bytesOf("k8s:enc:aescbc:v1:key1:\u0001\u0002"), /^is encrypted \(aescbc\)/],
    ["CBOR", Buffer.from("d9d9f7a0", "hex"), /CBOR/],
    [
      "of a kind without a schema",
      envelope("apps.openshift.io/v1", "DeploymentConfig"),
      /is a DeploymentConfig of apps/,
    ],
    [
      "of a version that is no more",
      envelope("extensions/v1beta1", "Ingress"),
      /is a Ingress of extensions\/v1beta1/,
    ],
    [
      "of a version with other members",
      envelope("discovery.k8s.io/v1beta1", "EndpointSlice"),
      /a version that is no more/,
    ],
    [
      "cut off",
      Buffer.concat([envelope("v1", "Pod").subarray(0, -2), Buffer.from([18, 99])]),
      /cannot be read/,
    ],
    ["something else", bytesOf("cilium"), /is no object of Kubernetes/],
  ])("%s is skipped with the reason", async (_what, value, reason) => {
    const { objects, skipped } = await read(etcdFile([{ key: "/registry/x/y", value }, ...named(1)]));
    expect(names({ objects })).toEqual(["n0"]);
    expect(skipped.reasons).toMatchObject([{ count: 1, reason: expect.stringMatching(reason) }]);
  });

  test("but versions that servers have given up are read where their members are those of today", async () => {
    const budget = Buffer.concat([
      bytesOf("k8s\0\n"),
      Buffer.from([36, 10, 14]),
      bytesOf("policy/v1beta1"),
      Buffer.from([18, 19]),
      bytesOf("PodDisruptionBudget"),
    ]);
    budget[5] = budget.length - 6;
    const raw = Buffer.from([18, 5, 10, 3, 10, 1, 0x61]);
    const { objects } = await read(
      etcdFile([{ key: "/registry/poddisruptionbudgets/n/a", value: Buffer.concat([budget, raw]) }]),
    );
    expect(objects).toMatchObject([
      { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "a" } },
    ]);
  });

  test("and definitions are, as every server stores them", async () => {
    const crd = {
      ...{ kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1beta1" },
      metadata: { name: "notes.example.com" },
      spec: {
        ...{ group: "example.com", version: "v1", scope: "Namespaced" },
        names: { plural: "notes", singular: "note", kind: "Note", listKind: "NoteList" },
        validation: { openAPIV3Schema: { type: "object", properties: { text: { type: "string" } } } },
        subresources: { status: {} },
        versions: [
          { name: "v1", served: true, storage: true },
          { name: "v2", served: true, storage: false },
        ],
        additionalPrinterColumns: [{ name: "Text", type: "string", JSONPath: ".text" }],
        conversion: {
          ...{ strategy: "Webhook", conversionReviewVersions: ["v1"] },
          webhookClientConfig: { url: "https://example.com/" },
        },
        preserveUnknownFields: false,
      },
    };
    const { objects, kinds } = await read(
      etcdFile([
        {
          key: "/registry/apiextensions.k8s.io/customresourcedefinitions/n",
          value: bytesOf(JSON.stringify(crd)),
        },
      ]),
    );
    const version = {
      served: true,
      schema: crd.spec.validation,
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: "Text", type: "string", jsonPath: ".text" }],
    };
    expect(objects).toMatchObject([
      {
        apiVersion: "apiextensions.k8s.io/v1",
        spec: {
          group: "example.com",
          conversion: {
            strategy: "Webhook",
            webhook: { clientConfig: { url: "https://example.com/" }, conversionReviewVersions: ["v1"] },
          },
          versions: [
            { name: "v1", storage: true, ...version },
            { name: "v2", storage: false, ...version },
          ],
        },
      },
    ]);
    expect(objects[0]?.["spec"]).not.toHaveProperty("validation");
    expect(kinds.of("example.com/v2", "Note")).toMatchObject({ resource: "notes", namespaced: true });
  });
});
