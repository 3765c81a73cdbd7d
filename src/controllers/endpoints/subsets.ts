// The subsets of the Endpoints of a Service, from its pods.
import { parseIp } from "../../meta/ip.ts";
import type { JsonObject } from "../../meta/json.ts";
import { addressesIn, canBeEndpoint, findPort, hostnameFor, type Pod } from "./pod.ts";
import { type Offer, repack, type Subset } from "./repack.ts";
import type { Service, ServicePort } from "./service.ts";

/** More addresses than that are left out, the ready ones last; an annotation tells of it. */
export const ADDRESSES_MAX = 1000;

export function desiredSubsets(service: Service, pods: readonly Pod[]): Subset[] {
  const offers: Offer[] = [];
  for (const pod of pods) {
    const address = canBeEndpoint(pod, service.publishNotReady) ? addressOf(service, pod) : undefined;
    if (!address) continue;
    const ready = service.publishNotReady || pod.ready;
    if (service.ports.length === 0 && service.headless) offers.push({ port: undefined, address, ready });
    for (const port of service.ports) {
      const number = findPort(pod, port);
      if (number !== undefined) offers.push({ port: portOf(port, number), address, ready });
    }
  }
  return repack(offers);
}

/** The one address of the pod that is of the Service's primary family. */
function addressOf(service: Service, pod: Pod): JsonObject | undefined {
  const family = service.families[0] ?? parseIp(pod.addresses[0] ?? "")?.family;
  const ip = family && addressesIn(pod, family)[0];
  if (!ip) return undefined;
  const { namespace, name, uid, nodeName } = pod;
  const hostname = hostnameFor(pod, service);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

const portOf = ({ name, protocol, appProtocol }: ServicePort, port: number): JsonObject => ({
  ...(name ? { name } : {}),
  port,
  protocol,
  ...(appProtocol ? { appProtocol } : {}),
});

/** The subsets with at most ADDRESSES_MAX addresses, spread over them by their shares; undefined if there are no more. */
export function truncated(subsets: readonly Subset[]): Subset[] | undefined {
  const ready = sumOf(subsets, "addresses");
  const notReady = sumOf(subsets, "notReadyAddresses");
  if (ready + notReady <= ADDRESSES_MAX) return undefined;
  const cut = ready > ADDRESSES_MAX ? "addresses" : "notReadyAddresses";
  const total = cut === "addresses" ? ready : notReady;
  const room = cut === "addresses" ? ADDRESSES_MAX : ADDRESSES_MAX - ready;
  let left = room;
  return subsets.map((subset) => {
    const { addresses = [], notReadyAddresses = [], ...rest } = subset;
    const offered = cut === "addresses" ? addresses : notReadyAddresses;
    const kept = offered.slice(0, Math.min(Math.ceil((offered.length / total) * room), left));
    left -= kept.length;
    const next = cut === "addresses" ? { addresses: kept } : { addresses, notReadyAddresses: kept };
    const filled = Object.entries(next).filter(([, list]) => list.length > 0);
    return { ...Object.fromEntries(filled), ...rest };
  });
}

const sumOf = (subsets: readonly Subset[], member: "addresses" | "notReadyAddresses"): number =>
  subsets.reduce((sum, subset) => sum + (subset[member]?.length ?? 0), 0);
