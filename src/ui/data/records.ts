// What the page keeps of an object: the fields that its views use, and no more. 20,000 pods must fit in a tab.

/** The kinds that are watched as long as the page is open, by their resource. */
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
  /** The resourceVersion, which counts in Egret. */
  readonly revision: number;
  /** "" for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
}

export interface NamespaceRecord extends ObjectRecord {
  readonly labels: Labels;
  readonly isEnding: boolean;
}

/** How many egress addresses a node can hold for its cloud; undefined: nobody has said. */
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
  /** Succeeded or Failed: it sends nothing any more. */
  readonly hasEnded: boolean;
  /** It uses its node's network, so that no egress object is meant for it. */
  readonly isOnHost: boolean;
  readonly addresses: readonly string[];
}

export interface ServiceRecord extends ObjectRecord {
  readonly selector: Labels;
  readonly loadBalancerAddresses: readonly string[];
}

/** A metav1.LabelSelector as it is written; it is understood where it is used. */
export type SelectorText = unknown;

export interface EgressIpRecord extends ObjectRecord {
  readonly addresses: readonly string[];
  readonly assigned: readonly { readonly address: string; readonly node: string }[];
  readonly namespaceSelector: SelectorText;
  readonly podSelector: SelectorText;
}

export interface EgressServiceRecord extends ObjectRecord {
  /** The node of its status; "" where there is none, "ALL" where each node sends by its own address. */
  readonly host: string;
  readonly sourceIpBy: string;
  readonly network: string;
}

export interface CloudRequestRecord extends ObjectRecord {
  /** Of its name: the address in writing, "fd00.0.0…" turned back. */
  readonly address: string;
  readonly askedNode: string;
  readonly grantedNode: string;
  /** The message of a condition that is not True, or "". */
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

/** One change of one object; without a record it has gone. */
export type Change = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly uid: string;
    readonly record: Records[K] | undefined;
    /** When it became so. What had gone before a list was read anew went at the list's revision, as far as is known. */
    readonly revision: number;
  };
}[Kind];
