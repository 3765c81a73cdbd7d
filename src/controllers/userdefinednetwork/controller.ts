// The controller of UserDefinedNetworks and ClusterUserDefinedNetworks: turns them into NetworkAttachmentDefinitions
// and tells their owners in the condition NetworkCreated. Here events become keys; sync.ts does the work.
import type { Client, ClientFactory } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import { equalJson, objectAt } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { applyConditions } from "../networks/apply-status.ts";
import {
  type ClusterNetworkOptions,
  type ClusterNetworks,
  readClusterNetworks,
} from "../networks/cluster-networks.ts";
import { parseConfig } from "../networks/net-conf.ts";
import { within } from "../networks/network-error.ts";
import { CUDN_KIND, controllerOf, isCluster, isControlledBy, networkOwnerOf } from "../networks/owners.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  NADS,
  NAMESPACES,
  PODS,
  USER_DEFINED_NETWORKS,
} from "../networks/resources.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EvpnIds } from "./evpn-ids.ts";
import { type NetworkFeatures, NO_FEATURES } from "./features.ts";
import { readNetworkSpec } from "./network-spec.ts";
import { errorMessage, isInUse, isOvertaken, networkCreated, type Outcome } from "./outcome.ts";
import { POD_NETWORKS_ANNOTATION } from "./pods-in-use.ts";
import { resourceOf, syncCluster, syncNamespaced } from "./sync.ts";
import { findEvpnProblem, transportAccepted } from "./transport.ts";
import { TransportWorld } from "./transport-world.ts";

export interface UserDefinedNetworkDeps extends ControllerDeps {
  /** Gives a client for the finalizers and NetworkAttachmentDefinitions, which are not written in the status' name. */
  readonly clientFor?: ClientFactory;
  readonly clusterNetworks?: ClusterNetworkOptions;
  readonly features?: Partial<NetworkFeatures>;
}

export const USER_DEFINED_NETWORK_FIELD_MANAGER = "user-defined-network-controller";
const OBJECT_MANAGER = "ovnkube-cluster-manager";
const NAME = "userdefinednetwork";
/** As client-go's default: short at first, and long in the end. */
const RETRY_FIRST_MS = 5;
const RETRY_MAX_MS = 1_000_000;

export function createUserDefinedNetworkController(deps: UserDefinedNetworkDeps): Controller {
  return new UserDefinedNetworkController(deps).loop;
}

class UserDefinedNetworkController {
  readonly loop: ReconcileLoop;
  readonly #deps: UserDefinedNetworkDeps;
  readonly #objects: Client;
  readonly #cluster: ClusterNetworks;
  readonly #features: NetworkFeatures;
  readonly #udns: Informer;
  readonly #cudns: Informer;
  readonly #nads: Informer;
  readonly #namespaces: Informer;
  readonly #pods: Informer;
  readonly #transport: TransportWorld;
  readonly #evpnIds = new EvpnIds();
  /** ClusterUserDefinedNetwork → the namespaces where it has its NetworkAttachmentDefinition. */
  readonly #made = new Map<string, Set<string>>();
  /** UserDefinedNetworks that could not be made: their namespace may be what was wrong. */
  readonly #failed = new Set<string>();
  /** Networks whose deletion waits for pods. */
  readonly #blocked = new Set<string>();
  readonly #selectors = new WeakMap<KubeObject, LabelSelector | InvalidSelectorError>();
  #working = false;

