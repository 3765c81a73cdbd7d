// Validation of a pod spec as a whole: names, users, operating systems, and constraints across its containers.
import { expect, it, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { validatePodSpec } from "../../../../../src/kube/core/pod/spec-validation.ts";
import { askAsWhole } from "../../../../../src/kube/core/pod/whole.ts";
import { lines } from "../../passage.ts";

const CONTAINER = { name: "c", image: "i", terminationMessagePolicy: "File", imagePullPolicy: "Always" };
const refusals = (spec: JsonObject, podName?: string): string[] =>
  lines(
    validatePodSpec(
      "s",
      { restartPolicy: "Always", dnsPolicy: "Default", containers: [CONTAINER], ...spec },
      podName,
    ),
  );
const containing = (text: string): string => expect.stringContaining(text) as string;

it.each<[string, JsonObject, string[]]>([
  [
    "domains to search in",
    { dnsConfig: { searches: ["a.b.", ".", "_x.y", "*"] } },
    [containing('s.dnsConfig.searches[3]: Invalid value: "*": a lowercase RFC 1123 subdomain must consist')],
  ],
  [
    "users of its own go with nothing of the host",
    {
      hostUsers: false,
      hostPID: true,
      containers: [{ ...CONTAINER, volumeDevices: [{ name: "p", devicePath: "/d" }] }],
      volumes: [{ name: "p", persistentVolumeClaim: { claimName: "c" } }],
    },
    [
      "s.HostPID: Forbidden: when `hostUsers` is false",
      "s.containers[0].volumeDevices: Forbidden: when `hostUsers` is false",
    ],
  ],
  [
    "Linux has no settings for Windows",
    { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
    ["s.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
  ],
  [
    "Windows has none for Linux",
    {
      os: { name: "windows" },
      hostIPC: true,
      securityContext: { fsGroup: 1, windowsOptions: { runAsUserName: "a\\b\\c" } },
      containers: [{ ...CONTAINER, securityContext: { privileged: false } }],
    },
    [
      's.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      "s.hostIPC: Forbidden: cannot be set for a windows pod",
      "s.securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
      "s.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
    ],
  ],
  [
    "a system that is not known",
    { os: { name: "x" } },
    ['s.os: Unsupported value: "x": supported values: "linux", "windows"'],
  ],
  [
    "what it costs to run the pod",
    { overhead: { a: "1", cpu: "-1" } },
    [
      's.overhead.limits[a]: Invalid value: "a": must be a standard resource type or fully qualified',
      's.overhead.limits[a]: Invalid value: "a": must be a standard resource for containers',
      's.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    "the pod as a whole wants no less than its containers",
    {
      resources: { requests: { cpu: "1" }, limits: { cpu: "2", "a.b/c": "1" }, claims: [] },
      containers: [{ ...CONTAINER, resources: { requests: { cpu: "1500m" }, limits: { cpu: "3" } } }],
    },
    [
      "s.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
      's.resources.limits[a.b/c]: Unsupported value: "a.b/c": supported values: "cpu", "memory"',
      's.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1500m',
      's.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
    ],
  ],
  [
    "headers of probes have names, and files of variables are in volumes that begin empty",
    {
      containers: [
        {
          ...CONTAINER,
          env: [{ name: "A", valueFrom: { fileKeyRef: { key: "K", path: "p", volumeName: "v" } } }],
          readinessProbe: {
            httpGet: { path: "/", port: 80, scheme: "HTTP", httpHeaders: [{ name: "a_b" }] },
          },
        },
      ],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
    },
    [
      containing(
        'readinessProbe.httpGet.httpHeaders: Invalid value: "a_b": a valid HTTP header must consist',
      ),
      's.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "v": referenced volume must be of type emptyDir',
    ],
  ],
  [
    "containers of the start are named and begun again by rules of their own",
    {
      initContainers: [
        { ...CONTAINER, restartPolicyRules: [{ action: "x" }] },
        {
          ...CONTAINER,
          name: "d",
          resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
        },
      ],
    },
    [
      "s.initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
      's.initContainers[0].name: Duplicate value: "c"',
      "s.initContainers[1].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
    ],
  ],
])("%s", (_rule, spec, expected) => {
  expect(refusals(spec)).toEqual(expected);
});

it.each<[string, JsonObject, string[]]>([
  [
    "sources of one volume",
    {
      projected: {
        defaultMode: 512,
        sources: [
          {
            secret: { items: [{ key: "k", path: "a" }] },
            configMap: { name: "m", items: [{ path: "..a" }] },
          },
          { downwardAPI: { items: [{ path: "a", resourceFieldRef: { resource: "x" } }, { path: "b" }] } },
          { serviceAccountToken: { expirationSeconds: 60, path: "/t" } },
        ],
      },
    },
    [
      "projected.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
      "projected.sources[0].secret.name: Required value",
      "projected.sources[0].configMap.items[0].key: Required value",
      "projected.sources[0].configMap.items[0].path: Invalid value: \"..a\": must not start with '..'",
      "projected.sources[0]: Forbidden: may not specify more than 1 volume type per source",
      "projected.sources[1].downwardAPI.resourceFieldRef.containerName: Required value",
      'projected: Invalid value: "a": conflicting duplicate paths',
      "projected.sources[1].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
      "projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
      'projected.path: Invalid value: "/t": must be a relative path',
    ],
  ],
  [
    "facts about the pod",
    {
      downwardAPI: {
        items: [
          { path: "a", fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" }, resourceFieldRef: {} },
          { path: "b", mode: -1, resourceFieldRef: { containerName: "c", resource: "x" } },
        ],
      },
    },
    [
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      containing(
        'downwardAPI.resourceFieldRef.resource: Unsupported value: "x": supported values: "limits.cpu"',
      ),
      "downwardAPI.mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [
    "room",
    { emptyDir: { sizeLimit: "-1" } },
    ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
  ],
  [
    "a claim that is made for the pod",
    { ephemeral: { volumeClaimTemplate: { metadata: { name: "x", labels: { a: "b" } }, spec: {} } } },
    [
      "ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
      "ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required",
      "ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
    ],
  ],
  ["no claim", { ephemeral: {} }, ["ephemeral.volumeClaimTemplate: Required value"]],
  [
    "an image",
    { image: { pullPolicy: "x" } },
    [
      "image.reference: Required value",
      'image.pullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
  [
    "a driver, whose secret is told where the driver is",
    { csi: { driver: "d", nodePublishSecretRef: { name: "A" } } },
    [containing('csi.name: Invalid value: "A": a lowercase RFC 1123 subdomain')],
  ],
])("a volume with %s", (_what, source, expected) => {
  expect(refusals({ volumes: [{ name: "v", ...source }] }, "p")).toEqual(
    expected.map((text) => (typeof text === "string" ? `s.volumes[0].${text}` : text)),
  );
});

test("a pod that says something of itself as a whole asks for what its containers ask for, or for what it may use", () => {
  const spec = {
    resources: { limits: { cpu: "2", memory: "1Gi" } },
    containers: [{ resources: { requests: { cpu: "500m" } } }, { resources: { requests: { cpu: "1" } } }],
  };
  askAsWhole(spec);
  expect(spec.resources).toEqual({
    limits: { cpu: "2", memory: "1Gi" },
    requests: { cpu: "1500m", memory: "1Gi" },
  });
});
