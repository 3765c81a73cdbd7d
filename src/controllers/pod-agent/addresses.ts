// Which addresses pods have, and which one comes next. No two living pods have the same. What pods' annotations and status
// say is the memory: it is read back at a start. Addresses are given out going round, so that one that was freed is not the
// next to be given.
//
//   10.128.0.0/23:   .0 the network   .1 the gateway   .2 the node itself   .3 …  pods  …  .254   .255 nobody
import { type Cidr, ipFromValue, parseCidr, parseIp } from "../../meta/ip.ts";
import { isObject, objectAt, objectsAt, parsedObject, textAt, textsAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { keyOfObject } from "../kit/api.ts";
import { hasEnded } from "../kit/pods.ts";

export const POD_NETWORKS = "k8s.ovn.org/pod-networks";
const FIRST = 3n;
/** No node has more pods than this. */
const HOSTS_MAX = 2n ** 24n;

/** The network of the cluster's own pods. */
export const DEFAULT_NETWORK = "default";

export const isOnHost = (pod: KubeObject): boolean => specOf(pod)["hostNetwork"] === true;

/** With their prefixes, as the annotation says them; none: it does not. */
export function annotatedAddresses({ metadata }: KubeObject): string[] {
  const entry = parsedObject(metadata.annotations?.[POD_NETWORKS])?.[DEFAULT_NETWORK];
  if (!isObject(entry)) return [];
  const several = textsAt(entry, "ip_addresses");
  const single = textAt(entry, "ip_address");
  return several.length > 0 || single === "" ? several : [single];
}

/** Without their prefixes: what the pod has, by its annotation or else by its status. */
export function addressesOf(pod: KubeObject): string[] {
  const annotated = annotatedAddresses(pod).map((text) => text.replace(/\/.*$/, ""));
  const listed = objectsAt(objectAt(pod, "status"), "podIPs").map((entry) => textAt(entry, "ip"));
  return (annotated.length > 0 ? annotated : listed).map((text) => parseIp(text)?.text ?? text);
}

export class PodAddresses {
  /** Canonical text → key of the pod. */
  readonly #owners = new Map<string, string>();
  readonly #owned = new Map<string, readonly string[]>();
  /** By network, where the next look begins. */
  readonly #next = new Map<string, bigint>();

  /** Notes what the pod has; one that has ended has nothing. */
  take(pod: KubeObject, isGone: boolean): void {
    const key = keyOfObject(pod);
    if (isGone || hasEnded(pod)) {
      this.release(key);
      return;
    }
    const addresses = isOnHost(pod) ? [] : addressesOf(pod);
    // What was given to it and is not written yet stays its own.
    if (addresses.length > 0) this.#own(key, addresses);
  }

  release(key: string): void {
    for (const address of this.#owned.get(key) ?? [])
      if (this.#owners.get(address) === key) this.#owners.delete(address);
    this.#owned.delete(key);
  }

  /** One of each network, with its prefix; undefined where one of them has none left. */
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
    // Where two say that they have it, the one that said so first does.
    for (const address of addresses) if (!this.#owners.has(address)) this.#owners.set(address, key);
  }

  #free({ family, first, last, text, prefix }: Cidr): string | undefined {
    const size = last - first;
    // The last address of an IPv4 network means all of them.
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
