// Plays Whereabouts: gives pods addresses for the networks that they attach to, and takes back what nobody uses. A pod
// gets its addresses once; what Multus notes about it later only decides what is kept.
import type { Informer } from "../../client/informer.ts";
import { nextTurn } from "../../meta/clock.ts";
import type { IpAddress } from "../../meta/ip.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { NADS } from "../networks/resources.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { Occurrence } from "../runtime/events/event-correlator.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { allocate, containerIdOf, type Request } from "./allocate.ts";
import { asksForNetworks, attachmentsOf, statusAddresses } from "./attachments.ts";
import { type IpamConfig, IpamError, ipamConfigOf } from "./ipam-config.ts";
import { isFinished, PODS } from "./pods.ts";
import { addressAt, allocationsOf, IP_POOLS, losersBetween } from "./pool.ts";
import { cleanPool, cleanReservation, poolNeedsLook, reservationNeedsLook } from "./release.ts";
import { podRefOf, RESERVATIONS, reservationName } from "./reservation.ts";

export interface WhereaboutsDeps extends ControllerDeps {
  /** Where pools and reservations are. */
  readonly poolNamespace?: string;
  /** False: as in OpenShift 4.13, where all interfaces of a pod in one range share an address. */
  readonly notesInterfaces?: boolean;
}

export const WHEREABOUTS_FIELD_MANAGER = "whereabouts";
const NAME = "whereabouts";
const EVENT_COMPONENT = "kubelet";
const NAMESPACE = "kube-system";
/** A pod that attaches to more networks is told so, and gets no address. */
const ATTACHMENTS_MAX = 256;

export function createWhereaboutsController(deps: WhereaboutsDeps): Controller {
  return new WhereaboutsController(deps).loop;
}

class WhereaboutsController {
  readonly loop: ReconcileLoop;
  readonly #deps: WhereaboutsDeps;
  readonly #namespace: string;
  readonly #pods: Informer;
  readonly #nads: Informer;
  readonly #pools: Informer;
  readonly #reservations: Informer;
  readonly #recorder: EventRecorder;
  /** Pods that lack an address, and what was said about it. */
  readonly #waiting = new Map<string, string>();
  #working = false;

