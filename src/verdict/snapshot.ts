// What a verdict is made from: objects, wherever they come from (a store, a cluster, a dump), and what no object tells.
import type { KubeObject } from "../meta/object-meta.ts";
import type { Steps } from "../meta/steps.ts";

/** Objects at one moment. A resource is named with its group: "egressips.k8s.ovn.org", "pods". */
export interface Snapshot {
  /**
   * Of a namespace if one is given; none where the source does not know the resource. Of all namespaces it is the same list
   * each time, also in the snapshot after this one, unless the source holds others by then.
   */
  list(resource: string, namespace?: string): readonly KubeObject[];
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  /** Reads what has not been read yet, with turns for others in between: what is asked afterwards is at hand. */
  readAhead?(): Steps<void>;
}

export const GATEWAY_MODES = ["shared", "local"] as const;
export type GatewayMode = (typeof GATEWAY_MODES)[number];

export const TRANSPORTS = ["overlay", "no-overlay", "evpn"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** As clusters write it. */
export const ON_OFF = ["enabled", "disabled"] as const;

export const ISOLATIONS = ["strict", "loose"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** The products that can be played: which kinds there are, and how the controllers behave where they differ. */
export const PROFILES = ["ovn-kubernetes-2026", "openshift-4.13"] as const;
export type Profile = (typeof PROFILES)[number];

export const PLATFORMS = ["none", "aws", "gcp", "azure", "openstack"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** An address that the controller of EgressIPs holds on a node. */
export interface Holding {
  readonly egressIp: string;
  readonly address: string;
  readonly node: string;
}

/** How the cluster was set up, and what is outside of it. Lists of networks are texts with commas. */
export interface ClusterFacts {
  readonly product: Profile;
  /** Egress addresses are asked of a cloud, which names the networks for them. */
  readonly onCloud: boolean;
  /** What the controller is known to hold; undefined: what it would hold after a start on these objects. */
  readonly held: readonly Holding[] | undefined;
  /** undefined: as the nodes say in their l3-gateway-config, else "shared". */
  readonly gatewayMode: GatewayMode | undefined;
  /** Networks of pods; a part behind a second slash is the size of a node's share: "10.128.0.0/14/23". */
  readonly clusterSubnets: string;
  readonly serviceSubnets: string;
  readonly joinSubnets: string;
  readonly transitSubnets: string;
  readonly masqueradeSubnets: string;
  /** Pods of namespaces with external gateways keep their own address. */
  readonly disableSnatMultipleGateways: boolean;
  /** Of the default network. */
  readonly transport: Transport;
  /** Of the default network without an overlay: what leaves gets the address of the node. */
  readonly outboundSnat: boolean;
  /** Whether advertised networks reach each other through the provider's network. */
  readonly advertisedIsolation: Isolation;
  /** Wildcards of names are resolved by DNSNameResolver objects. */
  readonly dnsNameResolver: boolean;
  /** Addresses of names; a name that is not here may have any. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Routing tables on the hosts that EgressServices name: "blackhole", or the address that traffic gets there. */
  readonly tables: Readonly<Record<string, string>>;
}

/** ovn-kubernetes' own defaults (verdict.md, section 1). */
export const DEFAULT_FACTS: ClusterFacts = {
  product: "ovn-kubernetes-2026",
  onCloud: false,
  held: undefined,
  gatewayMode: undefined,
  clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
  serviceSubnets: "10.96.0.0/16,fd00:10:96::/112",
  joinSubnets: "100.64.0.0/16,fd98::/64",
  transitSubnets: "100.88.0.0/16,fd97::/64",
  masqueradeSubnets: "169.254.0.0/17,fd69::/112",
  disableSnatMultipleGateways: false,
  transport: "overlay",
  outboundSnat: true,
  advertisedIsolation: "strict",
  dnsNameResolver: false,
  names: {},
  tables: {},
};

/** A snapshot of objects that were read from somewhere; `resourceOf` names the resource of an object. */
export function snapshotOf(
  objects: Iterable<KubeObject>,
  resourceOf: (object: KubeObject) => string | undefined,
): Snapshot {
  const byResource = new Map<string, Map<string, Map<string, KubeObject>>>();
  for (const object of objects) {
    const resource = resourceOf(object);
    if (resource === undefined) continue;
    const { namespace = "", name = "" } = object.metadata;
    const namespaces = byResource.get(resource) ?? new Map<string, Map<string, KubeObject>>();
    byResource.set(resource, namespaces);
    namespaces.set(namespace, (namespaces.get(namespace) ?? new Map()).set(name, object));
  }
  const lists = new Map(
    [...byResource].map(([resource, namespaces]) => [
      resource,
      [...namespaces.values()].flatMap((named) => [...named.values()]),
    ]),
  );
  return {
    list(resource, namespace) {
      if (namespace === undefined) return lists.get(resource) ?? [];
      return [...(byResource.get(resource)?.get(namespace)?.values() ?? [])];
    },
    get: (resource, namespace, name) => byResource.get(resource)?.get(namespace)?.get(name),
  };
}
