// The controller of UserDefinedNetworks and ClusterUserDefinedNetworks: generates NetworkAttachmentDefinitions (NADs), and
// reports condition NetworkCreated. This file maps watch events to keys and reports; sync.ts reconciles.

import { equalJson } from "../../../apimachinery/json/json.ts";
import { InvalidSelectorError } from "../../../apimachinery/meta/label-requirement.ts";
import { readLabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { byAge, type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  ignoring,
  isGoing,
  keyOfObject,
  NADS,
  NAMESPACES,
  ovn,
  PODS,
  USER_DEFINED_NETWORKS,
} from "../../../controller/api.ts";
import { applyConditions, tellingLater, within } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Change, Keys, KitWith, Watch } from "../../../controller/definition.ts";
import { isNewest, type NetworkFeature } from "../../../controller/settings.ts";
import { readClusterNetworks } from "../networks/cluster-networks.ts";
import {
  findNetworkOwner,
  isCluster,
  isControlledBy,
  OBJECT_MANAGER,
  parseConfig,
  resourceOf,
} from "../networks/net-conf.ts";
import { readNetworkSpec } from "./render-nad.ts";
import {
  errorMessage,
  isInUse,
  isOvertaken,
  type NadDeps,
  networkCreated,
  type Outcome,
  POD_NETWORKS_ANNOTATION,
  syncNetwork,
} from "./sync.ts";
import { EvpnIds, findEvpnProblem, transportAccepted } from "./transport.ts";

type Names = "namespaces" | "pods" | "nads" | "udns" | "cudns" | "vteps" | "routeAdvertisements";

interface Remembering {
  readonly memory: UserDefinedNetworks;
}

/** Watched only if the feature is enabled. */
const transport = (resource: string, feature: NetworkFeature): Watch<Remembering> => ({
  resource: ovn(resource),
  isWanted: ({ networkFeatures = [] }) => networkFeatures.includes(feature),
  toKeys: (_, { memory }) => memory.transported(),
});

/** Keys: NAMESPACE/NAME for UserDefinedNetworks, NAME for ClusterUserDefinedNetworks. */
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
  // Backoff of client-go's default rate limiter.
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
      // As in upstream, a deleted NAD enqueues nothing; it is created again with the next event of its owner.
      on: ["add", "update"],
      toKeys: ({ object }, { memory }) => memory.ownerOf(object),
    },
    udns: { resource: USER_DEFINED_NETWORKS, ...owners },
    cudns: { resource: CLUSTER_USER_DEFINED_NETWORKS, ...owners },
    vteps: transport("vteps", "evpn"),
    routeAdvertisements: transport("routeadvertisements", "route-advertisements"),
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (key, { memory }) => memory.reconcile(key),
});

class UserDefinedNetworks {
  readonly #kit: KitWith<Names>;
  readonly #deps: NadDeps;
  /** ClusterUserDefinedNetwork → namespaces with its NAD. */
  readonly #made = new Map<string, Set<string>>();
  /** UserDefinedNetworks whose reconcile failed: a change of their namespace requeues them. */
  readonly #failed = new Set<string>();
  /** Networks whose deletion waits until pods are deleted. */
  readonly #blocked = new Set<string>();

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#deps = {
      client: kit.clientFor(OBJECT_MANAGER),
      cluster: readClusterNetworks(kit.settings),
      features: new Set(kit.settings.networkFeatures),
      evpnIds: new EvpnIds(),
    };
  }

  prepare(): Keys {
    const { nads, udns, cudns } = this.#kit;
    const owned = [...nads.list()].flatMap((nad) => {
      const owner = findNetworkOwner(nad, this.#kit);
      return owner && isCluster(owner) && isControlledBy(nad, owner) ? [{ nad, owner }] : [];
    });
    // If two networks have the same VNI or VLAN id, the older one keeps it.
    for (const { nad, owner } of owned.sort((a, b) => byAge(a.owner, b.owner))) {
      const name = keyOfObject(owner);
      this.#madeBy(name).add(nad.metadata.namespace ?? "");
      this.#deps.evpnIds.keep(name, parseConfig(nad)?.["evpn"]);
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

  /** Key of the NAD's owner, if the owner exists. */
  ownerOf(nad: KubeObject): Keys {
    const owner = findNetworkOwner(nad, this.#kit);
    return [owner && keyOfObject(owner)];
  }

  /** Keys of networks affected by a namespace change. */
  concernedBy({ object, old }: Change): Keys {
    const { name = "", labels = {} } = object.metadata;
    if (old && equalJson(old.metadata.labels ?? {}, labels) && !isGoing(object)) return [];
    const cudns = [...this.#kit.cudns.list()].filter((cudn) => {
      const selector = selectorOf(cudn);
      const isMade = this.#made.get(cudn.metadata.name ?? "")?.has(name) === true;
      return isMade || (!(selector instanceof InvalidSelectorError) && selector.matches(labels));
    });
    // Requeues failed networks before their backoff ends.
    const failed = [...this.#failed].filter((key) => key.startsWith(`${name}/`));
    return [...cudns.map(keyOfObject), ...failed];
  }

  async reconcile(key: string): Promise<void> {
    // Added before the first read, so that a pod deletion during the reconcile requeues the network.
    this.#blocked.add(key);
    const owner = await this.#read(key);
    const outcome = owner && (await this.#sync(owner));
    const errors = outcome?.errors ?? [];
    const isBlocked = errors.some(isInUse);
    if (!isBlocked) this.#blocked.delete(key);
    if (errors.length > 0 && key.includes("/")) this.#failed.add(key);
    else this.#failed.delete(key);
    if (!outcome) return;
    const overtaken = errors.find(isOvertaken);
    if (overtaken) throw overtaken;
    await this.#report(outcome);
    if (errors.length > 0 && !isBlocked) throw new Error(errorMessage(errors));
  }

  /** Names of the selected namespaces, sorted; terminating ones are omitted. */
  #selectedBy(cudn: KubeObject): string[] {
    const selector = selectorOf(cudn);
    if (selector instanceof InvalidSelectorError) {
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
      this.#deps.evpnIds.release(key);
    }
    return owner;
  }

  #sync(owner: KubeObject): Promise<Outcome> {
    const { namespace = "" } = owner.metadata;
    // A UserDefinedNetwork has one NAD, in its own namespace.
    const own = { made: new Set([namespace]), selected: () => [namespace], problem: undefined };
    if (!isCluster(owner)) return syncNetwork(this.#deps, owner, own);
    return syncNetwork(this.#deps, owner, {
      made: this.#madeBy(keyOfObject(owner)),
      selected: () => this.#selectedBy(owner),
      problem: findEvpnProblem(readNetworkSpec(owner), this.#deps.features, this.#kit.vteps),
    });
  }

  /** Applies without force: conditions that another field manager owns are not changed. */
  async #report(outcome: Outcome): Promise<void> {
    const { owner, problem } = outcome;
    const { routeAdvertisements } = this.#kit;
    const accepted = problem
      ? ({ type: "TransportAccepted", status: "False", ...problem } as const)
      : transportAccepted(owner, readNetworkSpec(owner), this.#deps.features, routeAdvertisements.list());
    const conditions = [networkCreated(outcome), ...(accepted ? [accepted] : [])];
    const applied = applyConditions(this.#kit, resourceOf(owner), owner, conditions, { force: false });
    await tellingLater(`failed to update ${owner.kind} status`, applied);
  }
}

const selectorOf = memoize((cudn: KubeObject) => readLabelSelector(specOf(cudn)["namespaceSelector"]));
