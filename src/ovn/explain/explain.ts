// The kinds that can be explained, with their names on the command line.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { explainEgressService } from "./egress-service.ts";
import { explainNamespace, explainNode, explainPod } from "./eligible-nodes.ts";
import { explainEgressIp } from "./explain-egress-ip.ts";
import type { Explanation } from "./explanation.ts";
import { explainByConditions, explainCloudRequest, explainNetwork } from "./networks.ts";
import { explainExternalRoute, explainFirewall, explainQos } from "./rules.ts";

export interface Explainable {
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Singular, plural and short names. */
  readonly words: readonly string[];
  explain(cluster: Cluster, object: KubeObject): Explanation | undefined;
}

export const EXPLAINABLE: readonly Explainable[] = [
  {
    kind: "EgressIP",
    resource: "egressips.k8s.ovn.org",
    namespaced: false,
    words: ["egressip", "egressips", "eip"],
    explain: (cluster, object) => explainEgressIp(cluster, objectKey(object)),
  },
  {
    kind: "EgressService",
    resource: "egressservices.k8s.ovn.org",
    namespaced: true,
    words: ["egressservice", "egressservices"],
    explain: explainEgressService,
  },
  {
    kind: "EgressFirewall",
    resource: "egressfirewalls.k8s.ovn.org",
    namespaced: true,
    words: ["egressfirewall", "egressfirewalls"],
    explain: explainFirewall,
  },
  {
    kind: "EgressQoS",
    resource: "egressqoses.k8s.ovn.org",
    namespaced: true,
    words: ["egressqos", "egressqoses"],
    explain: explainQos,
  },
  {
    kind: "CloudPrivateIPConfig",
    resource: "cloudprivateipconfigs.cloud.network.openshift.io",
    namespaced: false,
    words: ["cloudprivateipconfig", "cloudprivateipconfigs"],
    explain: explainCloudRequest,
  },
  {
    kind: "EgressRouter",
    resource: "egressrouters.network.operator.openshift.io",
    namespaced: true,
    words: ["egressrouter", "egressrouters"],
    explain: (_cluster, object) => explainByConditions("EgressRouter", object),
  },
  {
    kind: "AdminPolicyBasedExternalRoute",
    resource: "adminpolicybasedexternalroutes.k8s.ovn.org",
    namespaced: false,
    words: ["adminpolicybasedexternalroute", "adminpolicybasedexternalroutes", "apbexternalroute"],
    explain: explainExternalRoute,
  },
  {
    kind: "UserDefinedNetwork",
    resource: "userdefinednetworks.k8s.ovn.org",
    namespaced: true,
    words: ["userdefinednetwork", "userdefinednetworks", "udn"],
    explain: (cluster, object) => explainNetwork(cluster, "UserDefinedNetwork", object),
  },
  {
    kind: "ClusterUserDefinedNetwork",
    resource: "clusteruserdefinednetworks.k8s.ovn.org",
    namespaced: false,
    words: ["clusteruserdefinednetwork", "clusteruserdefinednetworks", "cudn"],
    explain: (cluster, object) => explainNetwork(cluster, "ClusterUserDefinedNetwork", object),
  },
  {
    kind: "Node",
    resource: "nodes",
    namespaced: false,
    words: ["node", "nodes", "no"],
    explain: explainNode,
  },
  {
    kind: "Namespace",
    resource: "namespaces",
    namespaced: false,
    words: ["namespace", "namespaces", "ns"],
    explain: explainNamespace,
  },
  { kind: "Pod", resource: "pods", namespaced: true, words: ["pod", "pods", "po"], explain: explainPod },
];

export const explainableBy = (word: string): Explainable | undefined =>
  EXPLAINABLE.find(({ words, kind }) => words.includes(word.toLowerCase()) || kind === word);

/** Undefined if the object does not exist. */
export function explain(
  cluster: Cluster,
  { resource, namespaced, explain: tell }: Explainable,
  namespace: string,
  name: string,
): Explanation | undefined {
  const object = cluster.snapshot.get(resource, namespaced ? namespace : "", name);
  return object && tell(cluster, object);
}
