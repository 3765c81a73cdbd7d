// The neighbours of a router as they are told of a node's prefixes, and may tell it of the parts that other nodes have of
// networks without an overlay.
import { parseCidr, parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { readAnnotation } from "../network-annotations/parse-annotation.ts";
import { wrong } from "./problem.ts";
import type { NodePart } from "./selection.ts";

export interface NeighborOptions {
  /** What is advertised. */
  readonly prefixes: readonly string[];
  readonly received: readonly NodePart[];
  readonly node: KubeObject;
  /** The FRRConfiguration that the neighbours are of. */
  readonly source: KubeObject;
}

const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";

/** Those for which there is something to say. Throws ConfigurationProblem. */
export function copyNeighbors({ neighbors }: JsonObject, options: NeighborOptions): JsonObject[] {
  const own = primaryAddresses(options.node);
  return (Array.isArray(neighbors) ? neighbors.filter(isObject) : [])
    .filter(({ address }) => !own.includes(String(address)))
    .flatMap((neighbor) => copyNeighbor(neighbor, options));
}

/** A neighbour is told the prefixes of its own family. */
function copyNeighbor(neighbor: JsonObject, { prefixes, received, source }: NeighborOptions): JsonObject[] {
  if (neighbor["dualStackAddressFamily"] === true) {
    const { namespace, name } = source.metadata;
    throw wrong(
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

/** A router does not talk to itself. */
function primaryAddresses(node: KubeObject): string[] {
  const value = readAnnotation(node, PRIMARY_ADDRESSES);
  return isObject(value) ? Object.values(value).map((text) => String(text).replace(/\/.*/, "")) : [];
}
