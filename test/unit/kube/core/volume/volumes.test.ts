// PersistentVolumes and claims: defaults, allowed updates and their errors; warnings and table rows.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { create, definitionOf, lines, rowOf, update } from "../../passage.ts";

const VOLUMES = definitionOf("PersistentVolume");
const CLAIMS = definitionOf("PersistentVolumeClaim");
const METADATA = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };

describe("a PersistentVolume", () => {
  const CSI = { driver: "d.example.com", volumeHandle: "h" };
  const volume = (spec: JsonObject = {}, metadata: JsonObject = {}) => ({
    metadata: { name: "a", ...metadata },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi: CSI, ...spec },
  });
  const made = (spec: JsonObject = {}) => create(VOLUMES, volume(spec)).object;
  const change = (before: JsonObject, spec: JsonObject) =>
    lines(update(VOLUMES, { before: made(before), body: volume(spec) }).errors);

  it("is retained, has a file system and waits", () => {
    const { spec, status } = made();
    expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    expect(status).toEqual({ phase: "Pending", lastPhaseTransitionTime: "2030-01-01T00:05:00Z" });
  });

  it("tells when its phase changed last", () => {
    const before = {
      ...made(),
      status: { phase: "Pending", lastPhaseTransitionTime: "2029-01-01T00:00:00Z" },
    };
    const statusOf = (status: JsonObject) =>
      update(VOLUMES, { before, body: { ...volume({ csi: {} }), status } }, "status").object;
    expect(statusOf({ phase: "Pending", reason: "x" })).toMatchObject({
      spec: { csi: CSI },
      status: { ...before.status, reason: "x" },
    });
    expect(statusOf({ ...before.status, phase: "Bound" })["status"]).toEqual({
      phase: "Bound",
      lastPhaseTransitionTime: "2030-01-01T00:05:00Z",
    });
    const own = { phase: "Bound", lastPhaseTransitionTime: "2028-01-01T00:00:00Z" };
    expect(statusOf(own)["status"]).toEqual(own);
  });

  it("stays where it is, and the change is shown", () => {
    const [text = "", ...others] = change({}, { csi: { ...CSI, volumeHandle: "g" }, volumeMode: "Block" });
    expect(text).toContain(
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable",
    );
    expect(text).toContain('-  "VolumeHandle": "h",\n+  "VolumeHandle": "g",\n');
    expect(text).not.toContain("AccessModes");
    expect(others).toEqual(['volumeMode: Invalid value: "Block": field is immutable']);
  });

  it("may be given the secret for its growth later, once", () => {
    const withSecret = (name: string) => ({
      csi: { ...CSI, controllerExpandSecretRef: { name, namespace: "n" } },
    });
    expect(change({}, withSecret("s"))).toEqual([]);
    expect(change(withSecret("s"), withSecret("t"))).toHaveLength(1);
  });

  const near = (key: string, value = "x") => ({
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
    },
  });

  it("keeps its nodes, but for new names of labels", () => {
    const old = near("failure-domain.beta.kubernetes.io/zone");
    expect(change({}, old)).toEqual([]);
    expect(change(old, near("topology.kubernetes.io/zone"))).toEqual([]);
    const rule = "field is immutable, except for updating from beta label to GA";
    expect(change(old, near("topology.kubernetes.io/zone", "y"))).toEqual([
      expect.stringMatching(/^nodeAffinity: Invalid value: \{"Required":\{"NodeSelectorTerms":.*GA$/),
    ]);
    expect(change(old, {})).toEqual([`nodeAffinity: Invalid value: null: ${rule}`]);
  });

  it("keeps a class of attributes, which only drivers know", () => {
    const silver = { volumeAttributesClassName: "silver" };
    expect(change(silver, {})).toEqual([
      "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden",
    ]);
    expect(
      lines(create(VOLUMES, volume({ ...silver, csi: undefined, nfs: { server: "s", path: "/" } })).errors),
    ).toEqual(["spec.csi: Required value: has to be specified when using volumeAttributesClassName"]);
  });

  it("has mount options in its annotations only where its source takes them", () => {
    const annotations = { "volume.beta.kubernetes.io/mount-options": "ro" };
    expect(lines(create(VOLUMES, volume({}, { annotations })).errors)).toEqual([
      "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type",
    ]);
  });

  it("warns of what is out of use", () => {
    const { object } = create(
      VOLUMES,
      volume(
        {
          csi: undefined,
          rbd: { monitors: ["m"], image: "i" },
          persistentVolumeReclaimPolicy: "Recycle",
          ...near("beta.kubernetes.io/os"),
        },
        { annotations: { "volume.beta.kubernetes.io/storage-class": "s" } },
      ),
    );
    expect(VOLUMES.strategy.warnings?.(object, undefined)).toEqual([
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
    ]);
  });

  it("is shown with its claim", () => {
    const claimRef = { namespace: "n", name: "c" };
    const accessModes = ["ReadWriteOncePod", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"];
    const object = { ...volume({ claimRef, accessModes }), metadata: METADATA, status: { phase: "Bound" } };
    expect(rowOf(VOLUMES, object)).toMatchObject({
      Capacity: "1Gi",
      "Access Modes": "RWO,RWX,RWOP",
      Status: "Bound",
      Claim: "n/c",
      VolumeAttributesClass: "<unset>",
      VolumeMode: "<unset>",
    });
    const going = { ...object, metadata: { ...METADATA, deletionTimestamp: "2030-01-01T00:00:00Z" } };
    expect(rowOf(VOLUMES, going)).toMatchObject({ Status: "Terminating" });
  });
});

describe("a PersistentVolumeClaim", () => {
  const claim = (spec: JsonObject = {}, annotations: JsonObject = {}) => ({
    metadata: { name: "a", annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, ...spec },
  });
  const made = (spec: JsonObject = {}, annotations = {}) => create(CLAIMS, claim(spec, annotations)).object;
  const change = (before: KubeObject, spec: JsonObject, annotations = {}) =>
    lines(update(CLAIMS, { before, body: claim(spec, annotations) }).errors);
  const sized = (storage: string) => ({ resources: { requests: { storage } } });

  it("says in both members what it is filled from", () => {
    const other = { kind: "PersistentVolumeClaim", name: "b" };
    const both = { dataSource: other, dataSourceRef: other };
    expect(made({ dataSource: other })["spec"]).toMatchObject(both);
    expect(made({ dataSourceRef: other })["spec"]).toMatchObject(both);
    const unknown = { apiGroup: "example.com", kind: "Backup", name: "b" };
    expect(made({ dataSource: unknown })["spec"]).not.toHaveProperty("dataSource");
    expect(made({ dataSourceRef: { ...other, namespace: "n" } })["spec"]).not.toHaveProperty("dataSourceRef");
    const { errors } = create(CLAIMS, claim({ dataSource: other, dataSourceRef: unknown }));
    expect(lines(errors)).toEqual(["spec: Invalid value: {}: must match dataSourceRef"]);
  });

  it("may get a volume, and a class, once", () => {
    expect(change(made(), { volumeName: "v", storageClassName: "s" })).toEqual([]);
    const [text = ""] = change(made({ volumeName: "v" }), { volumeName: "w" });
    expect(text).toContain('- "VolumeName": "v",\n+ "VolumeName": "w",\n');
    expect(change(made({ storageClassName: "s" }), {})).toHaveLength(1);
  });

  it("may move its class from the annotation", () => {
    const key = "volume.beta.kubernetes.io/storage-class";
    expect(change(made({}, { [key]: "s" }), { storageClassName: "s" })).toEqual([]);
    expect(change(made({}, { [key]: "s" }), { storageClassName: "t" })).toEqual([
      `metadata.annotations.${key}: Invalid value: "": field is immutable`,
      expect.stringContaining("spec: Forbidden: spec is immutable"),
    ]);
  });

  it("may ask for another size and for other attributes when it is bound", () => {
    const status = {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      currentVolumeAttributesClassName: "silver",
    };
    const bound = { ...made({ volumeAttributesClassName: "silver" }), status };
    expect(change(bound, { ...sized("3Gi"), volumeAttributesClassName: "gold" })).toEqual([]);
    expect(change(bound, { ...sized("1500Mi"), volumeAttributesClassName: "gold" })).toEqual([]);
    expect(change(bound, sized("1Gi"))).toEqual([
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
      "spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
    ]);
    expect(change(bound, { volumeAttributesClassName: "" })).toEqual([
      "spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
    ]);
    expect(change(bound, { volumeAttributesClassName: "gold", volumeMode: "Block" })).toEqual([
      expect.stringContaining('- "VolumeMode": "Filesystem",\n+ "VolumeMode": "Block",\n'),
      'volumeMode: Invalid value: "Block": field is immutable',
    ]);
  });

  it("tells an empty list or map that is given from none in what it refuses", () => {
    const [, , text = ""] = change(made(), { accessModes: [], resources: { limits: {} }, selector: {} });
    for (const line of [
      '+ "AccessModes": [],',
      '+ "Selector": {},',
      '+  "Limits": {},',
      '+  "Requests": null',
    ])
      expect(text).toContain(`\n${line}\n`);
  });

  it("has a status that fits", () => {
    const status = {
      capacity: { storage: "-1500m" },
      allocatedResources: { storage: -1, cpu: 1, "example.com/x": 1, "a b": 1 },
      allocatedResourceStatuses: { storage: "Done", memory: "NodeResizePending" },
    };
    const { errors } = update(CLAIMS, { before: made(), body: { ...claim(), status } }, "status");
    const states =
      '"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"';
    expect(lines(errors)).toEqual([
      "status.capacity[storage]: Invalid value: -2: must be a valid resource quantity",
      expect.stringContaining(
        'status.allocatedResourceStatus: Unsupported value: "storage": supported values: ',
      ),
      'status.allocatedResourceStatus: Unsupported value: "memory": supported values: "storage"',
      "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
      expect.stringContaining('status.allocatedResources: Invalid value: "a b": name part must consist of'),
    ]);
    expect(states).toContain("NodeResizePending");
  });

  it("warns of parts of a byte", () => {
    expect(CLAIMS.strategy.warnings?.(made(sized("1500m")), undefined)).toEqual([
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ]);
  });

  it("is shown with the size of its volume", () => {
    const status = { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadOnlyMany"] };
    const annotations = { "volume.beta.kubernetes.io/storage-class": "old" };
    const object = { ...claim({ volumeName: "v" }), metadata: { ...METADATA, annotations }, status };
    expect(rowOf(CLAIMS, object)).toMatchObject({
      Status: "Bound",
      Volume: "v",
      Capacity: "2Gi",
      "Access Modes": "ROX",
      StorageClass: "old",
    });
    expect(rowOf(CLAIMS, { ...claim(), metadata: METADATA, status })).toMatchObject({ Capacity: "" });
  });
});
