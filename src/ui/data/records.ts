// The fields of each object that the views use, and no more: 20,000 pods must fit into the memory of a tab.

/** Resources that the web UI watches as long as it is open. */
export const KINDS = [
  "namespaces",
  "nodes",
  "pods",
  "services",
  "egressips",
  "egressservices",
  "cloudprivateipconfigs",
] as const;
export type Kind = (typeof KINDS)[number];

export type Labels = Readonly<Record<string, string>>;

export interface ObjectRecord {
  readonly uid: string;
  /** The resourceVersion, which is a number in Egret. */
  readonly revision: number;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface NamespaceRecord extends ObjectRecord {
  readonly labels: Labels;
  readonly isEnding: boolean;
}

/** How many egress addresses the cloud allows a node; a missing member sets no limit. */
export interface Capacity {
  readonly ip?: number;
  readonly ipv4?: number;
  readonly ipv6?: number;
}

export interface NodeRecord extends ObjectRecord {
  readonly labels: Labels;
  readonly zone: string;
  readonly isReady: boolean;
  readonly isAssignable: boolean;
  readonly isEnding: boolean;
  readonly capacity: Capacity | undefined;
}

export interface PodRecord extends ObjectRecord {
  readonly labels: Labels;
  readonly node: string;
  /** Succeeded or Failed: the pod sends no packets any more. */
  readonly hasEnded: boolean;
  /** The pod uses the host network, so that no EgressIP selects it. */
  readonly isOnHost: boolean;
  readonly addresses: readonly string[];
}

export interface ServiceRecord extends ObjectRecord {
  readonly selector: Labels;
  readonly loadBalancerAddresses: readonly string[];
}

/** A metav1.LabelSelector as it is written; readers parse it on use. */
export type SelectorText = unknown;

export interface EgressIpRecord extends ObjectRecord {
  readonly addresses: readonly string[];
  readonly assigned: readonly { readonly address: string; readonly node: string }[];
  readonly namespaceSelector: SelectorText;
  readonly podSelector: SelectorText;
}

export interface EgressServiceRecord extends ObjectRecord {
  /** The host of its status. "": none; "ALL": each node sends from its own address. */
  readonly host: string;
  readonly sourceIpBy: string;
  readonly network: string;
}

export interface CloudRequestRecord extends ObjectRecord {
  /** The address that the name encodes; IPv6 names ("fd00.0.0…") are decoded. */
  readonly address: string;
  readonly askedNode: string;
  readonly grantedNode: string;
  /** The message of the first condition that is not True, or "". */
  readonly problem: string;
}

export interface Records {
  readonly namespaces: NamespaceRecord;
  readonly nodes: NodeRecord;
  readonly pods: PodRecord;
  readonly services: ServiceRecord;
  readonly egressips: EgressIpRecord;
  readonly egressservices: EgressServiceRecord;
  readonly cloudprivateipconfigs: CloudRequestRecord;
}

/** A change of one object; without a record the object was deleted. */
export type Change = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly uid: string;
    readonly record: Records[K] | undefined;
    /** Revision of the change. For objects found missing by a relist it is the revision of the list. */
    readonly revision: number;
  };
}[Kind];
