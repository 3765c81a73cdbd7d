// Warnings for writes: first pods and pod templates, then other kinds that use node labels and sizes of claims.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { podWarnings } from "../../../../../src/kube/core/pod/warnings.ts";
import { definitionOf } from "../../passage.ts";

const OLD_LABEL = "beta.kubernetes.io/arch";
const OLD_RULE = 'deprecated since v1.14; use "kubernetes.io/arch" instead';

describe("warnings about a Pod", () => {
  it("name what is deprecated, repeated or surprising", () => {
    const pod = {
      metadata: { name: "a.b", annotations: { "seccomp.security.alpha.kubernetes.io/pod": "x" } },
      spec: {
        nodeSelector: { "beta.kubernetes.io/os": "linux" },
        containers: [{ env: [{ name: "A" }, { name: "A" }] }],
      },
    };
    expect(podWarnings(pod, undefined)).toEqual([
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ]);
    expect(podWarnings(pod, pod)).toEqual([]);
  });

  it("name what selects nothing, or in vain", () => {
    const term = { matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "In", values: ["-a"] }] };
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term }],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{}, { labelSelector: {} }],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: {} }],
      },
    };
    const found = podWarnings({ metadata: { name: "a" }, spec: { affinity } }, undefined);
    const short = found.map((text) =>
      text.replace("IgnoredDuringExecution", "").replace(/ is invalid, .*/, ""),
    );
    const old = 'key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead';
    const preferred =
      "spec.affinity.nodeAffinity.preferredDuringScheduling[0].preference.matchExpressions[0]";
    expect(short).toEqual([
      `spec.affinity.nodeAffinity.requiredDuringScheduling.nodeSelectorTerms[0].matchExpressions[0].${old}`,
      `${preferred}.${old}`,
      `${preferred}.values[0]: -a`,
      "spec.affinity.podAntiAffinity.requiredDuringScheduling[0].labelSelector: a null labelSelector results in matching no pod",
      "spec.affinity.podAntiAffinity.preferredDuringScheduling[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ]);
  });

  it("name volumes, amounts and ports that do not what they say", () => {
    const claim = { spec: { resources: { requests: { storage: "1500m" } } } };
    const sources = [
      { serviceAccountToken: { path: "t" } },
      { secret: { items: [{ key: "k", path: "t" }] }, clusterTrustBundle: { path: "t" } },
    ];
    const spec = {
      volumes: [{ storageos: {} }, { ephemeral: { volumeClaimTemplate: claim } }, { projected: { sources } }],
      overhead: { memory: "100m" },
      containers: [{ ports: [{ containerPort: 80, protocol: "TCP", hostIP: "10.0.0.1" }] }],
    };
    const fraction = (amount: string) => `fractional byte value "${amount}" is invalid, must be an integer`;
    expect(podWarnings({ metadata: { name: "a" }, spec }, undefined)).toEqual([
      "spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+",
      `spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: ${fraction("1500m")}`,
      'spec.volumes[2].projected.sources.secrets[0]: has duplicated path with ServiceAccountToken "t"',
      'spec.volumes[2].projected.sources.ClusterTrustBundle: has duplicated path with ServiceAccountToken "t"',
      `spec.overhead[memory]: ${fraction("100m")}`,
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}",
    ]);
  });

  it.each<[string, JsonObject, string]>([
    [
      "apps/StatefulSet",
      {
        spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "1500m" } } } }] },
      },
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
    [
      "storage.k8s.io/StorageClass",
      { allowedTopologies: [{ matchLabelExpressions: [{ key: OLD_LABEL, values: ["a"] }] }] },
      `allowedTopologies[0].matchLabelExpressions[0].key: ${OLD_LABEL} is ${OLD_RULE}`,
    ],
    [
      "storage.k8s.io/CSIStorageCapacity",
      { nodeTopology: { matchLabels: { [OLD_LABEL]: "a" } } },
      `nodeTopology.matchLabels.${OLD_LABEL}: ${OLD_RULE}`,
    ],
    [
      "node.k8s.io/RuntimeClass",
      { scheduling: { nodeSelector: { [OLD_LABEL]: "a" } } },
      `scheduling.nodeSelector: ${OLD_RULE}`,
    ],
  ])("are given for a %s, too", (kind, body, text) => {
    const object = { metadata: { name: "a" }, ...body };
    expect(definitionOf(kind).strategy.warnings?.(object, undefined)).toEqual([text]);
  });
});
