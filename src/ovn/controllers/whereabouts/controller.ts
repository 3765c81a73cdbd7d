// Emulates Whereabouts: allocates addresses for the networks that pods attach to, and releases unused ones. A pod gets its
// addresses once; its network-status later only determines which are kept.

import type { IpAddress } from "../../../apimachinery/meta/ip.ts";
import { byAge, type KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { nextTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { isGoing, keyOfObject, NADS, PODS, subjectOf } from "../../../controller/api.ts";
import type { ResourceName } from "../../../controller/client.ts";
import { Complaint } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Keys, KitWith, Watch, World } from "../../../controller/definition.ts";
import { hasEnded } from "../../../controller/pods.ts";
import { isNewest } from "../../../controller/settings.ts";
import { allocate, containerIdOf, type Request, reservationOf } from "./allocate.ts";
import {
  addressAt,
  allocationsOf,
  claimKey,
  clean,
  IP_POOLS,
  losersBetween,
  NAMESPACE,
  nameFor,
  needsLook,
  RESERVATIONS,
} from "./pool.ts";
import {
  asksForNetworks,
  attachmentsOf,
  type IpamConfig,
  ipamConfigOf,
  statusAddresses,
} from "./requests.ts";

/** A pod with more attachments gets no address, and an event reports the limit. */
const ATTACHMENTS_MAX = 256;

type Names = "nads" | "pools" | "reservations" | "pods";

/** Watch of IPPools or OverlappingRangeIPReservations, which hold addresses of pods. */
const claims = (resource: ResourceName): Watch<World<Names, Whereabouts>> => ({
  resource,
  list: { namespace: NAMESPACE },
  toKeys: ({ type, object, old }, { memory }) => {
    if (type === "delete") return memory.losers(losersBetween(object, undefined));
    return [...memory.ofClaim(object), ...(old ? memory.losers(losersBetween(old, object)) : [])];
  },
});

export const whereabouts = defineController({
  name: "whereabouts",
  summary: "addresses for pods in attached networks",
  fieldManager: "whereabouts",
  events: "kubelet",
  // One worker, so that pods get the lowest free address in queue order.
  workers: 1,
  memory: (kit: KitWith<Names>) => new Whereabouts(kit),
  watches: {
    nads: {
      resource: NADS,
      on: ["add", "update"],
      toKeys: ({ object }, { memory }) => [...memory.waiting(), ...memory.ofNetwork(object)],
    },
    pools: claims(IP_POOLS),
    reservations: claims(RESERVATIONS),
    pods: {
      resource: PODS,
      take: ({ type, object }, { memory }) => {
        if (type === "delete") memory.forget(keyOfObject(object));
      },
      facts: (pod) => [pod.metadata.uid, pod.metadata.annotations, hasEnded(pod)],
      toKeys: ({ type, object }, { memory }) => [
        ...(type === "delete" ? [] : memory.ofPod(object)),
        ...(type === "add" ? [] : memory.ofClaims(keyOfObject(object))),
      ],
    },
  },
  prepare({ pools, reservations, pods, memory }) {
    return [
      ...[...pools.list()].sort(byAge).flatMap((pool) => memory.ofClaim(pool)),
      ...[...reservations.list()].sort(byAge).flatMap((object) => memory.ofClaim(object)),
      ...[...pods.list()].sort(byAge).flatMap((pod) => memory.ofPod(pod)),
    ];
  },
  reconcile: (key, { memory }) => memory.reconcile(key),
});

class Whereabouts {
  readonly #kit: KitWith<Names>;
  /** False for OpenShift 4.13: all interfaces of a pod in one range share an address, and entries have no ifname. */
  readonly #notesInterfaces: boolean;
  /** Pods without their addresses, with the last reported message. */
  readonly #waiting = new Map<string, string>();

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#notesInterfaces = isNewest(kit.settings);
  }

  waiting(): string[] {
    return [...this.#waiting.keys()].map((podRef) => `pod/${podRef}`);
  }

  forget(podRef: string): void {
    this.#waiting.delete(podRef);
  }

  ofPod(pod: KubeObject): string[] {
    return asksForNetworks(pod) || this.#waiting.has(keyOfObject(pod)) ? [`pod/${keyOfObject(pod)}`] : [];
  }

  /** Keys of pods that attach to the network: a changed configuration may now require addresses. */
  ofNetwork({ metadata }: KubeObject): string[] {
    const names = (pod: KubeObject): boolean =>
      attachmentsOf(pod).some(
        ({ namespace, name }) => namespace === metadata.namespace && name === metadata.name,
      );
    const pods = [...this.#kit.pods.list()].filter(names).sort(byAge);
    return pods.map((pod) => `pod/${keyOfObject(pod)}`);
  }

  ofClaim(claim: KubeObject): string[] {
    return needsLook(claim, this.#kit.pods) ? [claimKey(claim)] : [];
  }

  /** Keys of pools and reservations that hold an address of the pod. */
  ofClaims(podRef: string): Keys {
    const { pools, reservations } = this.#kit;
    const isHeld = (claim: KubeObject) =>
      [...allocationsOf(claim)].some((allocation) => allocation.podRef === podRef);
    return [...pools.list(), ...reservations.list()].filter(isHeld).map(claimKey);
  }

  /** Keys of pods that lost an address, and of waiting pods, which can use released addresses. */
  losers(podRefs: readonly string[]): string[] {
    const there = podRefs.filter((podRef) => this.#kit.pods.get(podRef));
    return podRefs.length > 0 ? [...there.map((podRef) => `pod/${podRef}`), ...this.waiting()] : [];
  }

  reconcile(key: string): Promise<void> {
    const slash = key.indexOf("/");
    const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)];
    return kind === "pool" || kind === "reservation" ? clean(this.#kit, kind, name) : this.#serve(name);
  }

  async #serve(podRef: string): Promise<void> {
    const pod = this.#kit.pods.get(podRef);
    if (!pod || !isToBeServed(pod)) {
      this.#waiting.delete(podRef);
      return;
    }
    try {
      const requests = await this.#requestsOf(pod);
      if (!requests) {
        this.#waiting.set(podRef, this.#waiting.get(podRef) ?? "");
        return;
      }
      await allocate(this.#kit, requests);
      this.#waiting.delete(podRef);
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      this.#complain(pod, error);
    }
  }

  /** The missing addresses of the pod; undefined while a network of its annotation does not exist. Throws a Complaint. */
  async #requestsOf(pod: KubeObject): Promise<Request[] | undefined> {
    const attachments = attachmentsOf(pod);
    if (attachments.length > ATTACHMENTS_MAX) {
      const rule = `at most ${ATTACHMENTS_MAX} are served`;
      throw new Complaint(`the pod attaches to ${attachments.length} networks, ${rule}`);
    }
    const requests: Request[] = [];
    const id = containerIdOf(pod);
    const held = this.#heldBy(keyOfObject(pod), id);
    for (const { namespace, name, interfaceName } of attachments) {
      // Parsing a configuration may take long: yield the event loop.
      await nextTurn();
      const nad = this.#kit.nads.get(`${namespace}/${name}`);
      if (!nad) return undefined;
      const config = ipamConfigOf(nad);
      const noted = this.#notesInterfaces ? interfaceName : "";
      const holder = { id, podRef: keyOfObject(pod), interfaceName: noted };
      const addresses = held.get(noted) ?? [];
      if (config && this.#countOf(addresses, config) < config.ranges.length)
        requests.push({ holder, config });
    }
    return requests;
  }

  /** Number of the interface's addresses in all pools: later changes of the network configuration do not matter. */
  #countOf(addresses: readonly IpAddress[], { networkName, overlappingRanges }: IpamConfig): number {
    if (!overlappingRanges) return addresses.length;
    return addresses.filter((address) => reservationOf(this.#kit, nameFor(address, networkName))).length;
  }

  /** The pod's addresses in all pools, by interface. */
  #heldBy(podRef: string, id: string): ReadonlyMap<string, readonly IpAddress[]> {
    const held = new Map<string, IpAddress[]>();
    for (const pool of this.#kit.pools.list()) {
      for (const allocation of allocationsOf(pool)) {
        if (allocation.podRef !== podRef || allocation.id !== id) continue;
        const address = addressAt(pool, allocation.offset);
        const { interfaceName } = allocation;
        if (address) held.set(interfaceName, [...(held.get(interfaceName) ?? []), address]);
      }
    }
    return held;
  }

  /** Records an event, unless the last one had the same message. */
  #complain(pod: KubeObject, { message }: Complaint): void {
    const podRef = keyOfObject(pod);
    if (this.#waiting.get(podRef) === message) return;
    this.#waiting.set(podRef, message);
    const subject = subjectOf({ ...pod, kind: "Pod", apiVersion: "v1" });
    const said = `Failed to create pod sandbox: error at storage engine: ${message}`;
    const occurrence = { subject, type: "Warning", reason: "FailedCreatePodSandBox", message: said } as const;
    this.#kit.recordEvent(occurrence, `pod/${podRef}`);
  }
}

/** Not finished, not terminating, and without network-status: other pods get no addresses. */
const isToBeServed = (pod: KubeObject): boolean =>
  !hasEnded(pod) && !isGoing(pod) && statusAddresses(pod) === undefined;
