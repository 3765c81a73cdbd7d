// Validation of a container's devices, mounts, variables and restart rules. The texts are those of a recorded server.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import { validatePodSpec } from "../../../../../../src/kube/core/pod/spec-validation.ts";
import { lines } from "../../../passage.ts";

const base = { terminationMessagePolicy: "File", imagePullPolicy: "Always" };
const refusals = (container: JsonObject, more: JsonObject = {}): string[] => {
  const spec = { restartPolicy: "Always", dnsPolicy: "Default", ...more };
  return lines(
    validatePodSpec("s", { ...spec, containers: [{ name: "c", image: "i", ...base, ...container }] }),
  );
};
const C = "s.containers[0]";

it.each<[string, JsonObject, string[]]>([
  [
    "a policy of restarts is known, and rules need one",
    {
      restartPolicy: "Often",
      restartPolicyRules: [{ action: "x" }, { action: "Restart", exitCodes: { operator: "Gt" } }],
    },
    [
      `${C}.restartPolicy: Unsupported value: "Often": supported values: "Always", "Never", "OnFailure"`,
      `${C}.restartPolicyRules[0].action: Unsupported value: "x": supported values: "Restart", "RestartAllContainers"`,
      `${C}.restartPolicyRules[0].exitCodes: Required value: must be specified`,
      `${C}.restartPolicyRules[1].exitCodes.operator: Unsupported value: "Gt": supported values: "In", "NotIn"`,
    ],
  ],
  [
    "rules of restarts without a policy",
    { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] },
    [`${C}.restartPolicy: Required value: must specify restartPolicy when restart rules are used`],
  ],
  [
    "a policy of resizing is for processor and memory, once each",
    {
      resizePolicy: [
        { resourceName: "a" },
        { resourceName: "cpu", restartPolicy: "x" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
      ],
    },
    [
      `${C}.resizePolicy: Unsupported value: "a": supported values: "cpu", "memory"`,
      `${C}.resizePolicy: Required value`,
      `${C}.resizePolicy: Unsupported value: "x": supported values: "NotRequired", "RestartContainer"`,
      `${C}.resizePolicy[2]: Duplicate value: "cpu"`,
    ],
  ],
  [
    "a field that is told is one of the pod's",
    {
      env: [
        { name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "*" } } },
        { name: "B", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } },
        { name: "C", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.host" } } },
        { name: "D", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['a/b/c']" } } },
        { name: "E", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.phase" } } },
      ],
    },
    [
      `${C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "*": error converting fieldPath: field label not supported: *`,
      `${C}.env[1].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2`,
      expect.stringContaining(
        `${C}.env[3].valueFrom.fieldRef: Invalid value: "a/b/c": a valid label key`,
      ) as string,
      `${C}.env[4].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`,
    ],
  ],
  [
    "an amount that is told is of a resource, in a unit of it",
    {
      env: [
        { name: "A", valueFrom: { resourceFieldRef: { resource: "x", divisor: "0" } } },
        { name: "B", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1k" } } },
        { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      ],
    },
    [
      `${C}.env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`,
      `${C}.env[1].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
  ],
  [
    "the file of a variable is in a volume of the pod, which is told last",
    { env: [{ name: "A", value: "1", valueFrom: { fileKeyRef: { key: "ä", path: "x", volumeName: "w" } } }] },
    [
      `${C}.env[0].valueFrom.fileKeyRef.key: Invalid value: "ä": a valid environment variable name must consist only of printable ASCII characters other than '='`,
      `${C}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${C}.env[0].valueFrom.fileKeyRef.volumeName: Not found: "w"`,
    ],
  ],
  [
    "a device is claimed, and stands at a place of its own",
    {
      volumeDevices: [
        { name: "e", devicePath: "/a" },
        { name: "x", devicePath: "/a" },
        { name: "p", devicePath: "../a" },
      ],
      volumeMounts: [{ name: "p", mountPath: "/a" }],
    },
    [
      `${C}.volumeMounts[0].name: Invalid value: "p": must not already exist in volumeDevices`,
      `${C}.volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices`,
      `${C}.volumeDevices[0].name: Invalid value: "e": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
      `${C}.volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts`,
      `${C}.volumeDevices[1].name: Not found: "x"`,
      `${C}.volumeDevices[1].devicePath: Invalid value: "/a": must be unique`,
      `${C}.volumeDevices[1].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts`,
      `${C}.volumeDevices[2].devicePath: Invalid value: "../a": can not contain backsteps ('..')`,
      `${C}.volumeDevices[2].name: Invalid value: "p": must not already exist in volumeMounts`,
    ],
  ],
  [
    "a mount says how it is shared",
    {
      volumeMounts: [
        { name: "e", mountPath: "/a", recursiveReadOnly: "http" },
        { name: "e", mountPath: "/b", recursiveReadOnly: "Enabled", mountPropagation: "Bidirectional" },
        { name: "e", mountPath: "/c", subPath: "a", subPathExpr: "../b", mountPropagation: "x" },
      ],
    },
    [
      `${C}.volumeMounts.recursiveReadOnly: Unsupported value: "http": supported values: "Disabled", "Enabled", "IfPossible"`,
      `${C}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
      `${C}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true`,
      `${C}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified`,
      `${C}.volumeMounts[2].subPathExpr: Invalid value: "../b": subPathExpr and subPath are mutually exclusive`,
      `${C}.volumeMounts.subPathExpr: Invalid value: "../b": must not contain '..'`,
      `${C}.volumeMounts.mountPropagation: Unsupported value: "x": supported values: "Bidirectional", "HostToContainer", "None"`,
    ],
  ],
])("%s", (_rule, container, expected) => {
  const volumes = [
    { name: "e", emptyDir: {} },
    { name: "p", persistentVolumeClaim: { claimName: "c" } },
  ];
  expect(refusals(container, { volumes })).toEqual(expected);
});

it("devices are claimed by the pod, and used by its containers under the names of the claims", () => {
  const more = {
    resourceClaims: [{ name: "a", resourceClaimName: "x" }, { name: "a" }, { resourceClaimName: "X" }],
  };
  const claims = [{ name: "a" }, { name: "a" }, { name: "b" }];
  expect(refusals({ resources: { claims } }, more)).toEqual([
    's.resourceClaims[1].name: Duplicate value: "a"',
    's.resourceClaims[1]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    "s.resourceClaims[2].name: Required value",
    expect.stringContaining(
      's.resourceClaims[2].resourceClaimName: Invalid value: "X": a lowercase RFC 1123 subdomain',
    ) as string,
    `${C}.resources.claims[1]: Duplicate value: "a"`,
    `${C}.resources.claims[2]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a`,
  ]);
});

it.each<[string, JsonObject, string]>([
  ["the system", { os: {} }, "s.os.name: Required value"],
  [
    "the system",
    { os: { name: "bsd" } },
    's.os: Unsupported value: "bsd": supported values: "linux", "windows"',
  ],
  [
    "who has to go",
    { preemptionPolicy: "x" },
    's.preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"',
  ],
])("%s is one of those that are known", (_what, more, expected) => {
  expect(refusals({}, more)).toEqual([expected]);
});
