// What Endpoints become as EndpointSlices: one for each family and each set of ports.
import { type IpFamily, parseIp } from "../../meta/ip.ts";
import { type JsonObject, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { offersOf, repack } from "../endpoints/repack.ts";
import { endpointKey, portsKey } from "../endpointslice/endpoint.ts";
import { addressTypeOf } from "../endpointslice/slice.ts";

/** As kube-controller-manager's --mirroring-max-endpoints-per-subset is by default. */
export const ADDRESSES_PER_SUBSET_MAX = 1000;

export interface MirroredGroup {
  readonly addressType: string;
  readonly ports: readonly JsonObject[];
  readonly endpoints: Map<string, JsonObject>;
}

export interface Mirrored {
  /** By groupKey. */
  readonly groups: ReadonlyMap<string, MirroredGroup>;
  /** How many addresses are none. */
  readonly invalid: number;
  /** How many addresses are left out, the invalid ones among them. */
  readonly skipped: number;
}

export const groupKey = (addressType: string, ports: readonly JsonObject[]): string =>
  `${addressType} ${portsKey(ports)}`;

export function mirrorEndpoints(endpoints: KubeObject): Mirrored {
  const groups = new Map<string, MirroredGroup>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of repack(offersOf(objectsAt(endpoints, "subsets")))) {
    const ports = (subset.ports ?? []).map(toSlicePort);
    const offered = [
      ...(subset.addresses ?? []).map((address) => ({ address, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of offered) {
      if (added >= ADDRESSES_PER_SUBSET_MAX) break;
      const family = parseIp(textAt(address, "ip"))?.family;
      if (!family) {
        invalid++;
        continue;
      }
      added++;
      const endpoint = toEndpoint(address, ready);
      groupFor(groups, family, ports).endpoints.set(endpointKey(endpoint), endpoint);
    }
    skipped += offered.length - added;
  }
  return { groups, invalid, skipped };
}

function groupFor(
  groups: Map<string, MirroredGroup>,
  family: IpFamily,
  ports: readonly JsonObject[],
): MirroredGroup {
  const addressType = addressTypeOf(family);
  const key = groupKey(addressType, ports);
  const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, JsonObject>() };
  groups.set(key, group);
  return group;
}

/** Endpoints do not say whether an address that is not ready serves all the same. */
function toEndpoint(address: JsonObject, ready: boolean): JsonObject {
  const { ip, hostname, nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

const toSlicePort = (port: JsonObject): JsonObject => ({
  name: textAt(port, "name"),
  protocol: textAt(port, "protocol") || "TCP",
  port: port["port"],
  ...(port["appProtocol"] === undefined ? {} : { appProtocol: port["appProtocol"] }),
});
