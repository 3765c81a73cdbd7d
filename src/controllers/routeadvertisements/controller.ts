// The controller of RouteAdvertisements: finds out what each advertises, has FRR do it, and says in the condition
// Accepted what came of it.

import type { ResourceName } from "../../client/client.ts";
import { equalJson } from "../../meta/json.ts";
import { InvalidSelectorError } from "../../meta/label-selector.ts";
import { append } from "../../meta/lists/append.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { type ClusterNetworkOptions, readClusterNetworks } from "../networks/cluster-networks.ts";
import { fitting } from "../networks/conditions.ts";
import { DEFAULT_NETWORK, isPrimary, OVN_CNI_TYPE, readNetConf } from "../networks/net-conf.ts";
import { NADS, NAMESPACES, NODES } from "../networks/resources.ts";
import { nadsOfSelectedClusterNetworks, networkSelectorsOf } from "../networks/selected-networks.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { errorText } from "../runtime/logging/logger.ts";
import { FRR_CONFIGURATIONS, FrrSource } from "./frr-source.ts";
import { GENERATED_PREFIX, generateForNode, ROUTE_ADVERTISEMENTS_KEY } from "./generate.ts";
import { type PrefixSources, prefixesOf } from "./prefixes.ts";
import { ConfigurationProblem, pending, wrong } from "./problem.ts";
import { advertisedNetworks, advertisingNodes, readAdvertisement, selectorAt } from "./selection.ts";
import { notedOn, noteOn, writeConfigurations } from "./writes.ts";

export interface RouteAdvertisementsDeps extends ControllerDeps {
  readonly clusterNetworks?: ClusterNetworkOptions;
  /** Where the default network's NetworkAttachmentDefinition lives. */
  readonly ovnNamespace?: string;
}

export const ROUTE_ADVERTISEMENTS_FIELD_MANAGER = "clustermanager-routeadvertisements-controller";
const NAME = "routeadvertisements";
const ROUTE_ADVERTISEMENTS: ResourceName = {
  group: "k8s.ovn.org",
  version: "v1",
  resource: "routeadvertisements",
};
const EGRESS_IPS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "egressips" };
const PRIMARY_LABEL = "k8s.ovn.org/primary-user-defined-network";
const OVN_NAMESPACE = "ovn-kubernetes";

interface Made {
  readonly configurations: readonly KubeObject[];
  readonly nads: readonly KubeObject[];
}

export function createRouteAdvertisementsController(deps: RouteAdvertisementsDeps): Controller {
  return new RouteAdvertisementsController(deps).loop;
}

class RouteAdvertisementsController {
  readonly loop: ReconcileLoop;
  readonly #deps: RouteAdvertisementsDeps;
  readonly #cluster: ReturnType<typeof readClusterNetworks>;
  readonly #all;
  readonly #nads;
  readonly #nodes;
  readonly #namespaces;
  readonly #egressIps;
  readonly #frr: FrrSource;
  #working = false;
  #followsEgressIps = false;