  constructor(deps: UserDefinedNetworkDeps) {
    this.#deps = deps;
    this.#objects = deps.clientFor?.(OBJECT_MANAGER) ?? deps.client;
    this.#cluster = readClusterNetworks(deps.clusterNetworks);
    this.#features = { ...NO_FEATURES, ...deps.features };
    this.#udns = informerFor(deps, NAME, USER_DEFINED_NETWORKS);
    this.#cudns = informerFor(deps, NAME, CLUSTER_USER_DEFINED_NETWORKS);
    this.#nads = informerFor(deps, NAME, NADS);
    this.#namespaces = informerFor(deps, NAME, NAMESPACES);
    this.#pods = informerFor(deps, NAME, PODS);
    this.#transport = new TransportWorld(deps, NAME, this.#features, () => this.#wakeTransported());
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [
        this.#namespaces,
        this.#pods,
        this.#nads,
        this.#udns,
        this.#cudns,
        ...this.#transport.informers,
      ],
      workers: 1,
      retry: { firstMs: RETRY_FIRST_MS, maxMs: RETRY_MAX_MS },
      reconcile: (key) => this.#reconcile(key),
      prepare: () => this.#prepare(),
    });
    this.#listen();
  }

  #listen(): void {
    const owner = (object: KubeObject): void => this.#enqueue(keyOfOwner(object));
    for (const informer of [this.#udns, this.#cudns]) {
      informer.addHandlers({
        add: owner,
        update: (_old, object) => owner(object),
        delete: (object) => {
          this.loop.queue.forget(keyOfOwner(object));
          this.#failed.delete(keyOfOwner(object));
        },
      });
    }
    // One that is gone wakes nobody: it is made anew when something happens to its owner.
    const nad = (object: KubeObject): void => this.#wakeOwnerOf(object);
    this.#nads.addHandlers({ add: nad, update: (_old, object) => nad(object) });
    this.#namespaces.addHandlers({
      add: (namespace) => this.#wakeForNamespace(namespace),
      update: (old, namespace) => {
        const labelled = !equalJson(old.metadata.labels ?? {}, namespace.metadata.labels ?? {});
        if (labelled || isGoing(namespace)) this.#wakeForNamespace(namespace);
      },
      delete: (namespace) => this.#wakeForNamespace(namespace),
    });
    const pod = ({ metadata }: KubeObject): void => {
      if (metadata.annotations?.[POD_NETWORKS_ANNOTATION] !== undefined) this.#wakeBlocked();
    };
    this.#pods.addHandlers({ update: pod, delete: pod });
  }

  #prepare(): void {
    const owned = [...this.#nads.list()].flatMap((nad) => {
      const owner = this.#clusterOwnerOf(nad);
      return owner ? [{ nad, owner }] : [];
    });
    // Of two networks that say the same the older one has it.
    for (const { nad, owner } of owned.sort((a, b) => (ageOf(a.owner) < ageOf(b.owner) ? -1 : 1))) {
      const { name = "" } = owner.metadata;
      this.#madeBy(name).add(nad.metadata.namespace ?? "");
      this.#evpnIds.keep(name, parseConfig(nad)?.["evpn"]);
    }
    this.#working = true;
    const all = [...this.#udns.list(), ...this.#cudns.list()].map(keyOfOwner);
    for (const key of all.sort()) this.#enqueue(key);
  }

  #clusterOwnerOf(nad: KubeObject): KubeObject | undefined {
    const reference = controllerOf(nad);
    const owner = reference?.kind === CUDN_KIND ? this.#cudns.get(reference.name) : undefined;
    return owner && isControlledBy(nad, owner) ? owner : undefined;
  }

  #enqueue(key: string): void {
    if (this.#working) this.loop.queue.add(key);
  }

  #wakeOwnerOf(nad: KubeObject): void {
    const owner = networkOwnerOf(nad);
    if (!owner) return;
    const found = (owner.kind === CUDN_KIND ? this.#cudns : this.#udns).get(owner.key);
    if (found) this.#enqueue(keyOfOwner(found));
  }

  #wakeForNamespace({ metadata }: KubeObject): void {
    if (!this.#working) return;
    const { name = "", labels } = metadata;
    for (const cudn of this.#cudns.list()) {
      const selector = this.#selectorOf(cudn);
      const concerned = this.#made.get(cudn.metadata.name ?? "")?.has(name) === true;
      if (concerned || (!(selector instanceof Error) && selector.matches(labels))) {
        this.#enqueue(keyOfOwner(cudn));
      }
    }
    // A retry of theirs would come upon it as well, only later.
    for (const key of this.#failed) if (key.startsWith(`${name}/`)) this.#enqueue(key);
  }

  #wakeBlocked(): void {
    for (const key of [...this.#blocked].sort()) this.#enqueue(key);
  }

  #wakeTransported(): void {
    for (const cudn of this.#cudns.list()) {
      if (readNetworkSpec(cudn).transport !== "") this.#enqueue(keyOfOwner(cudn));
    }
  }

  #selectorOf(cudn: KubeObject): LabelSelector | InvalidSelectorError {
    const known = this.#selectors.get(cudn);
    if (known) return known;
    let selector: LabelSelector | InvalidSelectorError;
    try {
      selector = labelSelectorFromObject(objectAt({ ...cudn }, "spec")?.["namespaceSelector"]);
    } catch (error) {
      if (!(error instanceof InvalidSelectorError)) throw error;
      selector = error;
    }
    this.#selectors.set(cudn, selector);
    return selector;
  }

  /** The namespaces that the network belongs in, by name; those that go away do not count. */
  #selectedBy(cudn: KubeObject): string[] {
    const selector = this.#selectorOf(cudn);
    if (selector instanceof Error) {
      throw within("failed to get selected namespaces: failed to create label-selector", selector);
    }
    const namespaces = [...this.#namespaces.list()].filter((namespace) => !isGoing(namespace));
    return namespaces
      .filter(({ metadata }) => selector.matches(metadata.labels))
      .map(({ metadata }) => metadata.name ?? "")
      .sort();
  }

  #madeBy(name: string): Set<string> {
    const known = this.#made.get(name) ?? new Set<string>();
    this.#made.set(name, known);
    return known;
  }

  async #reconcile(key: string): Promise<void> {
    // Before anything is looked at: a pod that goes in the meantime must find the network here.
    this.#blocked.add(key);
    const owner = await this.#ownerOf(key);
    const outcome = owner && (await this.#sync(owner));
    if (!outcome?.errors.some(isInUse)) this.#blocked.delete(key);
    if (outcome && outcome.errors.length > 0 && key.includes("/")) this.#failed.add(key);
    else this.#failed.delete(key);
    if (!outcome) return;
    const overtaken = outcome.errors.find(isOvertaken);
    if (overtaken) throw overtaken;
    await this.#report(outcome);
    const { errors } = outcome;
    if (errors.length > 0 && !errors.some(isInUse)) throw new Error(errorMessage(errors));
  }

  async #ownerOf(key: string): Promise<KubeObject | undefined> {
    const slash = key.indexOf("/");
    const resource = slash < 0 ? CLUSTER_USER_DEFINED_NETWORKS : USER_DEFINED_NETWORKS;
    const address = { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
    const owner = await ignoring([404], this.#deps.client.get(resource, address));
    if (!owner && slash < 0) {
      this.#made.delete(key);
      this.#evpnIds.release(key);
    }
    return owner;
  }

  #sync(owner: KubeObject): Promise<Outcome> {
    const deps = {
      client: this.#objects,
      cluster: this.#cluster,
      features: this.#features,
      evpnIds: this.#evpnIds,
    };
    if (!isCluster(owner)) return syncNamespaced(deps, owner);
    const spec = readNetworkSpec(owner);
    return syncCluster(deps, owner, {
      made: this.#madeBy(owner.metadata.name ?? ""),
      selected: () => this.#selectedBy(owner),
      problem: findEvpnProblem(spec, this.#features, this.#transport.vtep(spec)),
    });
  }

  /** Applied without force: what another manager took over stays as that one wrote it. */
  async #report(outcome: Outcome): Promise<void> {
    const { owner, problem } = outcome;
    const { client, clock } = this.#deps;
    const spec = readNetworkSpec(owner);
    const accepted = problem
      ? ({ type: "TransportAccepted", status: "False", ...problem } as const)
      : transportAccepted(owner, spec, this.#features, this.#transport.routeAdvertisements());
    const conditions = [networkCreated(outcome), ...(accepted ? [accepted] : [])];
    const target = { client, resource: resourceOf(owner), object: owner, nowMs: clock.now() };
    try {
      await applyConditions(target, conditions, { force: false });
    } catch (error) {
      throw within(`failed to update ${owner.kind} status`, error);
    }
  }
}

const ageOf = ({ metadata }: KubeObject): string =>
  `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;

const isGoing = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Keys of UserDefinedNetworks have a slash, those of ClusterUserDefinedNetworks have none. */
const keyOfOwner = ({ metadata }: KubeObject): string =>
  keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
