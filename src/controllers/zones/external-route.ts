// The gateways of an AdminPolicyBasedExternalRoute: the addresses that it lists, and those of the pods that it selects.
// A namespace can be under one such policy only: the older one has it, then the first by name.
import { parseIp } from "../../meta/ip.ts";
import { isObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing } from "../kit/api.ts";
import { Complaint, inWords, selectorOf } from "./complaint.ts";
import { gatewayPodAddresses } from "./gateway-pod.ts";
import type { ZoneWorld } from "./zone-world.ts";

export interface Gateways {
  /** Sorted. */
  readonly addresses: readonly string[];
  readonly namespaces: readonly string[];
}

/** Throws a Complaint if the policy cannot be put into force. */
export function gatewaysOf(policy: KubeObject, world: ZoneWorld): Gateways {
  return inWords("failed to build updated policy", () => {
    const gateways = ownGateways(policy, world);
    const { name = "" } = policy.metadata;
    for (const other of policiesBefore(policy, world)) {
      const shared = gateways.namespaces.filter((namespace) => other.namespaces.includes(namespace));
      if (shared.length === 0) continue;
      throw new Complaint(
        `failed to update policy ${name}: namespaces [${shared.join(" ")}] are already affected by another policy: ${other.name}`,
      );
    }
    return gateways;
  });
}

/** The policies that come first and are in force, with the namespaces that they have. */
function policiesBefore(
  policy: KubeObject,
  world: ZoneWorld,
): { name: string; namespaces: readonly string[] }[] {
  const inForce: { name: string; namespaces: readonly string[] }[] = [];
  for (const other of [...world.externalRoutes()].sort(comesBefore)) {
    if (other.metadata.name === policy.metadata.name) break;
    if (isGoing(other)) continue;
    const gateways = gatewaysOrNone(other, world);
    const taken = new Set(inForce.flatMap(({ namespaces }) => namespaces));
    if (!gateways || gateways.namespaces.some((namespace) => taken.has(namespace))) continue;
    inForce.push({ name: other.metadata.name ?? "", namespaces: gateways.namespaces });
  }
  return inForce;
}

function gatewaysOrNone(policy: KubeObject, world: ZoneWorld): Gateways | undefined {
  try {
    return ownGateways(policy, world);
  } catch (error) {
    if (error instanceof Complaint) return undefined;
    throw error;
  }
}

function ownGateways({ spec }: KubeObject, world: ZoneWorld): Gateways {
  const content = isObject(spec) ? spec : {};
  const hops = objectAt(content, "nextHops");
  const fixed = inWords("failed to process static GW", () => fixedAddresses(hops?.["static"]));
  const found = inWords("failed to process dynamic GW", () => podAddresses(hops?.["dynamic"], world));
  const namespaces = inWords("failed to list target namespaces", () =>
    world.namespaces(selectorOf(objectAt(content, "from")?.["namespaceSelector"])),
  );
  return {
    addresses: [...new Set([...fixed, ...found])].sort(),
    namespaces: namespaces.map(({ metadata }) => metadata.name ?? ""),
  };
}

function fixedAddresses(hops: unknown): string[] {
  return (Array.isArray(hops) ? hops : []).filter(isObject).map(({ ip }) => {
    const address = parseIp(String(ip ?? ""));
    if (!address)
      throw new Complaint(`could not parse routing static gw annotation value '${String(ip ?? "")}'`);
    return address.text;
  });
}

function podAddresses(hops: unknown, world: ZoneWorld): string[] {
  const addresses: string[] = [];
  for (const hop of (Array.isArray(hops) ? hops : []).filter(isObject)) {
    const network = String(hop["networkAttachmentName"] ?? "");
    const inNamespaces = inWords("failed to list namespaces", () => selectorOf(hop["namespaceSelector"]));
    for (const { metadata } of world.namespaces(inNamespaces)) {
      const selector = inWords("failed to convert pod selector", () => selectorOf(hop["podSelector"]));
      for (const pod of world.pods(metadata.name ?? "", selector)) {
        append(
          addresses,
          inWords("failed to get external GW pod ips", () => gatewayPodAddresses(pod, network)),
        );
      }
    }
  }
  return addresses;
}

function comesBefore(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
