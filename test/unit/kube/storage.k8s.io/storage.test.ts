// Storage classes, CSI drivers and nodes, volume attachments: allowed updates, and table rows.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf, update, validBody } from "../passage.ts";

const of = (kind: string) => definitionOf(`storage.k8s.io/${kind}`);
const METADATA = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };
const made = (kind: string, members: JsonObject) =>
  create(of(kind), { metadata: { name: "a" }, ...members }).object;
const change = (kind: string, before: JsonObject, members: JsonObject, subresource = "") =>
  update(
    of(kind),
    { before: made(kind, before), body: { metadata: { name: "a" }, ...members } },
    subresource,
  );

describe("a StorageClass", () => {
  const CLASS = { provisioner: "p.example.com" };

  it("stays as it was made, but for its options and places", () => {
    const { errors } = change("StorageClass", CLASS, {
      provisioner: "q.example.com",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      mountOptions: ["ro"],
      allowVolumeExpansion: true,
    });
    expect(lines(errors)).toEqual([
      'parameters: Invalid value: {"a":"b"}: field is immutable',
      'provisioner: Invalid value: "q.example.com": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
  });

  it.each<[string, JsonObject[], number]>([
    ["one empty term", [{}], 1],
    ["two empty terms", [{}, {}], 5],
    ["an empty term behind another", [{ matchLabelExpressions: [{ key: "z", values: ["a"] }] }, {}], 2],
    [
      "values in another order",
      [
        ["a", "b"],
        ["b", "a"],
      ].map((values) => ({ matchLabelExpressions: [{ key: "z", values }] })),
      1,
    ],
  ])("does not take %s", (_what, allowedTopologies, times) => {
    const { errors } = create(of("StorageClass"), { metadata: { name: "a" }, ...CLASS, allowedTopologies });
    expect(lines(errors)).toEqual(
      Array(times).fill(expect.stringMatching(/\.matchLabelExpressions: Duplicate value: ""$/)),
    );
  });

  it("may be empty in what becomes of volumes, and not in when claims get theirs", () => {
    const withPolicy = (members: JsonObject) =>
      lines(create(of("StorageClass"), { metadata: { name: "a" }, ...CLASS, ...members }).errors);
    expect(withPolicy({ reclaimPolicy: "" })).toEqual([]);
    expect(withPolicy({ reclaimPolicy: "Recycle" })).toEqual([
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ]);
    expect(withPolicy({ volumeBindingMode: "" })).toEqual([
      'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
    ]);
  });

  it("has names of settings, and not too many", () => {
    const parameters = Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`p${index}`, ""]));
    const { errors } = create(of("StorageClass"), { metadata: { name: "a" }, ...CLASS, parameters });
    expect(lines(errors)).toEqual(["parameters: Too long: may not be more than 512 bytes"]);
  });

  it("is shown as the default", () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const row = rowOf(of("StorageClass"), { metadata: { ...METADATA, annotations }, ...CLASS });
    expect(row).toMatchObject({ Name: "a (default)", AllowVolumeExpansion: false });
  });
});

it("a VolumeAttributesClass stays as it was made", () => {
  const before = { driverName: "d.example.com", parameters: { a: "b" } };
  expect(lines(change("VolumeAttributesClass", before, before).errors)).toEqual([]);
  expect(lines(change("VolumeAttributesClass", before, { driverName: "*" }).errors)).toEqual([
    "driverName: Forbidden: updates to driverName are forbidden.",
    "parameters: Forbidden: updates to parameters are forbidden.",
    "parameters: Required value: must contain at least one key/value pair",
  ]);
});

describe("a CSIDriver", () => {
  it("keeps how its volumes are attached and which they are; other changes are counted", () => {
    const { errors } = change(
      "CSIDriver",
      { spec: {} },
      { spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] } },
    );
    expect(lines(errors)).toEqual([
      "spec.attachedRequired: Invalid value: false: field is immutable",
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ]);
    const counted = change("CSIDriver", { spec: {} }, { spec: { requiresRepublish: true } });
    expect(counted.object.metadata.generation).toBe(1);
    const free = change("CSIDriver", { spec: {} }, { spec: { fsGroupPolicy: "None" } });
    expect(free.object.metadata.generation).toBeUndefined();
  });

  it("is made without what is not in use yet", () => {
    const { spec } = made("CSIDriver", { spec: { preventPodSchedulingIfMissing: true } });
    expect(spec).not.toHaveProperty("preventPodSchedulingIfMissing");
  });

  it("is shown with whom its tokens are for", () => {
    const spec = {
      tokenRequests: [{ audience: "a" }, { audience: "b" }],
      volumeLifecycleModes: ["Persistent"],
    };
    const row = rowOf(of("CSIDriver"), { metadata: METADATA, spec });
    expect(row).toMatchObject({ TokenRequests: "a,b", Modes: "Persistent" });
  });
});

