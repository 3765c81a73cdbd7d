// What a node advertises of each network: its own part of a Layer3 network, all of a Layer2 network, and the egress
// addresses that it holds for namespaces of the network. FRRConfigurations make it known: one per chosen FRRConfiguration
// and node, a copy of the chosen one whose routers announce the node's prefixes and, where networks share a VRF, import
// each other.

import { goQuote } from "../../go/strconv.ts";
import { parseCidr, parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { InvalidSelectorError, readLabelSelector } from "../../meta/label-selector.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { keyOfObject } from "../kit/api.ts";
import { Complaint } from "../kit/complaint.ts";
import { NODE_SUBNETS_ANNOTATION, readAnnotation } from "../network-annotations/cluster-subnets.ts";
import { DEFAULT_NETWORK } from "../networks/net-conf.ts";
import type { AdvertisedNetwork, Advertisement, NodePart } from "./selection.ts";

export interface PrefixSources {
  readonly egressIps: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
  /** The network that the pods of a namespace are in. */
  networkOf(namespace: KubeObject): string;
}

/** Sorted prefixes by network. Throws a Complaint while the node's part is not known. */
export function prefixesOf(
  node: KubeObject,
  networks: readonly AdvertisedNetwork[],
  advertisement: Advertisement,
  sources: PrefixSources,
): Map<string, string[]> {
  return new Map(
    networks.map((network) => {
      const pods = advertisement.podNetwork ? podPrefixes(node, network) : [];
      const addresses = advertisement.egressIps ? egressPrefixes(node, network, sources) : [];
      return [network.name, [...new Set([...pods, ...addresses])].sort()];
    }),
  );
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

/** The addresses of an EgressIP on the node, as host prefixes. */
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

export interface GenerateInput {
  readonly advertisement: Advertisement;
  readonly networks: readonly AdvertisedNetwork[];
  readonly node: KubeObject;
  /** By network. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  /** FRRConfigurations for the node. */
  readonly sources: readonly KubeObject[];
}

/** Throws a Complaint where the sources do not match the networks. */
export function generateForNode(input: GenerateInput): KubeObject[] {
  const { advertisement, networks, node, sources } = input;
  const nodeName = node.metadata.name ?? "";
  const all = [...new Set([...input.prefixes.values()].flat())].sort();
  if (all.length === 0) return [];
  const matched = new Set<string>();
  const generated = sources.map((source) => {
    const given = objectsAt(objectAt(specOf(source), "bgp"), "routers");
    const routers = given.flatMap((router) => copyRouter(router, input, { source, all, matched }));
    if (routers.length > 0) return configuration(advertisement, source, node, routers);
    throw new Complaint(
      `FRRConfiguration ${goQuote(source.metadata.name ?? "")} selected for node ${goQuote(nodeName)} ` +
        "has no VRF matching the RouteAdvertisements target VRF or any selected network",
    );
  });
  if (advertisement.targetVrf === "auto" && !networks.every(({ name }) => matched.has(name))) {
    throw new Complaint(
      `selected FRRConfigurations for node ${goQuote(nodeName)} don't match all selected networks with target VRF 'auto'`,
    );
  }
  return generated;
}

interface OfSource {
  readonly source: KubeObject;
  /** All prefixes of the node. */
  readonly all: readonly string[];
  /** Networks that a router was found for; added to. */
  readonly matched: Set<string>;
}

/** The router as it advertises, with those that lead the networks' own VRFs back; none where it does not match. */
function copyRouter(
  router: JsonObject,
  { advertisement, networks, node, prefixes }: GenerateInput,
  { source, all, matched }: OfSource,
): JsonObject[] {
  const vrf = textAt(router, "vrf");
  const isAuto = advertisement.targetVrf === "auto";
  if (!isAuto && vrf !== advertisement.targetVrf) return [];
  const network = vrf === "" ? DEFAULT_NETWORK : (networks.find((item) => item.vrf === vrf)?.name ?? "");
  const own = isAuto ? (prefixes.get(network) ?? []) : all;
  if (own.length === 0) return [];
  matched.add(network);
  const received = networks.flatMap((item) => item.received);
  const neighbors = copyNeighbors(router, { prefixes: own, received, node, source });
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

interface NeighborOptions {
  /** What is advertised. */
  readonly prefixes: readonly string[];
  readonly received: readonly NodePart[];
  readonly node: KubeObject;
  /** The FRRConfiguration that the neighbours are of. */
  readonly source: KubeObject;
}

const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";

/** The neighbours to whom there is something to say. A router does not talk to itself. Throws a Complaint. */
function copyNeighbors(router: JsonObject, options: NeighborOptions): JsonObject[] {
  const value = readAnnotation(options.node, PRIMARY_ADDRESSES);
  const own = isObject(value) ? Object.values(value).map((text) => String(text).replace(/\/.*/, "")) : [];
  return objectsAt(router, "neighbors")
    .filter(({ address }) => !own.includes(String(address)))
    .flatMap((neighbor) => copyNeighbor(neighbor, options));
}

/**
 * A neighbour is told the prefixes of its own family, and may tell of the parts that other nodes have of networks without
 * an overlay.
 */
function copyNeighbor(neighbor: JsonObject, { prefixes, received, source }: NeighborOptions): JsonObject[] {
  if (neighbor["dualStackAddressFamily"] === true) {
    const { namespace, name } = source.metadata;
    throw new Complaint(
      "DualStackAddressFamily==true not supported, " +
        `seen on FRRConfiguration ${namespace}/${name} neighbor ${neighbor["address"]}`,
    );
  }
  const family = parseIp(String(neighbor["address"] ?? ""))?.family;
  const isOfFamily = (prefix: string): boolean => parseCidr(prefix)?.family === family;
  const told = prefixes.filter(isOfFamily);
  if (told.length === 0) return [];
  const parts = received
    .filter(({ prefix }) => isOfFamily(prefix))
    .map(({ prefix, length }) => ({ prefix, le: length, ge: length }));
  return [
    {
      ...neighbor,
      toAdvertise: { allowed: { mode: "filtered", prefixes: told } },
      ...(parts.length > 0 ? { toReceive: { allowed: { mode: "filtered", prefixes: parts } } } : {}),
    },
  ];
}
