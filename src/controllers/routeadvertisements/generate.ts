// FRRConfigurations that advertise: one per chosen FRRConfiguration and node, a copy of the chosen one whose routers
// announce the node's prefixes and, where networks share a VRF, import each other.

import { goQuote } from "../../go/strconv.ts";
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { DEFAULT_NETWORK } from "../networks/net-conf.ts";
import { copyNeighbors } from "./neighbors.ts";
import { wrong } from "./problem.ts";
import type { AdvertisedNetwork, Advertisement } from "./selection.ts";

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

/** Throws ConfigurationProblem where the sources do not match the networks. */
export function generateForNode(input: GenerateInput): KubeObject[] {
  const { advertisement, networks, node, sources } = input;
  const nodeName = node.metadata.name ?? "";
  const all = [...new Set([...input.prefixes.values()].flat())].sort();
  if (all.length === 0) return [];
  const matched = new Set<string>();
  const generated = sources.map((source) => {
    const routers = routersOf(source).flatMap((router) =>
      copyRouter(router, input, { source, all, matched }),
    );
    if (routers.length > 0) return configuration(advertisement, source, node, routers);
    throw wrong(
      `FRRConfiguration ${goQuote(source.metadata.name ?? "")} selected for node ${goQuote(nodeName)} ` +
        "has no VRF matching the RouteAdvertisements target VRF or any selected network",
    );
  });
  if (advertisement.targetVrf === "auto" && !networks.every(({ name }) => matched.has(name))) {
    throw wrong(
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
  const vrf = typeof router["vrf"] === "string" ? router["vrf"] : "";
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
  const spec = isObject(source["spec"]) ? source["spec"] : {};
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

function routersOf({ spec }: KubeObject): JsonObject[] {
  const routers = objectAt(isObject(spec) ? spec : undefined, "bgp")?.["routers"];
  return Array.isArray(routers) ? routers.filter(isObject) : [];
}
