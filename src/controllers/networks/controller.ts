// The networks behind user-defined networks: each that has a NetworkAttachmentDefinition gets a number, its name and
// number are noted there, and its owner is told whether all nodes could be given a part of it.
import type { ClientFactory } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { NetworkIds } from "./addresses/network-ids.ts";
import { type FailedNode, NodeShares, networksWithNews, userNetworksOn } from "./addresses/node-shares.ts";
import { applyConditions } from "./apply-status.ts";
import { type ClusterNetworkOptions, type ClusterNetworks, readClusterNetworks } from "./cluster-networks.ts";
import type { Condition } from "./conditions.ts";
import { readNetConf } from "./net-conf.ts";
import { NetworkError } from "./network-error.ts";
import { readNetworkInfo } from "./network-info.ts";
import { CUDN_KIND, isCluster, networkNameOf, networkOwnerOf } from "./owners.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  NADS,
  NETWORK_ID_ANNOTATION,
  NETWORK_NAME_ANNOTATION,
  NODES,
  USER_DEFINED_NETWORKS,
} from "./resources.ts";

export interface NetworksControllerDeps extends ControllerDeps {
  /** Gives a client for the nodes, which are not written in the status' name. */
  readonly clientFor?: ClientFactory;
  readonly clusterNetworks?: ClusterNetworkOptions;
}

export const NETWORKS_FIELD_MANAGER = "NetworkClusterController";
const NODE_MANAGER = "ovnkube-cluster-manager";
const NAME = "networks";
const EVENT_COMPONENT = "ovnk-controlplane";
const ALLOCATED = "NetworkAllocationSucceeded";

export function createNetworksController(deps: NetworksControllerDeps): Controller {
  return new NetworksController(deps).loop;
}

class NetworksController {
  readonly loop: ReconcileLoop;
  readonly #deps: NetworksControllerDeps;
  readonly #cluster: ClusterNetworks;
  readonly #ids = new NetworkIds();
  readonly #shares: NodeShares;
  readonly #recorder: EventRecorder;
  readonly #nads: Informer;
  readonly #nodes: Informer;
  readonly #udns: Informer;
  readonly #cudns: Informer;
  /** Network → the keys of its NetworkAttachmentDefinitions. */
  readonly #byNetwork = new Map<string, Set<string>>();
  /** Network → the failure that was told last. */
  readonly #told = new Map<string, string>();
  #working = false;