describe("a CSINode", () => {
  const driver = (members: JsonObject = {}) => ({ name: "d.example.com", nodeID: "n", ...members });
  const drivers = (...items: JsonObject[]) => ({ spec: { drivers: items } });

  it("may change what it can take, and no driver otherwise", () => {
    const before = drivers(driver());
    expect(change("CSINode", before, drivers(driver({ allocatable: { count: 3 } }))).errors).toEqual([]);
    expect(change("CSINode", before, drivers()).errors).toEqual([]);
    expect(lines(change("CSINode", before, drivers(driver({ nodeID: "m" }))).errors)).toEqual([
      'spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ]);
  });

  it("has names of itself that are not too long", () => {
    const { errors } = create(of("CSINode"), {
      metadata: { name: "a" },
      ...drivers(driver({ nodeID: "n".repeat(193) })),
    });
    expect(lines(errors)).toEqual([expect.stringMatching(/must be 192 characters or less$/)]);
  });
});

it("a CSIStorageCapacity stays in its place", () => {
  const before = { nodeTopology: { matchLabels: { a: "b" } }, storageClassName: "s" };
  const expressions = [{ key: "a", operator: "Exists" }];
  const after = { nodeTopology: { matchExpressions: expressions, matchLabels: { a: "b" } } };
  expect(lines(change("CSIStorageCapacity", before, { ...before, ...after }).errors)).toEqual([
    'nodeTopology: Invalid value: {"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"Exists"}]}: field is immutable',
  ]);
  expect(lines(change("CSIStorageCapacity", before, { storageClassName: "s" }).errors)).toEqual([
    "nodeTopology: Invalid value: null: field is immutable",
  ]);
});

it("a CSIStorageCapacity is asked for no negative capacity, and for nothing of its largest volume", () => {
  const told = { storageClassName: "s", capacity: "-1", maximumVolumeSize: "-1" };
  const { errors } = create(of("CSIStorageCapacity"), { metadata: { name: "a" }, ...told });
  expect(lines(errors)).toEqual(['capacity: Invalid value: "-1": must be greater than or equal to 0']);
});

describe("a VolumeAttachment", () => {
  const body = validBody(of("VolumeAttachment"));

  it("tells its state through its status alone", () => {
    expect(made("VolumeAttachment", { ...body, status: { attached: true } })["status"]).toEqual({
      attached: false,
    });
    const { object, errors } = change("VolumeAttachment", body, { status: { attached: true } }, "status");
    expect(errors).toEqual([]);
    expect(object).toMatchObject({ spec: body["spec"], status: { attached: true } });
  });

  it("tells of failures in few words, with codes of no less than nothing", () => {
    const attachError = { message: "x".repeat(1025), errorCode: -1 };
    const { errors } = change(
      "VolumeAttachment",
      body,
      { status: { attached: false, attachError } },
      "status",
    );
    expect(lines(errors)).toEqual([
      "status.attachError.message: Too long: may not be more than 1024 bytes",
      "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ]);
  });

  it.each([
    ["", "Required value: must specify non empty persistentVolumeName"],
    ["A", expect.stringContaining('Invalid value: "A": a lowercase RFC 1123 subdomain')],
  ])("is of a volume that is called %j", (persistentVolumeName, message) => {
    const spec = { attacher: "d", nodeName: "n", source: { persistentVolumeName } };
    const { errors } = create(of("VolumeAttachment"), { metadata: { name: "a" }, spec });
    expect(errors).toEqual([expect.objectContaining({ field: "spec.source.persistentVolumeName" })]);
    expect(errors[0]?.message).toEqual(message);
  });

  it("is shown with volume, node and state", () => {
    const row = rowOf(of("VolumeAttachment"), { ...body, metadata: METADATA, status: { attached: true } });
    expect(row).toEqual({
      Name: "a",
      Attacher: "disks.example.com",
      PV: "disk",
      Node: "worker-1",
      Attached: true,
      Age: "5m",
    });
  });
});
