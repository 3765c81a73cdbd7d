// Volume sources of a pod and of a PersistentVolume.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines } from "../../passage.ts";

const errorsOfVolume = (source: JsonObject, name = "v") =>
  lines(
    create(definitionOf("PersistentVolume"), {
      metadata: { name },
      spec: { capacity: { storage: 1 }, accessModes: ["ReadWriteOnce"], ...source },
    }).errors,
  );
const errorsOfPod = (source: JsonObject) =>
  lines(
    create(definitionOf("Pod"), {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", ...source }] },
    }).errors,
  );

const IN_BYTE = "must be between 0 and 255, inclusive";
const REGISTRY = "must be a host:port pair or multiple pairs separated by commas";

describe("a source of a pod and of a volume", () => {
  it.each<[string, JsonObject, string[]]>([
    [
      "gcePersistentDisk",
      { partition: 256 },
      [".pdName: Required value", ".partition: Invalid value: 256: must be between 1 and 255, inclusive"],
    ],
    [
      "awsElasticBlockStore",
      { volumeID: "v", partition: -1 },
      [".partition: Invalid value: -1: must be between 1 and 255, inclusive"],
    ],
    ["nfs", { server: "s", path: "p" }, ['.path: Invalid value: "p": must be an absolute path']],
    ["nfs", { server: "s" }, [".path: Required value", '.path: Invalid value: "": must be an absolute path']],
    ["flocker", {}, [": Required value: one of datasetName and datasetUUID is required"]],
    [
      "flocker",
      { datasetName: "a/b", datasetUUID: "c" },
      [
        ': Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        `.datasetName: Invalid value: "a/b": must not contain '/'`,
      ],
    ],
    ["rbd", { monitors: [] }, [".monitors: Required value", ".image: Required value"]],
    ["cephfs", {}, [".monitors: Required value"]],
    ["quobyte", { volume: "v" }, [`.registry: Required value: ${REGISTRY}`]],
    [
      "quobyte",
      { registry: "a:1,b,c", volume: "v" },
      [
        `.registry: Invalid value: "a:1,b,c": ${REGISTRY}`,
        `.registry: Invalid value: "a:1,b,c": ${REGISTRY}`,
      ],
    ],
    [
      "quobyte",
      { registry: "[::1]:80,:", volume: "v", tenant: "x".repeat(65) },
      [".tenant: Required value: must be a UUID and may not exceed a length of 64 characters"],
    ],
    [
      "fc",
      { lun: 1 },
      [".targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"],
    ],
    [
      "fc",
      { targetWWNs: ["a"], wwids: ["b"] },
      [
        '.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
        ".lun: Required value: lun is required if targetWWNs is specified",
      ],
    ],
    ["fc", { targetWWNs: ["a"], lun: 256 }, [`.lun: Invalid value: 256: ${IN_BYTE}`]],
    [
      "flexVolume",
      { driver: "d", options: { "a.k8s.io/x": "", "example.com/k8s.io": "" } },
      ['.options[a.k8s.io/x]: Invalid value: "a.k8s.io/x": kubernetes.io and k8s.io namespaces are reserved'],
    ],
    [
      "azureDisk",
      { diskName: "d", diskURI: "u", kind: "Managed", cachingMode: "Often" },
      [
        '.cachingMode: Unsupported value: "Often": supported values: "None", "ReadOnly", "ReadWrite"',
        '.diskURI: Unsupported value: "u": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      ],
    ],
    ["azureDisk", { diskName: "d", diskURI: "https://a" }, []],
    [
      "iscsi",
      { targetPortal: "p", iqn: "x", lun: -1, chapAuthSession: true },
      [
        '.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
        `.lun: Invalid value: -1: ${IN_BYTE}`,
        ".secretRef: Required value",
      ],
    ],
    [
      "iscsi",
      { targetPortal: "p", iqn: "eui.0123456789abcdef", lun: 0, initiatorName: "naa.1" },
      ['.initiatorname: Invalid value: "naa.1": must be valid format'],
    ],
    ["iscsi", { targetPortal: "p", iqn: "iqn.2001-04.com.example:disk", lun: 0 }, []],
    ["scaleIO", { gateway: "g" }, [".system: Required value", ".volumeName: Required value"]],
    [
      "storageos",
      { volumeName: "A", volumeNamespace: "b", secretRef: { namespace: "n" } },
      [
        expect.stringContaining('.volumeName: Invalid value: "A": a lowercase RFC 1123 label'),
        ".secretRef.name: Required value",
      ],
    ],
  ])("%s %j", (kind, source, found) => {
    const called = kind === "gcePersistentDisk" ? "persistentDisk" : kind;
    const at = (field: string) =>
      found.map((text) => (typeof text === "string" ? `${field}.${called}${text}` : text));
    expect(errorsOfVolume({ [kind]: source })).toEqual(at("spec"));
    if (kind !== "storageos") expect(errorsOfPod({ [kind]: source })).toEqual(at("spec.volumes[0]"));
  });
});

describe("a source of a volume", () => {
  it.each<[string, JsonObject, string[]]>([
    [
      "glusterfs",
      { endpoints: "e", path: "p", endpointsNamespace: "" },
      [
        '.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    [
      "azureFile",
      { secretName: "s", shareName: "h", secretNamespace: "" },
      [".secretNamespace: Required value"],
    ],
    [
      "cinder",
      { volumeID: "v", secretRef: {} },
      [".secretRef.name: Required value", ".secretRef.namespace: Required value"],
    ],
    ["csi", { driver: "D.example.com", volumeHandle: "h", nodeStageSecretRef: {} }, []],
    [
      "csi",
      { driver: "d", volumeHandle: "h", controllerExpandSecretRef: { name: "s" } },
      [".controllerExpandSecretRef.namespace: Required value"],
    ],
    [
      "csi",
      { driver: "", volumeHandle: "h", nodeExpandSecretRef: { name: "a.b", namespace: "a.b" } },
      [
        ".driver: Required value",
        '.nodeExpandSecretRef.namespace: Invalid value: "a.b": must not contain dots',
      ],
    ],
  ])("%s %j", (kind, source, found) => {
    expect(errorsOfVolume({ [kind]: source })).toEqual(found.map((text) => `spec.${kind}${text}`));
  });

  it("is the only one, but for a flexVolume, which may stand beside another", () => {
    const [hostPath, flexVolume, local] = [{ path: "/" }, { driver: "" }, { path: "/" }];
    expect(errorsOfVolume({ hostPath, flexVolume, local })).toEqual([
      "spec.flexVolume.driver: Required value",
      "spec.local: Forbidden: may not specify more than 1 volume type",
    ]);
    expect(errorsOfPod({ hostPath, flexVolume })).toEqual([
      "spec.volumes[0].flexVolume: Forbidden: may not specify more than 1 volume type",
    ]);
  });

  it("has a short name together with its portal, where the initiator is called like both", () => {
    const iscsi = { targetPortal: "p".repeat(60), iqn: "iqn.2001-04.com.example:disk", lun: 0 };
    const initiatorName = "iqn.2001-04.com.example:node";
    expect(errorsOfVolume({ iscsi }, "disks")).toEqual([]);
    expect(errorsOfVolume({ iscsi: { ...iscsi, initiatorName } }, "d")).toEqual([]);
    expect(errorsOfVolume({ iscsi: { ...iscsi, initiatorName } }, "disks")).toEqual([
      expect.stringMatching(/^spec\.iscsi\.targetportal: Invalid value: .* must be under 64 characters/),
    ]);
  });

  it("cannot be emptied where it is the root", () => {
    const volume = (path: string) => ({ hostPath: { path }, persistentVolumeReclaimPolicy: "Recycle" });
    const refusal =
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'";
    expect(errorsOfVolume(volume("/./"))).toEqual([refusal]);
    expect(errorsOfVolume(volume("/a"))).toEqual([]);
  });
});
