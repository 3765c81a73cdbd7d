// Primary networks of pods: the default cluster network and primary UDNs.

import {
  type JsonObject,
  lookupTable,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import type { Cidr } from "../../apimachinery/meta/ip.ts";
import { selects } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { ClusterFacts, Snapshot, Transport } from "../snapshot.ts";
import { networksIn } from "./cidr-texts.ts";

const ATTACHMENTS = "network-attachment-definitions.k8s.cni.cncf.io";
const OVN_CNI = "ovn-k8s-cni-overlay";
export const PRIMARY_NETWORK_LABEL = "k8s.ovn.org/primary-user-defined-network";
const USER_JOIN_SUBNETS = "100.65.0.0/16,fd99::/64";
const CLUSTER_KIND = "ClusterUserDefinedNetwork";

export interface Network {
  /** "default", or the name in the network configuration. */
  readonly name: string;
  readonly isDefault: boolean;
  /** "layer3", "layer2" or "localnet". */
  readonly topology: string;
  readonly subnets: readonly Cidr[];
  readonly joinSubnets: readonly Cidr[];
  readonly transport: Transport;
  /** For a no-overlay network: egress packets get the node's address. */
  readonly outboundSnat: boolean;
  /** The NetworkAttachmentDefinitions of the network. */
  readonly attachments: readonly KubeObject[];
}

export const attachmentKey = ({ metadata }: KubeObject): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

const configOf = memoize((attachment: KubeObject): JsonObject | undefined =>
  parsedObject(textAt(specOf(attachment), "config")),
);

const isClusterWide = ({ metadata }: KubeObject): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === CLUSTER_KIND && controller === true,
  );

const isAccepted = (object: KubeObject): boolean => isConditionTrue(objectAt(object, "status"), "Accepted");

export class Networks {
  readonly default: Network;
  readonly #snapshot: Snapshot;
  #own: ReadonlyMap<string, Network> | undefined;

  constructor(snapshot: Snapshot, facts: ClusterFacts) {
    this.#snapshot = snapshot;
    this.default = {
      name: "default",
      isDefault: true,
      topology: "layer3",
      subnets: networksIn(facts.clusterSubnets),
      joinSubnets: networksIn(facts.joinSubnets),
      transport: facts.transport,
      outboundSnat: facts.outboundSnat,
      attachments: [],
    };
  }

  /** Primary UDNs by name. */
  get own(): ReadonlyMap<string, Network> {
    this.#own ??= this.#readOwn();
    return this.#own;
  }

  /** The primary network of a namespace; undefined if the namespace is labelled for a UDN that does not exist. */
  ofNamespace(namespace: string): Network | undefined {
    const object = this.#snapshot.get("namespaces", "", namespace);
    if (object?.metadata.labels?.[PRIMARY_NETWORK_LABEL] === undefined) return this.default;
    for (const attachment of this.#snapshot.list(ATTACHMENTS, namespace)) {
      const config = configOf(attachment);
      if (config?.["role"] === "primary") return this.own.get(textAt(config, "name"));
    }
    return undefined;
  }

  /** The advertisement of the network's pod subnets, or undefined. With a target VRF only learned routes exist. */
  advertisement(network: Network): { readonly targetVrf: string } | undefined {
    for (const object of this.#snapshot.list("routeadvertisements.k8s.ovn.org")) {
      const spec = specOf(object);
      if (!textsAt(spec, "advertisements").includes("PodNetwork") || !isAccepted(object)) continue;
      const chosen = objectsAt(spec, "networkSelectors").some((selector) =>
        network.isDefault
          ? selector["networkSelectionType"] === "DefaultNetwork"
          : this.isChosen(selector, network),
      );
      if (chosen) return { targetVrf: textAt(spec, "targetVRF") };
    }
    return undefined;
  }

  /** The name of the ClusterNetworkConnect that connects two networks. */
  connection(a: Network, b: Network): string | undefined {
    for (const object of this.#snapshot.list("clusternetworkconnects.k8s.ovn.org")) {
      const selectors = objectsAt(specOf(object), "networkSelectors");
      if (!textsAt(specOf(object), "connectivity").includes("PodNetwork")) continue;
      const joins = (network: Network) => selectors.some((selector) => this.isChosen(selector, network));
      if (isAccepted(object) && joins(a) && joins(b)) return object.metadata.name;
    }
    return undefined;
  }

  /** Reports whether a network selector matches the network; never the default network. */
  isChosen(selector: JsonObject, { attachments }: Pick<Network, "attachments">): boolean {
    switch (selector["networkSelectionType"]) {
      case "ClusterUserDefinedNetworks": {
        const wanted = objectAt(selector, "clusterUserDefinedNetworkSelector")?.["networkSelector"];
        return attachments.some((one) => isClusterWide(one) && selects(wanted, one.metadata.labels));
      }
      case "PrimaryUserDefinedNetworks": {
        const wanted = objectAt(selector, "primaryUserDefinedNetworkSelector")?.["namespaceSelector"];
        return attachments.some(({ metadata }) =>
          selects(wanted, this.#snapshot.get("namespaces", "", metadata.namespace ?? "")?.metadata.labels),
        );
      }
      default:
        return false;
    }
  }

  #readOwn(): Map<string, Network> {
    const found = new Map<string, Network & { attachments: KubeObject[] }>();
    for (const attachment of this.#snapshot.list(ATTACHMENTS)) {
      const config = configOf(attachment);
      if (config?.["type"] !== OVN_CNI || config["role"] !== "primary") continue;
      const name = textAt(config, "name");
      const known = found.get(name);
      if (known) known.attachments.push(attachment);
      else found.set(name, { ...readNetwork(name, config), attachments: [attachment] });
    }
    return found;
  }
}

const TRANSPORT_WORDS: Readonly<Record<string, Transport>> = lookupTable({
  "no-overlay": "no-overlay",
  evpn: "evpn",
});

const readNetwork = (name: string, config: JsonObject): Omit<Network, "attachments"> => ({
  name,
  isDefault: false,
  topology: textAt(config, "topology"),
  subnets: networksIn(textAt(config, "subnets")),
  joinSubnets: networksIn(textAt(config, "joinSubnet") || USER_JOIN_SUBNETS),
  transport: TRANSPORT_WORDS[textAt(config, "transport")] ?? "overlay",
  outboundSnat: textAt(config, "outboundSNAT") === "enabled",
});
