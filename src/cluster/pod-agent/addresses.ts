// The address allocator of pods. No two running pods share an address. The allocations are stored in pod annotations
// and status, from which a start rebuilds them. Allocation is round-robin, so a released address is not reused at once.
//
//   10.128.0.0/23:   .0 the network   .1 the gateway   .2 the node itself   .3 …  pods  …  .254   .255 unused

import {
  isObject,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type Cidr, ipFromValue, parseCidr, parseIp } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { keyOfObject } from "../../controller/api.ts";
import { hasEnded } from "../../controller/pods.ts";

export const POD_NETWORKS = "k8s.ovn.org/pod-networks";
const FIRST = 3n;
/** The maximum number of host addresses that are searched per subnet. */
const HOSTS_MAX = 2n ** 24n;

/** The name of the default cluster network. */
export const DEFAULT_NETWORK = "default";

export const isOnHost = (pod: KubeObject): boolean => specOf(pod)["hostNetwork"] === true;

/** The addresses in the annotation, with their prefix lengths; empty if it has none. */
export function annotatedAddresses({ metadata }: KubeObject): string[] {
  const entry = parsedObject(metadata.annotations?.[POD_NETWORKS])?.[DEFAULT_NETWORK];
  if (!isObject(entry)) return [];
  const several = textsAt(entry, "ip_addresses");
  const single = textAt(entry, "ip_address");
  return several.length > 0 || single === "" ? several : [single];
}

/** The pod's addresses without prefix lengths, from the annotation or else from the status. */
export function addressesOf(pod: KubeObject): string[] {
  const annotated = annotatedAddresses(pod).map((text) => text.replace(/\/.*$/, ""));
  const listed = objectsAt(objectAt(pod, "status"), "podIPs").map((entry) => textAt(entry, "ip"));
  return (annotated.length > 0 ? annotated : listed).map((text) => parseIp(text)?.text ?? text);
}

export class PodAddresses {
  /** Canonical text → key of the pod. */
  readonly #owners = new Map<string, string>();
  readonly #owned = new Map<string, readonly string[]>();
  /** Network → offset at which the next search begins. */
  readonly #next = new Map<string, bigint>();

  /** Records the addresses of the pod. A deleted or ended pod releases them. */
  take(pod: KubeObject, isGone: boolean): void {
    const key = keyOfObject(pod);
    if (isGone || hasEnded(pod)) {
      this.release(key);
      return;
    }
    const addresses = isOnHost(pod) ? [] : addressesOf(pod);
    // A new allocation that is not written yet is kept.
    if (addresses.length > 0) this.#own(key, addresses);
  }

  release(key: string): void {
    for (const address of this.#owned.get(key) ?? [])
      if (this.#owners.get(address) === key) this.#owners.delete(address);
    this.#owned.delete(key);
  }

  /** Allocates one address of each network, with its prefix length. undefined: a network is exhausted. */
  allocate(key: string, networks: readonly string[]): string[] | undefined {
    const given: string[] = [];
    for (const text of networks) {
      const network = parseCidr(text);
      const address = network && this.#free(network);
      if (address === undefined) return undefined;
      given.push(address);
    }
    this.#own(
      key,
      given.map((text) => text.replace(/\/.*$/, "")),
    );
    return given;
  }

  #own(key: string, addresses: readonly string[]): void {
    this.release(key);
    this.#owned.set(key, addresses);
    // If two pods report the same address, the first one keeps it.
    for (const address of addresses) if (!this.#owners.has(address)) this.#owners.set(address, key);
  }

  #free({ family, first, last, text, prefix }: Cidr): string | undefined {
    const size = last - first;
    // The last address of an IPv4 network is the broadcast address.
    const end = family === 4 ? size : size + 1n;
    const hosts = (end < HOSTS_MAX ? end : HOSTS_MAX) - FIRST;
    if (hosts <= 0n) return undefined;
    const begin = this.#next.get(text) ?? 0n;
    for (let step = 0n; step < hosts; step++) {
      const host = (begin + step) % hosts;
      const address = ipFromValue(family, first + FIRST + host).text;
      if (this.#owners.has(address)) continue;
      this.#next.set(text, (host + 1n) % hosts);
      return `${address}/${prefix}`;
    }
    return undefined;
  }
}
