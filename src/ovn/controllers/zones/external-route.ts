// The gateways of an AdminPolicyBasedExternalRoute: listed addresses, and addresses of selected pods. Only one policy
// applies to a namespace (src/ovn/rules.md R67): the older one, then the first by name.

import { objectAt, objectsAt, objectsOf, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { byAge, isReady, type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { isGoing } from "../../../controller/api.ts";
import { attempt, Complaint, selectorOf, telling } from "../../../controller/conditions.ts";
import { parseJson } from "./rule-checks.ts";
import type { ZoneWorld } from "./zone-world.ts";

const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

type Gateways = ReturnType<typeof ownGateways>;

/** Throws a Complaint if the policy cannot be applied. */
export function gatewaysOf(policy: KubeObject, world: ZoneWorld): Gateways {
  return telling("failed to build updated policy", () => {
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

/** Older policies that are in force, with their namespaces. */
function policiesBefore(
  policy: KubeObject,
  world: ZoneWorld,
): { name: string; namespaces: readonly string[] }[] {
  const inForce: { name: string; namespaces: readonly string[] }[] = [];
  for (const other of [...world.externalRoutes()].sort(byAge)) {
    if (other.metadata.name === policy.metadata.name) break;
    if (isGoing(other)) continue;
    const gateways = attempt(() => ownGateways(other, world));
    const taken = new Set(inForce.flatMap(({ namespaces }) => namespaces));
    if (gateways instanceof Complaint || gateways.namespaces.some((namespace) => taken.has(namespace)))
      continue;
    inForce.push({ name: other.metadata.name ?? "", namespaces: gateways.namespaces });
  }
  return inForce;
}

function ownGateways(policy: KubeObject, world: ZoneWorld) {
  const hops = objectAt(specOf(policy), "nextHops");
  const fixed = telling("failed to process static GW", () =>
    objectsAt(hops, "static").map((hop) => fixedAddress(textAt(hop, "ip"))),
  );
  const found = telling("failed to process dynamic GW", () => podAddresses(hops?.["dynamic"], world));
  const namespaces = telling("failed to list target namespaces", () =>
    world.namespaces(selectorOf(objectAt(specOf(policy), "from")?.["namespaceSelector"])),
  );
  return {
    addresses: [...new Set([...fixed, ...found])].sort(),
    namespaces: namespaces.map(({ metadata }) => metadata.name ?? ""),
  };
}

function fixedAddress(text: string): string {
  const address = parseIp(text);
  if (!address) throw new Complaint(`could not parse routing static gw annotation value '${text}'`);
  return address.text;
}

function podAddresses(hops: unknown, world: ZoneWorld): string[] {
  const addresses: string[] = [];
  for (const hop of objectsOf(hops)) {
    const network = textAt(hop, "networkAttachmentName");
    const inNamespaces = telling("failed to list namespaces", () => selectorOf(hop["namespaceSelector"]));
    for (const { metadata } of world.namespaces(inNamespaces)) {
      const selector = telling("failed to convert pod selector", () => selectorOf(hop["podSelector"]));
      for (const pod of world.pods(metadata.name ?? "", selector)) {
        const found = telling("failed to get external GW pod ips", () => gatewayPodAddresses(pod, network));
        append(addresses, found);
      }
    }
  }
  return addresses;
}

/**
 * The addresses of a gateway pod: host addresses, or those of the named attachment. Empty if the pod is not ready or is
 * terminating. Throws a Complaint if the pod cannot be a gateway (src/ovn/rules.md R66).
 */
function gatewayPodAddresses(pod: KubeObject, network: string): string[] {
  const { name = "", namespace = "", annotations = {} } = pod.metadata;
  if (isGoing(pod) || !isReady(pod)) return [];
  if (network === "") {
    if (objectAt(pod, "spec")?.["hostNetwork"] === true) {
      return canonical(objectsAt(objectAt(pod, "status"), "podIPs").map((item) => textAt(item, "ip")));
    }
    throw new Complaint(
      `ignoring pod ${name} as an external gateway candidate. Invalid combination of host network: false and routing-network annotation: `,
    );
  }
  const text = annotations[NETWORK_STATUS] ?? "";
  const where = `unable to unmarshall annotation on pod ${name} ${NETWORK_STATUS} '${text}'`;
  const networks = telling(where, () => parseJson(text));
  const found = objectsOf(networks).find((status) => status["name"] === network);
  if (!found) throw new Complaint(`unable to find multus network ${network} in pod ${namespace}/${name}`);
  return canonical(textsAt(found, "ips"));
}

const canonical = (texts: readonly string[]): string[] => texts.flatMap((text) => parseIp(text)?.text ?? []);