  constructor(deps: RouteAdvertisementsDeps) {
    this.#deps = deps;
    this.#cluster = readClusterNetworks(deps.clusterNetworks);
    this.#all = informerFor(deps, NAME, ROUTE_ADVERTISEMENTS);
    this.#nads = informerFor(deps, NAME, NADS);
    this.#nodes = informerFor(deps, NAME, NODES);
    this.#namespaces = informerFor(deps, NAME, NAMESPACES);
    this.#egressIps = informerFor(deps, NAME, EGRESS_IPS);
    this.#frr = new FrrSource(
      deps,
      NAME,
      () => this.loop.signal,
      (configuration) => {
        this.#wake(configuration.metadata.labels?.[ROUTE_ADVERTISEMENTS_KEY]);
        this.#wakeAll();
      },
    );
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#frr.definitions, this.#namespaces, this.#nodes, this.#nads, this.#all],
      workers: 1,
      reconcile: (name) => this.#reconcile(name),
      prepare: () => {
        this.#working = true;
        this.#wakeAll();
        for (const nad of this.#nads.list()) for (const name of notedOn(nad)) this.#wake(name);
      },
      settle: async () => {
        await this.#frr.caughtUp();
        if (this.#followsEgressIps) await this.#egressIps.caughtUp();
      },
    });
    this.#listen();
  }

  #listen(): void {
    const all = (): void => this.#wakeAll();
    const changed = (keys: (object: KubeObject) => unknown) => (old: KubeObject, object: KubeObject) => {
      if (!equalJson(keys(old), keys(object))) this.#wakeAll();
    };
    const own = ({ metadata }: KubeObject): void => this.#wake(metadata.name);
    this.#all.addHandlers({ add: own, update: (_old, object) => own(object), delete: own });
    this.#nads.addHandlers({
      add: all,
      update: changed(({ metadata, spec }) => [metadata.labels, metadata.annotations, spec]),
      delete: all,
    });
    this.#nodes.addHandlers({
      add: all,
      update: changed(({ metadata }) => [metadata.labels, metadata.annotations]),
      delete: all,
    });
    this.#namespaces.addHandlers({ add: all, update: changed(({ metadata }) => metadata.labels) });
    this.#egressIps.addHandlers({
      add: all,
      update: changed(({ spec, status }) => [spec, status]),
      delete: all,
    });
  }

  #wake(name: string | undefined): void {
    if (this.#working && name !== undefined) this.loop.queue.add(name);
  }

  #wakeAll(): void {
    for (const { metadata } of [...this.#all.list()].sort(byName)) this.#wake(metadata.name);
  }

  async #reconcile(name: string): Promise<void> {
    const object = this.#all.get(name);
    if (!object) {
      await this.#write(name, { configurations: [], nads: [] });
      return;
    }
    try {
      const made = await this.#make(object);
      await this.#write(name, made);
      await this.#report(object, undefined);
    } catch (error) {
      // What is no fault of the object is only tried again.
      if (!(error instanceof ConfigurationProblem)) throw error;
      // What is only pending takes back what was there; what is wrong leaves it.
      if (error.kind === "pending") await this.#write(name, { configurations: [], nads: [] });
      await this.#report(object, error);
    }
  }

  async #make(object: KubeObject): Promise<Made> {
    const advertisement = readAdvertisement(object);
    if (advertisement.egressIps && advertisement.targetVrf === "auto") {
      throw wrong("advertising EgressIP not supported with TargetVRF set to 'auto'");
    }
    if (advertisement.egressIps) await this.#followEgressIps();
    const nads = await this.#selectedNads(object);
    if (nads.length === 0) throw pending("no networks selected");
    const networks = advertisedNetworks(nads, advertisement, this.#cluster);
    const nodes = advertisingNodes(object, advertisement, this.#nodes.list());
    const selector = selectorAt(object, "frrConfigurationSelector");
    const selected = this.#frr.list().filter(({ metadata }) => selector.matches(metadata.labels));
    if (selected.length === 0) throw pending("no FRRConfigurations selected");
    const sources = selected
      .filter(({ metadata }) => !metadata.name?.startsWith(GENERATED_PREFIX))
      .sort(byName);
    const configurations = nodes.flatMap((node) =>
      generateForNode({
        advertisement,
        networks,
        node,
        prefixes: prefixesOf(node, networks, advertisement, this.#prefixSources()),
        sources: sources.filter((source) => selectorAt(source, "nodeSelector").matches(node.metadata.labels)),
      }),
    );
    return { configurations, nads };
  }

  /** From the first time that somebody advertises them: there can be very many, and mostly nobody does. */
  async #followEgressIps(): Promise<void> {
    if (!this.#followsEgressIps) this.#egressIps.start(this.loop.signal);
    this.#followsEgressIps = true;
    await this.#egressIps.synced();
  }

  async #selectedNads(object: KubeObject): Promise<KubeObject[]> {
    const sources = { nads: this.#nads, namespaces: this.#namespaces };
    const found: KubeObject[] = [];
    for (const selector of networkSelectorsOf(object)) {
      const type = String(selector["networkSelectionType"]);
      if (type === "DefaultNetwork") found.push(await this.#defaultNad());
      else if (type !== "ClusterUserDefinedNetworks") {
        throw wrong(`unsupported network selection type ${type}`);
      } else {
        try {
          append(found, nadsOfSelectedClusterNetworks(selector, sources));
        } catch (error) {
          throw error instanceof InvalidSelectorError ? wrong(error.message) : error;
        }
      }
    }
    return found;
  }

  /** The NetworkAttachmentDefinition that stands for the default network; made where it is missing. */
  async #defaultNad(): Promise<KubeObject> {
    const { client, ovnNamespace: namespace = OVN_NAMESPACE } = this.#deps;
    const found = await ignoring([404], client.get(NADS, { namespace, name: DEFAULT_NETWORK }));
    if (found) return found;
    const config = `{"cniVersion": "0.4.0", "name": "ovn-kubernetes", "type": "${OVN_CNI_TYPE}"}`;
    const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    try {
      // Where ovn-kubernetes runs, its namespace is there.
      if (!this.#namespaces.get(namespace)) await ignoring([409], client.create(NAMESPACES, own));
      return await client.create(NADS, {
        apiVersion: "k8s.cni.cncf.io/v1",
        kind: "NetworkAttachmentDefinition",
        metadata: { namespace, name: DEFAULT_NETWORK },
        spec: { config },
      });
    } catch (error) {
      throw new Error(`failed to get/create default network NAD: ${errorText(error)}`, { cause: error });
    }
  }

  #prefixSources(): PrefixSources {
    const primary = new Map<string, string>();
    for (const nad of this.#nads.list()) {
      const conf = readNetConf(nad);
      if (conf && isPrimary(conf)) primary.set(nad.metadata.namespace ?? "", conf.name);
    }
    return {
      egressIps: [...this.#egressIps.list()].sort(byName),
      namespaces: [...this.#namespaces.list()],
      networkOf: ({ metadata }) =>
        Object.hasOwn(metadata.labels ?? {}, PRIMARY_LABEL)
          ? (primary.get(metadata.name ?? "") ?? "")
          : DEFAULT_NETWORK,
    };
  }

  async #write(name: string, { configurations, nads }: Made): Promise<void> {
    const { client } = this.#deps;
    await writeConfigurations(client, configurations, await this.#writtenFor(name));
    const known = [...this.#nads.list()];
    const fresh = nads.filter((nad) => !known.some(({ metadata }) => metadata.uid === nad.metadata.uid));
    await noteOn(client, name, nads, [...known, ...fresh]);
  }

  /** Not from the copy: what was made a moment ago must not be made again under another name. */
  async #writtenFor(name: string): Promise<KubeObject[]> {
    const { client } = this.#deps;
    const labelSelector = `${ROUTE_ADVERTISEMENTS_KEY}=${name}`;
    const list = await ignoring([404], client.list(FRR_CONFIGURATIONS, { labelSelector }));
    return [...(list?.items ?? [])].sort(byName);
  }

  async #report(object: KubeObject, problem: ConfigurationProblem | undefined): Promise<void> {
    const { client, clock } = this.#deps;
    const target = { client, resource: ROUTE_ADVERTISEMENTS, object, nowMs: clock.now() };
    const status = problem ? `Not Accepted: ${problem.message}` : "Accepted";
    const condition = {
      type: "Accepted",
      status: problem ? "False" : "True",
      reason: problem?.reason ?? "Accepted",
      message: problem ? fitting(problem.message) : ACCEPTED,
      observedGeneration: object.metadata.generation ?? 0,
    } as const;
    await applyConditions(target, [condition], { force: false, status: { status } });
  }
}

const ACCEPTED =
  "ovn-kubernetes cluster-manager validated the resource and requested the necessary configuration changes";

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
