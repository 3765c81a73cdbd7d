// Networks of UserDefinedNetworks and ClusterUserDefinedNetworks. A network with a NetworkAttachmentDefinition (NAD) gets a
// network id, which is annotated on its NADs with its name. Condition NetworkAllocationSucceeded of the owner reports
// whether every node got a subnet.

import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  ignoring,
  isGoing,
  NADS,
  NODES,
  placeOf,
  subjectOf,
  USER_DEFINED_NETWORKS,
} from "../../../controller/api.ts";
import { applyConditions, Complaint, conditionFor, type Said } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Change, Keys, KitWith, Watch } from "../../../controller/definition.ts";
import { indexBy } from "../../../controller/nested-map.ts";
import { isNewest } from "../../../controller/settings.ts";
import { Numbers } from "../network-annotations/numbers.ts";
import { readClusterNetworks, readNetworkInfo } from "./cluster-networks.ts";
import {
  findNetworkOwner,
  NETWORK_ID_ANNOTATION,
  NETWORK_NAME_ANNOTATION,
  networkNameOf,
  networkOwnerOf,
  OBJECT_MANAGER,
  readNetConf,
  resourceOf,
} from "./net-conf.ts";
import {
  type FailedNode,
  isReadableAgain,
  NodeShares,
  networksWithNews,
  userNetworksOn,
} from "./node-shares.ts";

type Names = "nodes" | "udns" | "cudns" | "nads";

const owners: Omit<Watch<{ readonly memory: Networks }>, "resource"> = {
  on: ["add", "update"],
  toKeys: ({ object }, { memory }) => memory.known([networkNameOf(object)]),
};

