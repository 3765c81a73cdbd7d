// The controller of UserDefinedNetworks and ClusterUserDefinedNetworks: turns them into NetworkAttachmentDefinitions
// and tells their owners in the condition NetworkCreated. Here events become keys; sync.ts does the work.

import type { Client } from "../../client/client.ts";
import { equalJson, objectAt } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  ignoring,
  isGoing,
  keyOfObject,
  NADS,
  NAMESPACES,
  PODS,
  USER_DEFINED_NETWORKS,
} from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Change, Keys, KitWith, Watch } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { type ClusterNetworks, readClusterNetworks } from "../networks/cluster-networks.ts";
import { parseConfig } from "../networks/net-conf.ts";
import { within } from "../networks/network-error.ts";
import { CUDN_KIND, controllerOf, isCluster, isControlledBy, networkOwnerOf } from "../networks/owners.ts";
import { EvpnIds } from "./evpn-ids.ts";
import { type NetworkFeatures, networkFeatures } from "./features.ts";
import { readNetworkSpec } from "./network-spec.ts";
import { errorMessage, isInUse, isOvertaken, networkCreated, type Outcome } from "./outcome.ts";
import { POD_NETWORKS_ANNOTATION } from "./pods-in-use.ts";
import { resourceOf, syncCluster, syncNamespaced } from "./sync.ts";
import { findEvpnProblem, transportAccepted, vtepOf } from "./transport.ts";

/** The name for finalizers and NetworkAttachmentDefinitions, which are not written in the status' name. */
const OBJECT_MANAGER = "ovnkube-cluster-manager";
const ovn = (resource: string) => ({ resource: { group: "k8s.ovn.org", version: "v1", resource } });

type Names = "namespaces" | "pods" | "nads" | "udns" | "cudns" | "vteps" | "routeAdvertisements";

interface Remembering {
  readonly memory: UserDefinedNetworks;
}

/** Followed only where the transport is allowed at all. */
const transport = (resource: string, feature: keyof NetworkFeatures): Watch<Remembering> => ({
  ...ovn(resource),
  isWanted: (settings) => networkFeatures(settings.networkFeatures)[feature],
  toKeys: (_, { memory }) => memory.transported(),
});

/** Keys of UserDefinedNetworks have a slash, those of ClusterUserDefinedNetworks have none. */
const owners: Omit<Watch<Remembering>, "resource"> = {
  take: ({ type, object }, { memory }) => {
    if (type === "delete") memory.forget(keyOfObject(object));
  },
  on: ["add", "update"],
};