  constructor(deps: NetworksControllerDeps) {
    this.#deps = deps;
    this.#cluster = readClusterNetworks(deps.clusterNetworks);
    this.#nads = informerFor(deps, NAME, NADS);
    this.#nodes = informerFor(deps, NAME, NODES);
    this.#shares = new NodeShares(deps.clientFor?.(NODE_MANAGER) ?? deps.client, this.#nodes);
    this.#udns = informerFor(deps, NAME, USER_DEFINED_NETWORKS);
    this.#cudns = informerFor(deps, NAME, CLUSTER_USER_DEFINED_NETWORKS);
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#nodes, this.#udns, this.#cudns, this.#nads],
      workers: 1,
      reconcile: (network) => this.#reconcile(network),
      prepare: () => this.#prepare(),
      settle: () => this.#recorder.flushed(),
    });
    const { client, clock, log } = deps;
    const { signal } = this.loop;
    this.#recorder = new EventRecorder({ client, clock, log, component: EVENT_COMPONENT, signal });
    this.#listen();
  }

  #listen(): void {
    this.#nads.addHandlers({
      add: (nad) => this.#takeNad(nad),
      update: (old, nad) => {
        if (networkOwnerOf(old)?.network !== networkOwnerOf(nad)?.network) this.#dropNad(old);
        this.#takeNad(nad);
      },
      delete: (nad) => this.#dropNad(nad),
    });
    const owner = (object: KubeObject): void => this.#enqueue(networkNameOf(object));
    for (const informer of [this.#udns, this.#cudns]) {
      informer.addHandlers({ add: owner, update: (_old, object) => owner(object) });
    }
    const all = (): void => {
      for (const network of [...this.#byNetwork.keys()].sort()) this.#enqueue(network);
    };
    this.#nodes.addHandlers({
      add: all,
      update: (old, node) => {
        for (const network of networksWithNews(old, node)) this.#enqueue(network);
      },
      delete: (node) => {
        this.#shares.release(node.metadata.name ?? "");
        all();
      },
    });
  }

  /** Numbers that were given before the start stay given. */
  #prepare(): void {
    for (const [network, keys] of [...this.#byNetwork].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const key of keys) {
        const id = this.#nads.get(key)?.metadata.annotations?.[NETWORK_ID_ANNOTATION];
        if (id !== undefined) this.#ids.reserve(network, id);
      }
    }
    this.#working = true;
    // Those that went while nobody looked are to be taken from the nodes.
    const noted = [...this.#nodes.list()].flatMap(userNetworksOn);
    for (const network of [...new Set([...this.#byNetwork.keys(), ...noted])].sort()) {
      this.loop.queue.add(network);
    }
  }

  #enqueue(network: string): void {
    if (this.#working && this.#byNetwork.has(network)) this.loop.queue.add(network);
  }

  #takeNad(nad: KubeObject): void {
    const network = networkOwnerOf(nad)?.network;
    if (network === undefined) return;
    const keys = this.#byNetwork.get(network);
    if (keys) keys.add(keyOfNad(nad));
    else this.#byNetwork.set(network, new Set([keyOfNad(nad)]));
    this.#enqueue(network);
  }

  #dropNad(nad: KubeObject): void {
    const network = networkOwnerOf(nad)?.network ?? "";
    const keys = this.#byNetwork.get(network);
    keys?.delete(keyOfNad(nad));
    if (keys?.size !== 0) return;
    this.#byNetwork.delete(network);
    this.#ids.release(network);
    if (this.#working) this.loop.queue.add(network);
  }

  async #reconcile(network: string): Promise<void> {
    if (!this.#byNetwork.has(network)) {
      this.#told.delete(network);
      await this.#shares.withdraw(network);
      return;
    }
    const nads = [...(this.#byNetwork.get(network) ?? [])].sort().flatMap((key) => this.#nads.get(key) ?? []);
    const alive = nads.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (const nad of alive) await this.#annotate(nad, network);
    const first = alive[0];
    const owner = first && this.#ownerOf(first);
    if (!first || !owner || owner.metadata.deletionTimestamp !== undefined) return;
    const failed = await this.#serveNodes(first, network);
    const isNews = await this.#report(owner, failed);
    this.#tell(network, owner, { failed, isNews });
  }

  #ownerOf(nad: KubeObject): KubeObject | undefined {
    const owner = networkOwnerOf(nad);
    if (!owner) return undefined;
    return owner.kind === CUDN_KIND ? this.#cudns.get(owner.key) : this.#udns.get(owner.key);
  }

  async #annotate(nad: KubeObject, network: string): Promise<void> {
    const wanted = {
      [NETWORK_NAME_ANNOTATION]: network,
      [NETWORK_ID_ANNOTATION]: String(this.#ids.idOf(network)),
    };
    const said = nad.metadata.annotations ?? {};
    if (Object.entries(wanted).every(([key, value]) => said[key] === value)) return;
    const { namespace = "", name = "", uid } = nad.metadata;
    // The uid keeps the annotations off another object of the same name.
    const body = { metadata: { uid, annotations: wanted } };
    await ignoring([404, 409], this.#deps.client.patch(NADS, { namespace, name }, { type: "merge", body }));
  }

  /** Nodes have parts of Layer3 networks only; the first node for which the network has none is the result. */
  async #serveNodes(nad: KubeObject, network: string): Promise<FailedNode | undefined> {
    const conf = readNetConf(nad);
    if (conf?.topology !== "layer3") return undefined;
    try {
      return await this.#shares.serve(network, readNetworkInfo(conf, this.#cluster).subnets);
    } catch (error) {
      if (error instanceof NetworkError) return undefined; // its owner is told by who renders it
      throw error;
    }
  }

  /** Whether the condition was another one before, as far as is known here. */
  async #report(owner: KubeObject, failed: FailedNode | undefined): Promise<boolean> {
    const condition = failed ? failedCondition(failed) : SUCCEEDED;
    const { client, clock } = this.#deps;
    const resource = isCluster(owner) ? CLUSTER_USER_DEFINED_NETWORKS : USER_DEFINED_NETWORKS;
    const target = { client, resource, object: owner, nowMs: clock.now() };
    return await applyConditions(target, [condition], { force: true });
  }

  /** In an event, once for each failure: it is met at every look at the network, and may be told while it is not read yet. */
  #tell(
    network: string,
    owner: KubeObject,
    { failed, isNews }: { readonly failed: FailedNode | undefined; readonly isNews: boolean },
  ): void {
    if (failed === undefined) {
      this.#told.delete(network);
      return;
    }
    const { node, error } = failed;
    const text = `${node}: ${error}`;
    const told = this.#told.get(network);
    this.#told.set(network, text);
    if (told === text || (told === undefined && !isNews)) return;
    const { kind = "", apiVersion = "", metadata } = owner;
    const { name = "", namespace, uid = "" } = metadata;
    this.#recorder.record({
      subject: { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion },
      type: "Warning",
      reason: "NetworkAllocationFailed",
      message: `Error occurred for node ${node}: ${error}`,
    });
  }
}

const SUCCEEDED: Condition = {
  type: ALLOCATED,
  status: "True",
  reason: "NetworkAllocationSucceeded",
  message: "Network allocation succeeded for all synced nodes.",
};

const failedCondition = ({ node }: FailedNode): Condition => ({
  type: ALLOCATED,
  status: "False",
  reason: "InternalError",
  message: `Network allocation failed for at least one node: ${node}, check UDN events for more info.`,
});

const keyOfNad = ({ metadata }: KubeObject): string =>
  keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