export const networks = defineController({
  name: "networks",
  summary: "numbers and conditions of networks that span namespaces or nodes",
  fieldManager: "NetworkClusterController",
  events: "ovnk-controlplane",
  isWanted: isNewest,
  workers: 1,
  memory: (kit: KitWith<Names>) => new Networks(kit),
  watches: {
    nodes: {
      resource: NODES,
      take: (change, { memory }) => memory.takeNode(change),
      toKeys: ({ object, old }, { memory }) =>
        old && !isReadableAgain(old, object) ? memory.known(networksWithNews(old, object)) : memory.all(),
    },
    udns: { resource: USER_DEFINED_NETWORKS, ...owners },
    cudns: { resource: CLUSTER_USER_DEFINED_NETWORKS, ...owners },
    nads: {
      resource: NADS,
      toKeys: (change, { memory }) => memory.touchedBy(change),
    },
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (network, { memory }) => memory.reconcile(network),
});

class Networks {
  readonly #kit: KitWith<Names>;
  readonly #cluster: ReturnType<typeof readClusterNetworks>;
  /** Network ids; 0 is the default network. */
  readonly #ids = new Numbers({ first: 1, last: Number.POSITIVE_INFINITY, goingRound: false });
  readonly #shares: NodeShares;
  readonly #nads: ReturnType<typeof indexBy>;
  /** Network → the last reported failure. */
  readonly #told = new Map<string, string>();

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#cluster = readClusterNetworks(kit.settings);
    this.#nads = indexBy(kit.nads, (nad) => networkOwnerOf(nad)?.network);
    this.#shares = new NodeShares(kit.clientFor(OBJECT_MANAGER), kit.nodes);
  }

  /** Reserves the network ids that NADs are annotated with. */
  prepare(): Keys {
    for (const network of this.all()) {
      for (const { metadata } of this.#nads.of(network).values()) {
        const id = metadata.annotations?.[NETWORK_ID_ANNOTATION] ?? "";
        if (/^\d{1,9}$/.test(id) && !this.#ids.has(network)) this.#ids.reserve(network, Number(id));
      }
    }
    // Includes networks that were deleted before the start, whose subnets are removed from node annotations.
    const noted = [...this.#kit.nodes.list()].flatMap(userNetworksOn);
    return [...new Set([...this.#nads.keys(), ...noted])].sort();
  }

  all(): string[] {
    return [...this.#nads.keys()].sort();
  }

  known(networks: readonly string[]): Keys {
    return networks.filter((network) => this.#nads.has(network));
  }

  takeNode({ type, object }: Change): void {
    if (type === "delete") this.#shares.release(object.metadata.name ?? "");
  }

  /** The network of the NAD, and the network that lost its last NAD. */
  touchedBy({ type, object, old }: Change): Keys {
    const network = networkOwnerOf(object)?.network;
    const left = type === "delete" ? network : old && networkOwnerOf(old)?.network;
    const isLost = left !== undefined && !this.#nads.has(left);
    if (isLost) this.#ids.release(left);
    return [isLost ? left : undefined, type === "delete" ? undefined : network];
  }

  async reconcile(network: string): Promise<void> {
    if (!this.#nads.has(network)) {
      this.#told.delete(network);
      await this.#shares.withdraw(network);
      return;
    }
    const nads = [...this.#nads.of(network)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, nad]) => nad);
    const alive = nads.filter((nad) => !isGoing(nad));
    for (const nad of alive) await this.#annotate(nad, network);
    const first = alive[0];
    const owner = first && findNetworkOwner(first, this.#kit);
    if (!first || !owner || isGoing(owner)) return;
    const failed = await this.#serveNodes(first, network);
    const condition = conditionFor(ALLOCATED, problemOf(failed), SUCCEEDED);
    const isNews = await applyConditions(this.#kit, resourceOf(owner), owner, [condition]);
    if (failed) this.#tell(network, owner, { ...failed, isNews });
    else this.#told.delete(network);
  }

  async #annotate(nad: KubeObject, network: string): Promise<void> {
    const wanted = {
      [NETWORK_NAME_ANNOTATION]: network,
      [NETWORK_ID_ANNOTATION]: String(this.#ids.of(network)),
    };
    const said = nad.metadata.annotations ?? {};
    if (Object.entries(wanted).every(([key, value]) => said[key] === value)) return;
    // The uid is a precondition: a new object of the same name is not changed.
    const body = { metadata: { uid: nad.metadata.uid, annotations: wanted } };
    await ignoring([404, 409], this.#kit.client.patch(NADS, placeOf(nad), { type: "merge", body }));
  }

  /** Allocates node subnets, which only Layer3 networks have; returns the first node without a free subnet. */
  async #serveNodes(nad: KubeObject, network: string): Promise<FailedNode | undefined> {
    const conf = readNetConf(nad);
    if (conf?.topology !== "layer3") return undefined;
    try {
      return await this.#shares.serve(network, readNetworkInfo(conf, this.#cluster).subnets);
    } catch (error) {
      if (error instanceof Complaint) return undefined; // condition NetworkCreated reports it
      throw error;
    }
  }

  /**
   * Records an event once for each failure, since every reconcile of the network finds it again. `isNews` is false if the
   * condition already reports it, as after a restart.
   */
  #tell(
    network: string,
    owner: KubeObject,
    { node, error, isNews }: FailedNode & { readonly isNews: boolean },
  ): void {
    const text = `${node}: ${error}`;
    const told = this.#told.get(network);
    this.#told.set(network, text);
    if (told === text || (told === undefined && !isNews)) return;
    this.#kit.recordEvent({
      subject: subjectOf(owner),
      type: "Warning",
      reason: "NetworkAllocationFailed",
      message: `Error occurred for node ${node}: ${error}`,
    });
  }
}

const ALLOCATED = "NetworkAllocationSucceeded";

const SUCCEEDED: Said = {
  reason: ALLOCATED,
  message: "Network allocation succeeded for all synced nodes.",
};

const problemOf = (failed: FailedNode | undefined): Said | undefined =>
  failed && {
    reason: "InternalError",
    message: `Network allocation failed for at least one node: ${failed.node}, check UDN events for more info.`,
  };