  constructor(deps: WhereaboutsDeps) {
    this.#deps = deps;
    this.#namespace = deps.poolNamespace ?? NAMESPACE;
    const own = { namespace: this.#namespace };
    this.#pods = informerFor(deps, NAME, PODS);
    this.#nads = informerFor(deps, NAME, NADS);
    this.#pools = informerFor(deps, NAME, IP_POOLS, own);
    this.#reservations = informerFor(deps, NAME, RESERVATIONS, own);
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#nads, this.#pools, this.#reservations, this.#pods],
      // One after the other: who asks first gets the lowest address.
      workers: 1,
      reconcile: (key) => this.#reconcile(key),
      prepare: () => this.#prepare(),
      settle: () => this.#recorder.flushed(),
    });
    const { client, clock, log } = deps;
    const { signal } = this.loop;
    this.#recorder = new EventRecorder({ client, clock, log, component: EVENT_COMPONENT, signal });
    this.#listen();
  }

  #listen(): void {
    this.#pods.addHandlers({
      add: (pod) => this.#lookAtPod(pod),
      update: (old, pod) => {
        if (equalJson(factsOf(old), factsOf(pod))) return;
        this.#lookAtPod(pod);
        this.#lookAtClaimsOf(refOf(pod));
      },
      delete: (pod) => {
        this.#waiting.delete(refOf(pod));
        this.#lookAtClaimsOf(refOf(pod));
      },
    });
    const waiting = (): void => this.#wakeWaiting();
    this.#nads.addHandlers({ add: waiting, update: waiting });
    this.#pools.addHandlers({
      add: (pool) => this.#lookAtPool(pool),
      update: (old, pool) => {
        this.#lookAtPool(pool);
        this.#wakeLosers(losersBetween(old, pool));
      },
      delete: (pool) => this.#wakeLosers([...allocationsOf(pool)].map(({ podRef }) => podRef)),
    });
    const reservation = (object: KubeObject): void => this.#lookAtReservation(object);
    this.#reservations.addHandlers({
      add: reservation,
      update: (old, object) => {
        reservation(object);
        if (podRefOf(old) !== podRefOf(object)) this.#wakeLosers([podRefOf(old)]);
      },
      delete: (object) => this.#wakeLosers([podRefOf(object)]),
    });
  }

  #prepare(): void {
    this.#working = true;
    for (const pool of [...this.#pools.list()].sort(byAge)) this.#lookAtPool(pool);
    for (const object of [...this.#reservations.list()].sort(byAge)) this.#lookAtReservation(object);
    for (const pod of [...this.#pods.list()].sort(byAge)) this.#lookAtPod(pod);
  }

  #look(kind: "pod" | "pool" | "reservation", name: string): void {
    if (this.#working) this.loop.queue.add(`${kind}/${name}`);
  }

  #lookAtPod(pod: KubeObject): void {
    if (asksForNetworks(pod) || this.#waiting.has(refOf(pod))) this.#look("pod", refOf(pod));
  }

  #lookAtPool(pool: KubeObject): void {
    if (this.#working && poolNeedsLook(pool, this.#pods)) this.#look("pool", pool.metadata.name ?? "");
  }

  #lookAtReservation(reservation: KubeObject): void {
    if (!this.#working || !reservationNeedsLook(reservation, this.#pods)) return;
    this.#look("reservation", reservation.metadata.name ?? "");
  }

  #lookAtClaimsOf(podRef: string): void {
    for (const pool of this.#pools.list()) {
      const isClaimed = [...allocationsOf(pool)].some((allocation) => allocation.podRef === podRef);
      if (isClaimed) this.#look("pool", pool.metadata.name ?? "");
    }
    for (const reservation of this.#reservations.list()) {
      if (podRefOf(reservation) === podRef) this.#look("reservation", reservation.metadata.name ?? "");
    }
  }

  /** Pods that lost an address may get one again, and so may those that found none. */
  #wakeLosers(podRefs: readonly string[]): void {
    for (const podRef of podRefs) if (this.#pods.get(podRef)) this.#look("pod", podRef);
    if (podRefs.length > 0) this.#wakeWaiting();
  }

  #wakeWaiting(): void {
    for (const podRef of this.#waiting.keys()) this.#look("pod", podRef);
  }

  #reconcile(key: string): Promise<void> {
    const slash = key.indexOf("/");
    const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const claims = { client: this.#deps.client, pods: this.#pods, namespace: this.#namespace };
    if (kind === "pool") return cleanPool(claims, name);
    return kind === "reservation" ? cleanReservation(claims, name) : this.#serve(name);
  }

  async #serve(podRef: string): Promise<void> {
    const pod = this.#pods.get(podRef);
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
      const { client } = this.#deps;
      const reservation = (name: string) => this.#reservation(name);
      await allocate({ client, namespace: this.#namespace, reservation }, requests);
      this.#waiting.delete(podRef);
    } catch (error) {
      if (!(error instanceof IpamError)) throw error;
      this.#complain(pod, error);
    }
  }

  /** What the pod still needs; undefined while a network that it names is missing. Throws IpamError. */
  async #requestsOf(pod: KubeObject): Promise<Request[] | undefined> {
    const attachments = attachmentsOf(pod);
    if (attachments.length > ATTACHMENTS_MAX) {
      const rule = `at most ${ATTACHMENTS_MAX} are served`;
      throw new IpamError(`the pod attaches to ${attachments.length} networks, ${rule}`);
    }
    const requests: Request[] = [];
    const id = containerIdOf(pod);
    const held = this.#heldBy(refOf(pod), id);
    for (const { namespace, name, interfaceName } of attachments) {
      // A configuration may be long: others are served between two of them.
      await nextTurn();
      const nad = this.#nads.get(`${namespace}/${name}`);
      if (!nad) return undefined;
      const config = ipamConfigOf(nad);
      const noted = this.#deps.notesInterfaces === false ? "" : interfaceName;
      const holder = { id, podRef: refOf(pod), interfaceName: noted };
      const addresses = held.get(noted) ?? [];
      if (config && this.#countOf(addresses, config) < config.ranges.length)
        requests.push({ holder, config });
    }
    return requests;
  }

  /** How many addresses the interface has, in whatever pools: what a network says later does not count for it. */
  #countOf(addresses: readonly IpAddress[], { networkName, overlappingRanges }: IpamConfig): number {
    if (!overlappingRanges) return addresses.length;
    return addresses.filter((address) => this.#reservation(reservationName(address, networkName))).length;
  }

  /** The pod's addresses in all pools, by interface. */
  #heldBy(podRef: string, id: string): ReadonlyMap<string, readonly IpAddress[]> {
    const held = new Map<string, IpAddress[]>();
    for (const pool of this.#pools.list()) {
      for (const allocation of allocationsOf(pool)) {
        if (allocation.podRef !== podRef || allocation.id !== id) continue;
        const address = addressAt(pool, allocation.offset);
        const { interfaceName } = allocation;
        if (address) held.set(interfaceName, [...(held.get(interfaceName) ?? []), address]);
      }
    }
    return held;
  }

  #reservation(name: string): KubeObject | undefined {
    return this.#reservations.get(`${this.#namespace}/${name}`);
  }

  /** The same is not said twice. */
  #complain(pod: KubeObject, { message }: IpamError): void {
    const podRef = refOf(pod);
    if (this.#waiting.get(podRef) === message) return;
    this.#waiting.set(podRef, message);
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const occurrence: Occurrence = {
      subject: { kind: "Pod", namespace, name, uid, apiVersion: "v1" },
      type: "Warning",
      reason: "FailedCreatePodSandBox",
      message: `Failed to create pod sandbox: error at storage engine: ${message}`,
    };
    this.#recorder.record(occurrence, { atStart: this.loop.isFirstLook(`pod/${podRef}`) });
  }
}

/** A pod that is set up, or goes away, gets nothing any more. */
const isToBeServed = (pod: KubeObject): boolean =>
  !isFinished(pod) && pod.metadata.deletionTimestamp === undefined && statusAddresses(pod) === undefined;

const refOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** What of a pod matters here. */
const factsOf = (pod: KubeObject): unknown => [pod.metadata.uid, pod.metadata.annotations, isFinished(pod)];

function byAge(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map((object) => `${object.metadata.creationTimestamp} ${refOf(object)}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
