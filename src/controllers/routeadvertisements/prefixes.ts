// What a node advertises of each network: its own part of a Layer3 network, all of a Layer2 network, and the egress
// addresses that it holds for namespaces of the network.

import { goQuote } from "../../go/strconv.ts";
import { parseIp } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import { InvalidSelectorError, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { NODE_SUBNETS_ANNOTATION } from "../network-annotations/node-parts.ts";
import { readAnnotation } from "../network-annotations/parse-annotation.ts";
import { wrong } from "./problem.ts";
import type { AdvertisedNetwork, Advertisement } from "./selection.ts";

export interface PrefixSources {
  readonly egressIps: Iterable<KubeObject>;
  readonly namespaces: Iterable<KubeObject>;
  /** The network that the pods of a namespace are in. */
  networkOf(namespace: KubeObject): string;
}

/** Sorted prefixes by network. Throws ConfigurationProblem while the node's part is not known. */
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
  throw wrong(
    `will wait for subnet annotation to be set for node ${goQuote(node.metadata.name ?? "")} and network ${goQuote(name)}`,
  );
}

function egressPrefixes(node: KubeObject, network: AdvertisedNetwork, sources: PrefixSources): string[] {
  return [...sources.egressIps].flatMap((egressIp) => {
    const held = itemsOn(egressIp, node.metadata.name ?? "");
    return held.length > 0 && serves(egressIp, network.name, sources) ? held : [];
  });
}

/** The addresses of an EgressIP on the node, as host prefixes. */
function itemsOn({ status }: KubeObject, node: string): string[] {
  const items = isObject(status) && Array.isArray(status["items"]) ? status["items"] : [];
  return items
    .filter(isObject)
    .filter((item) => item["node"] === node)
    .flatMap((item) => {
      const ip = parseIp(String(item["egressIP"] ?? ""));
      return ip ? [`${ip.text}/${ip.family === 4 ? 32 : 128}`] : [];
    });
}

function serves({ spec }: KubeObject, network: string, sources: PrefixSources): boolean {
  try {
    const selector = labelSelectorFromObject(isObject(spec) ? spec["namespaceSelector"] : undefined);
    for (const namespace of sources.namespaces) {
      if (selector.matches(namespace.metadata.labels) && sources.networkOf(namespace) === network)
        return true;
    }
    return false;
  } catch (error) {
    if (error instanceof InvalidSelectorError) return false;
    throw error;
  }
}
