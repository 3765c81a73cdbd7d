// Validation of claims and containers in the status of a Pod.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  keepObservedGenerations,
  validatePodStatusUpdate,
} from "../../../../../src/kube/core/pod/status-validation.ts";
import { lines } from "../../passage.ts";

const SPEC: JsonObject = {
  resourceClaims: [{ name: "gpu", resourceClaimName: "g" }],
  containers: [
    { name: "c", resources: { requests: { "a.b/x": "1" }, claims: [{ name: "gpu", request: "r" }] } },
  ],
};
const refusals = (status: JsonObject, more: JsonObject = {}) => {
  const spec = { ...SPEC, ...more };
  return lines(validatePodStatusUpdate({ spec, status }, { spec, status: {} }));
};
const USER = "must be between 0 and 2147483647, inclusive";
const device = (name: string, ...resources: JsonObject[]) => ({ name, resources });
const of = (name: string, ...allocatedResourcesStatus: JsonObject[]) => ({
  containerStatuses: [{ name, allocatedResourcesStatus }],
});
const healthy = { resourceID: "d", health: "Healthy" };
const mapping = { containerName: "c", resourceName: "a.b/x", requestName: "r" };

it.each<[string, JsonObject, string[]]>([
  [
    "claims that the pod does not have, and has twice",
    { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "g" }, { name: "x" }, { name: "gpu" }] },
    [
      'status.resourceClaimStatuses[1].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
      'status.resourceClaimStatuses[2].name: Duplicate value: "gpu"',
    ],
  ],
  [
    "extended resources without a claim",
    { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: "" } },
    [
      "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is required",
      "status.extendedResourceClaimStatus.resourceClaimName: Required value",
    ],
  ],
  [
    "extended resources that nobody asked for",
    {
      extendedResourceClaimStatus: {
        requestMappings: [
          mapping,
          mapping,
          { ...mapping, resourceName: "y" },
          { ...mapping, containerName: "d" },
        ],
        resourceClaimName: "g",
      },
    },
    [
      'status.extendedResourceClaimStatus.requestMappings[1].containerName: Duplicate value: "c"',
      'status.extendedResourceClaimStatus.requestMappings[1].resourceName: Duplicate value: "a.b/x"',
      'status.extendedResourceClaimStatus.requestMappings[1].requestName: Duplicate value: "r"',
      'status.extendedResourceClaimStatus.requestMappings[2].resourceName: Invalid value: "y": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
      'status.extendedResourceClaimStatus.requestMappings[3].containerName: Invalid value: "d": must match the name of an entry in spec.initContainers.name or spec.containers.name',
    ],
  ],
  [
    "users that there cannot be",
    { initContainerStatuses: [{ user: { linux: { uid: -1, gid: 0, supplementalGroups: [1, -2] } } }] },
    [
      `status.initContainerStatuses[0].user.linux.uid: Invalid value: -1: ${USER}`,
      `status.initContainerStatuses[0].user.linux.supplementalGroups[1]: Invalid value: -2: ${USER}`,
    ],
  ],
  [
    "devices of a container",
    of("c", device("a.b/x", healthy), device("claim:gpu/r"), device("claim:gpu"), device("cpu")),
    [
      "status.containerStatuses[0].allocatedResourcesStatus[2].name: Invalid value: \"claim:gpu\": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
      'status.containerStatuses[0].allocatedResourcesStatus[3].name: Invalid value: "cpu": must match one of the container\'s resource requests',
    ],
  ],
  [
    "the health of devices, of an unknown container, too",
    of("d", device("x", healthy, { resourceID: "d", health: "ill", message: "" })),
    [
      'status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].health: Unsupported value: "ill": supported values: "Healthy", "Unhealthy", "Unknown"',
      "status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].message: Required value: must be non-empty if specified",
      'status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].resourceID: Duplicate value: "d"',
    ],
  ],
  [
    "devices of an ephemeral container",
    { ephemeralContainerStatuses: [{ name: "e", allocatedResourcesStatus: [device("x")] }] },
    [
      "status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified in container status",
    ],
  ],
  [
    "an image volume without its image",
    { containerStatuses: [{ name: "c", volumeMounts: [{ name: "v", volumeStatus: { image: {} } }] }] },
    [
      "status.containerStatuses[0].volumeMounts[0].volumeStatus.imageVolumeStatus.imageRef: Required value: imageRef must not be empty",
    ],
  ],
])("%s", (_name, status, errors) => {
  expect(refusals(status)).toEqual(errors);
});

it("is no node for a pod that has one", () => {
  expect(refusals({ nominatedNodeName: "n" })).toEqual([]);
  expect(refusals({ nominatedNodeName: "n" }, { nodeName: "m" })).toEqual([
    "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
  ]);
});

it("is no user of Linux on Windows", () => {
  const status = { containerStatuses: [{ user: { linux: { uid: 1, gid: 1 } } }] };
  expect(refusals(status, { os: { name: "windows" } })).toEqual([
    "status.containerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod",
  ]);
});

it("keeps what was seen of the pod, condition by condition", () => {
  const before = {
    observedGeneration: 2,
    conditions: [
      { type: "Ready", observedGeneration: 1 },
      { type: "Ready", observedGeneration: 2 },
    ],
  };
  const conditions = ["Ready", "New", "Ready", "Ready"].map((type): JsonObject => ({ type }));
  const status: JsonObject = { conditions };
  keepObservedGenerations(status, before);
  expect(status["observedGeneration"]).toBe(2);
  expect(conditions.map((condition) => condition["observedGeneration"])).toEqual([
    1,
    undefined,
    2,
    undefined,
  ]);
});
