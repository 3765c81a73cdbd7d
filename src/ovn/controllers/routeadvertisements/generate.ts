// The prefixes that a node advertises for each network: its node subnet of a Layer3 network, the subnets of a Layer2
// network, and the EgressIP addresses that it holds for namespaces of the network. For each selected FRRConfiguration and
// node, a copy is generated whose routers advertise these prefixes. Routers of networks that share a VRF import each
// other.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { parseCidr, parseIp } from "../../../apimachinery/meta/ip.ts";
import { InvalidSelectorError } from "../../../apimachinery/meta/label-requirement.ts";
import { readLabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { readAnnotation } from "../../../cluster/cluster-subnets.ts";
import { NODE_SUBNETS_ANNOTATION } from "../../../cluster/node-annotations.ts";
import { keyOfObject } from "../../../controller/api.ts";
import { Complaint } from "../../../controller/conditions.ts";
import { DEFAULT_NETWORK } from "../networks/net-conf.ts";
import type { AdvertisedNetwork, Advertisement } from "./selection.ts";

export interface PrefixSources {
  readonly egressIps: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
  /** Name of the primary network of a namespace. */
  networkOf(namespace: KubeObject): string;
}

function podPrefixes(node: KubeObject, { name, topology, subnets }: AdvertisedNetwork): string[] {
  if (topology === "layer2") return [...subnets];
  const said = readAnnotation(node, NODE_SUBNETS_ANNOTATION);
  const parts = isObject(said) ? said[name] : undefined;
  const texts = (Array.isArray(parts) ? parts : [parts]).filter((part) => typeof part === "string");
  if (texts.length > 0) return texts;
  throw new Complaint(
    `will wait for subnet annotation to be set for node ${goQuote(keyOfObject(node))} and network ${goQuote(name)}`,
  );
}

function egressPrefixes(node: KubeObject, network: AdvertisedNetwork, sources: PrefixSources): string[] {
  return sources.egressIps.flatMap((egressIp) => {
    const held = itemsOn(egressIp, keyOfObject(node));
    return held.length > 0 && serves(egressIp, network.name, sources) ? held : [];
  });
}

/** The addresses of an EgressIP on the node, as /32 or /128 prefixes. */
function itemsOn(egressIp: KubeObject, node: string): string[] {
  const items = objectsAt(objectAt(egressIp, "status"), "items").filter((item) => item["node"] === node);
  return items.flatMap((item) => {
    const ip = parseIp(textAt(item, "egressIP"));
    return ip ? [`${ip.text}/${ip.family === 4 ? 32 : 128}`] : [];
  });
}

function serves(egressIp: KubeObject, network: string, sources: PrefixSources): boolean {
  const selector = readLabelSelector(specOf(egressIp)["namespaceSelector"]);
  if (selector instanceof InvalidSelectorError) return false;
  return sources.namespaces.some(
    (namespace) => selector.matches(namespace.metadata.labels) && sources.networkOf(namespace) === network,
  );
}

export const ROUTE_ADVERTISEMENTS_KEY = "k8s.ovn.org/route-advertisements";
export const GENERATED_PREFIX = "ovnk-generated-";

interface Making {
  readonly advertisement: Advertisement;
  readonly networks: readonly AdvertisedNetwork[];
  readonly node: KubeObject;
  /** Sorted prefixes of the node by network. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  /** Prefixes of all networks. */
  readonly all: readonly string[];
  /** Networks with a matching router; filled during generation. */
  readonly matched: Set<string>;
}

/**
 * Generates the FRRConfigurations of a node from the selected ones. Throws a Complaint if these do not match the networks,
 * or if the node has no subnet annotation for a network yet.
 */
export function generateForNode(
  node: KubeObject,
  given: readonly KubeObject[],
  { advertisement, networks }: Pick<Making, "advertisement" | "networks">,
  sources: PrefixSources,
): KubeObject[] {
  const nodeName = goQuote(keyOfObject(node));
  const prefixes = new Map(
    networks.map((network) => {
      const pods = advertisement.podNetwork ? podPrefixes(node, network) : [];
      const addresses = advertisement.egressIps ? egressPrefixes(node, network, sources) : [];
      return [network.name, [...new Set([...pods, ...addresses])].sort()];
    }),
  );
  const all = [...new Set([...prefixes.values()].flat())].sort();
  if (all.length === 0) return [];
  const making = { advertisement, networks, node, prefixes, all, matched: new Set<string>() };
  const generated = given.map((source) => {
    const routers = objectsAt(objectAt(specOf(source), "bgp"), "routers");
    const copies = routers.flatMap((router) => copyRouter(router, source, making));
    if (copies.length > 0) return configuration(advertisement, source, node, copies);
    throw new Complaint(
      `FRRConfiguration ${goQuote(source.metadata.name ?? "")} selected for node ${nodeName} ` +
        "has no VRF matching the RouteAdvertisements target VRF or any selected network",
    );
  });
  if (advertisement.targetVrf === "auto" && !networks.every(({ name }) => making.matched.has(name))) {
    throw new Complaint(
      `selected FRRConfigurations for node ${nodeName} don't match all selected networks with target VRF 'auto'`,
    );
  }
  return generated;
}

/** A copy of the router with the prefixes, and routers that import it into other VRFs; empty if the VRF does not match. */
function copyRouter(router: JsonObject, source: KubeObject, making: Making): JsonObject[] {
  const { advertisement, networks, prefixes, all, matched } = making;
  const vrf = textAt(router, "vrf");
  const isAuto = advertisement.targetVrf === "auto";
  if (!isAuto && vrf !== advertisement.targetVrf) return [];
  const network = vrf === "" ? DEFAULT_NETWORK : (networks.find((item) => item.vrf === vrf)?.name ?? "");
  const own = isAuto ? (prefixes.get(network) ?? []) : all;
  if (own.length === 0) return [];
  matched.add(network);
  const neighbors = copyNeighbors(router, own, source, making);
  if (neighbors.length === 0) return [];
  const copy = { ...router, prefixes: own, neighbors };
  if (isAuto) return [copy];
  const target = vrf === "" ? DEFAULT_NETWORK : vrf;
  const others = networks.map((item) => item.vrf).filter((item) => item !== target);
  const imports = others.sort().map((item) => ({ vrf: item }));
  return [
    imports.length > 0 ? { ...copy, imports } : copy,
    ...others.map((item) => importing(router, item, target)),
  ];
}

const importing = (router: JsonObject, vrf: string, target: string): JsonObject => ({
  asn: router["asn"],
  ...(router["id"] === undefined ? {} : { id: router["id"] }),
  ...(vrf === DEFAULT_NETWORK ? {} : { vrf }),
  imports: [{ vrf: target }],
});

function configuration(
  { name }: Advertisement,
  source: KubeObject,
  node: KubeObject,
  routers: readonly JsonObject[],
): KubeObject {
  const { name: nodeName = "" } = node.metadata;
  const spec = specOf(source);
  return {
    apiVersion: "frrk8s.metallb.io/v1beta1",
    kind: "FRRConfiguration",
    metadata: {
      generateName: GENERATED_PREFIX,
      namespace: source.metadata.namespace ?? "",
      labels: { [ROUTE_ADVERTISEMENTS_KEY]: name },
      annotations: { [ROUTE_ADVERTISEMENTS_KEY]: `${name}/${source.metadata.name}/${nodeName}` },
    },
    spec: {
      ...spec,
      bgp: { ...objectAt(spec, "bgp"), routers },
      nodeSelector: { matchLabels: { "kubernetes.io/hostname": nodeName } },
    },
  };
}

const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";

/**
 * Neighbors with prefixes of their address family to advertise. For no-overlay networks they may announce the node subnets
 * of other nodes. The node's own addresses are skipped. Throws a Complaint.
 */
function copyNeighbors(
  router: JsonObject,
  prefixes: readonly string[],
  source: KubeObject,
  { node, networks }: Making,
): JsonObject[] {
  const value = readAnnotation(node, PRIMARY_ADDRESSES);
  const own = isObject(value) ? Object.values(value).map((text) => String(text).replace(/\/.*/, "")) : [];
  const received = networks.flatMap((network) => network.received);
  return objectsAt(router, "neighbors").flatMap((neighbor) => {
    const address = String(neighbor["address"] ?? "");
    if (own.includes(address)) return [];
    if (neighbor["dualStackAddressFamily"] === true) {
      const seen = `seen on FRRConfiguration ${keyOfObject(source)} neighbor ${neighbor["address"]}`;
      throw new Complaint(`DualStackAddressFamily==true not supported, ${seen}`);
    }
    const family = parseIp(address)?.family;
    const isOfFamily = (prefix: string): boolean => parseCidr(prefix)?.family === family;
    const told = prefixes.filter(isOfFamily);
    if (told.length === 0) return [];
    const parts = received
      .filter(({ prefix }) => isOfFamily(prefix))
      .map(({ prefix, length }) => ({ prefix, le: length, ge: length }));
    const toAdvertise = { allowed: { mode: "filtered", prefixes: told } };
    const toReceive = { allowed: { mode: "filtered", prefixes: parts } };
    return [{ ...neighbor, toAdvertise, ...(parts.length > 0 ? { toReceive } : {}) }];
  });
}
