// The inputs of a verdict: objects (from a store, a cluster or a dump), and facts that no object contains.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Coroutine } from "../apimachinery/scheduling/coroutine.ts";
import type { Profile } from "../controller/emulated-release.ts";

/** Objects at one revision. A resource is named with its group: "egressips.k8s.ovn.org", "pods". */
export interface Snapshot {
  /**
   * The objects of one namespace, or of all; empty if the source has no such resource. Without `namespace` each call returns
   * the same array, also in the next snapshot if no object of the resource has changed.
   */
  list(resource: string, namespace?: string): readonly KubeObject[];
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  /** Loads all objects in steps that yield the event loop; later reads are from memory. */
  readAhead?(): Coroutine<void>;
}

export const GATEWAY_MODES = ["shared", "local"] as const;
export type GatewayMode = (typeof GATEWAY_MODES)[number];

export const TRANSPORTS = ["overlay", "no-overlay", "evpn"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** The values of outboundSNAT in the API. */
export const ON_OFF = ["enabled", "disabled"] as const;

export const ISOLATIONS = ["strict", "loose"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** An allocation of the EgressIP controller. */
export interface Holding {
  readonly egressIp: string;
  readonly address: string;
  readonly node: string;
}

/** Configuration of the cluster and facts about its environment. Lists of CIDRs are comma-separated. */
export interface ClusterFacts {
  readonly product: Profile;
  /** Addresses are requested by CloudPrivateIPConfigs; the cloud annotation of nodes lists the networks. */
  readonly onCloud: boolean;
  /** Known allocations of the controller; undefined: they are rebuilt from the objects, as after a start. */
  readonly held: readonly Holding[] | undefined;
  /** Undefined: from the l3-gateway-config of the node; "shared" without that annotation. */
  readonly gatewayMode: GatewayMode | undefined;
  /** Pod networks; the part after a second slash is the prefix length of node subnets: "10.128.0.0/14/23". */
  readonly clusterSubnets: string;
  readonly serviceSubnets: string;
  readonly joinSubnets: string;
  readonly transitSubnets: string;
  readonly masqueradeSubnets: string;
  /** No source NAT for pods of namespaces with external gateways. */
  readonly disableSnatMultipleGateways: boolean;
  /** Transport of the default network. */
  readonly transport: Transport;
  /** For a no-overlay default network: egress packets get the node's address. */
  readonly outboundSnat: boolean;
  /** "loose": advertised networks reach each other through the provider's network. */
  readonly advertisedIsolation: Isolation;
  /** DNSNameResolver is enabled, so EgressFirewalls may use wildcard names. */
  readonly dnsNameResolver: boolean;
  /** Known addresses of DNS names; other names may have any address. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Routing tables of hosts (EgressService spec.network): "blackhole", or the source address of the table's route. */
  readonly tables: Readonly<Record<string, string>>;
}

/** Defaults of ovn-kubernetes (src/ovn/rules.md R11). */
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

/** Builds a snapshot from objects; objects for which `resourceOf` returns undefined are ignored. */
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
