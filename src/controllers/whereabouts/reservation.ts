// OverlappingRangeIPReservations: who has an address, in whatever range it was given. The name is the address.
import type { ResourceName } from "../../client/client.ts";
import type { IpAddress } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type Holder, WHEREABOUTS } from "./pool.ts";

export const RESERVATIONS: ResourceName = { ...WHEREABOUTS, resource: "overlappingrangeipreservations" };

/** "NETWORK-" comes before the address where the network has a name. */
export function reservationName({ text }: Pick<IpAddress, "text">, networkName: string): string {
  const address = text.replace(/:$/, ":0").replaceAll(":", "-");
  return networkName === "" ? address : `${networkName}-${address}`;
}

export function newReservation(
  name: string,
  namespace: string,
  { podRef, interfaceName }: Holder,
): KubeObject {
  return {
    apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
    kind: "OverlappingRangeIPReservation",
    metadata: { name, namespace },
    spec: { podref: podRef, ...(interfaceName === "" ? {} : { ifname: interfaceName }) },
  };
}

export function podRefOf({ spec }: KubeObject): string {
  const podRef = isObject(spec) ? spec["podref"] : undefined;
  return typeof podRef === "string" ? podRef : "";
}

/** True if the reservation is of one of the addresses, whatever network it is in. */
export function reservesAny({ metadata }: KubeObject, addresses: Iterable<string>): boolean {
  const { name = "" } = metadata;
  for (const text of addresses) {
    const end = reservationName({ text }, "");
    if (name === end || name.endsWith(`-${end}`)) return true;
  }
  return false;
}