export const userDefinedNetwork = defineController({
  name: "userdefinednetwork",
  summary: "NetworkAttachmentDefinitions and conditions of user-defined networks",
  fieldManager: "user-defined-network-controller",
  isWanted: isNewest,
  workers: 1,
  // As client-go's default: short at first, and long in the end.
  retry: { firstMs: 5, maxMs: 1_000_000 },
  memory: (kit: KitWith<Names>) => new UserDefinedNetworks(kit),
  watches: {
    namespaces: { resource: NAMESPACES, toKeys: (change, { memory }) => memory.concernedBy(change) },
    pods: {
      resource: PODS,
      on: ["update", "delete"],
      toKeys: ({ object }, { memory }) =>
        object.metadata.annotations?.[POD_NETWORKS_ANNOTATION] === undefined ? [] : memory.blocked(),
    },
    nads: {
      resource: NADS,
      // One that is gone wakes nobody: it is made anew when something happens to its owner.
      on: ["add", "update"],
      toKeys: ({ object }, { memory }) => memory.ownerOf(object),
    },
    udns: { resource: USER_DEFINED_NETWORKS, ...owners },
    cudns: { resource: CLUSTER_USER_DEFINED_NETWORKS, ...owners },
    vteps: transport("vteps", "evpn"),
    routeAdvertisements: transport("routeadvertisements", "routeAdvertisements"),
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (key, { memory }) => memory.reconcile(key),
});

class UserDefinedNetworks {
  readonly #kit: KitWith<Names>;
  readonly #objects: Client;
  readonly #cluster: ClusterNetworks;
  readonly #features: NetworkFeatures;
  readonly #evpnIds = new EvpnIds();
  /** ClusterUserDefinedNetwork → the namespaces where it has its NetworkAttachmentDefinition. */
  readonly #made = new Map<string, Set<string>>();
  /** UserDefinedNetworks that could not be made: their namespace may be what was wrong. */
  readonly #failed = new Set<string>();
  /** Networks whose deletion waits for pods. */
  readonly #blocked = new Set<string>();
  readonly #selectors = new WeakMap<KubeObject, LabelSelector | InvalidSelectorError>();

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#objects = kit.clientFor(OBJECT_MANAGER);
    this.#cluster = readClusterNetworks(kit.settings);
    this.#features = networkFeatures(kit.settings.networkFeatures);
  }

  prepare(): Keys {
    const { nads, udns, cudns } = this.#kit;
    const owned = [...nads.list()].flatMap((nad) => {
      const owner = this.#clusterOwnerOf(nad);
      return owner ? [{ nad, owner }] : [];
    });
    // Of two networks that say the same the older one has it.
    for (const { nad, owner } of owned.sort((a, b) => (ageOf(a.owner) < ageOf(b.owner) ? -1 : 1))) {
      const { name = "" } = owner.metadata;
      this.#madeBy(name).add(nad.metadata.namespace ?? "");
      this.#evpnIds.keep(name, parseConfig(nad)?.["evpn"]);
    }
    return [...udns.list(), ...cudns.list()].map(keyOfObject).sort();
  }

  forget(key: string): void {
    this.#kit.queue.forget(key);
    this.#failed.delete(key);
  }

  blocked(): Keys {
    return [...this.#blocked].sort();
  }

  transported(): Keys {
    const cudns = [...this.#kit.cudns.list()];
    return cudns.filter((cudn) => readNetworkSpec(cudn).transport !== "").map(keyOfObject);
  }

  /** The network of which the NetworkAttachmentDefinition is, if it is there. */
  ownerOf(nad: KubeObject): Keys {
    const owner = networkOwnerOf(nad);
    const found = owner && (owner.kind === CUDN_KIND ? this.#kit.cudns : this.#kit.udns).get(owner.key);
    return found ? [keyOfObject(found)] : [];
  }

  /** The networks that a change of a namespace concerns. */
  concernedBy({ object, old }: Change): Keys {
    const { name = "", labels = {} } = object.metadata;
    if (old && equalJson(old.metadata.labels ?? {}, labels) && !isGoing(object)) return [];
    const cudns = [...this.#kit.cudns.list()].filter((cudn) => {
      const selector = this.#selectorOf(cudn);
      const isMade = this.#made.get(cudn.metadata.name ?? "")?.has(name) === true;
      return isMade || (!(selector instanceof Error) && selector.matches(labels));
    });
    // A retry of theirs would come upon it as well, only later.
    const failed = [...this.#failed].filter((key) => key.startsWith(`${name}/`));
    return [...cudns.map(keyOfObject), ...failed];
  }

  async reconcile(key: string): Promise<void> {
    // Before anything is looked at: a pod that goes in the meantime must find the network here.
    this.#blocked.add(key);
    const owner = await this.#read(key);
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

  #clusterOwnerOf(nad: KubeObject): KubeObject | undefined {
    const reference = controllerOf(nad);
    const owner = reference?.kind === CUDN_KIND ? this.#kit.cudns.get(reference.name) : undefined;
    return owner && isControlledBy(nad, owner) ? owner : undefined;
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
    const namespaces = [...this.#kit.namespaces.list()].filter((namespace) => !isGoing(namespace));
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

  async #read(key: string): Promise<KubeObject | undefined> {
    const slash = key.indexOf("/");
    const resource = slash < 0 ? CLUSTER_USER_DEFINED_NETWORKS : USER_DEFINED_NETWORKS;
    const address = { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
    const owner = await ignoring([404], this.#kit.client.get(resource, address));
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
    const { vteps } = this.#kit;
    const vtep = vtepOf(spec);
    return syncCluster(deps, owner, {
      made: this.#madeBy(owner.metadata.name ?? ""),
      selected: () => this.#selectedBy(owner),
      problem: findEvpnProblem(spec, this.#features, vtep === undefined ? undefined : vteps.get(vtep)),
    });
  }

  /** Applied without force: what another manager took over stays as that one wrote it. */
  async #report(outcome: Outcome): Promise<void> {
    const { owner, problem } = outcome;
    const { client, clock, routeAdvertisements } = this.#kit;
    const spec = readNetworkSpec(owner);
    const accepted = problem
      ? ({ type: "TransportAccepted", status: "False", ...problem } as const)
      : transportAccepted(owner, spec, this.#features, [...routeAdvertisements.list()]);
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
