// The RouteAdvertisements controller: determines the advertised networks and nodes, generates FRRConfigurations, and reports
// the result in condition Accepted.

import { textAt } from "../../../apimachinery/json/json.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { byName, ignoring, keysIn, NADS, NAMESPACES, NODES, ovn } from "../../../controller/api.ts";
import {
  applyConditions,
  Complaint,
  conditionFor,
  type Said,
  selectorOf,
} from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { errorText } from "../../../controller/logging.ts";
import { isNewest } from "../../../controller/settings.ts";
import { readClusterNetworks } from "../networks/cluster-networks.ts";
import {
  DEFAULT_NETWORK,
  isPrimary,
  nadsOfSelectedClusterNetworks,
  networkSelectorsOf,
  OVN_CNI_TYPE,
  PRIMARY_LABEL,
  readNetConf,
} from "../networks/net-conf.ts";
import {
  annotatedNames,
  annotateNads,
  FRR_CONFIGURATIONS,
  FRR_DEFINITION,
  frrSource,
  writeConfigurations,
} from "./frr.ts";
import {
  GENERATED_PREFIX,
  generateForNode,
  type PrefixSources,
  ROUTE_ADVERTISEMENTS_KEY,
} from "./generate.ts";
import { advertisedNetworks, advertisingNodes, Pending, readAdvertisement } from "./selection.ts";

const ROUTE_ADVERTISEMENTS = ovn("routeadvertisements");
/** Namespace of the default network's NetworkAttachmentDefinition. */
const OVN_NAMESPACE = "ovn-kubernetes";

type Names = "definitions" | "namespaces" | "nodes" | "nads" | "advertisements" | "egressIps";

export const routeAdvertisements = defineController({
  name: "routeadvertisements",
  summary: "FRRConfigurations of RouteAdvertisements, and whether these are accepted",
  fieldManager: "clustermanager-routeadvertisements-controller",
  isWanted: isNewest,
  workers: 1,
  memory: (kit: KitWith<Names>) => new RouteAdvertisements(kit),
  watches: {
    definitions: {
      ...FRR_DEFINITION,
      take: (change, { memory }) => memory.frr.takeDefinition(change),
      toKeys: () => [],
    },
    namespaces: {
      resource: NAMESPACES,
      on: ["add", "update"],
      facts: ({ metadata }) => metadata.labels,
      toKeys: (_, { advertisements }) => keysIn(advertisements),
    },
    nodes: {
      resource: NODES,
      facts: ({ metadata }) => [metadata.labels, metadata.annotations],
      toKeys: (_, { advertisements }) => keysIn(advertisements),
    },
    nads: {
      resource: NADS,
      facts: ({ metadata, spec }) => [metadata.labels, metadata.annotations, spec],
      toKeys: (_, { advertisements }) => keysIn(advertisements),
    },
    advertisements: { resource: ROUTE_ADVERTISEMENTS },
    // Watched on first use: a cluster can have very many, and most clusters do not advertise them.
    egressIps: {
      resource: ovn("egressips"),
      lazy: true,
      facts: ({ spec, status }) => [spec, status],
      toKeys: (_, { advertisements }) => keysIn(advertisements),
    },
  },
  prepare: ({ advertisements, nads }) => [
    ...keysIn(advertisements),
    ...[...nads.list()].flatMap(annotatedNames),
  ],
  reconcile: (name, { memory }) => memory.reconcile(name),
  settle: ({ memory }) => memory.frr.caughtUp(),
});

class RouteAdvertisements {
  readonly #kit: KitWith<Names>;
  readonly #cluster: ReturnType<typeof readClusterNetworks>;
  readonly frr: ReturnType<typeof frrSource>;

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#cluster = readClusterNetworks(kit.settings);
    this.frr = frrSource(kit, ({ metadata }) =>
      kit.look([metadata.labels?.[ROUTE_ADVERTISEMENTS_KEY], ...keysIn(kit.advertisements)]),
    );
  }

  async reconcile(name: string): Promise<void> {
    const object = this.#kit.advertisements.get(name);
    if (!object) return this.#write(name);
    try {
      const { configurations, nads } = await this.#make(object);
      await this.#write(name, configurations, nads);
      await this.#report(object, undefined);
    } catch (error) {
      // Errors that the object does not cause are retried and not reported.
      if (!(error instanceof Complaint)) throw error;
      // A pending configuration removes generated objects; an invalid one leaves them.
      if (error instanceof Pending) await this.#write(name);
      await this.#report(object, error);
    }
  }

  /** The wanted FRRConfigurations, and the NetworkAttachmentDefinitions of the advertised networks. */
  async #make(object: KubeObject) {
    const advertisement = readAdvertisement(object);
    if (advertisement.egressIps && advertisement.targetVrf === "auto") {
      throw new Complaint("advertising EgressIP not supported with TargetVRF set to 'auto'");
    }
    if (advertisement.egressIps) await this.#kit.follow("egressIps");
    const nads = await this.#selectedNads(object);
    if (nads.length === 0) throw new Pending("no networks selected");
    const networks = advertisedNetworks(nads, advertisement, this.#cluster);
    const nodes = advertisingNodes(object, advertisement, this.#kit.nodes.list());
    const selector = selectorOf(specOf(object)["frrConfigurationSelector"]);
    const selected = this.frr.list().filter(({ metadata }) => selector.matches(metadata.labels));
    if (selected.length === 0) throw new Pending("no FRRConfigurations selected");
    const sources = selected
      .filter(({ metadata }) => !metadata.name?.startsWith(GENERATED_PREFIX))
      .sort(byName);
    const prefixSources = this.#prefixSources();
    const configurations = nodes.flatMap((node) => {
      const given = sources.filter((source) =>
        selectorOf(specOf(source)["nodeSelector"]).matches(node.metadata.labels),
      );
      return generateForNode(node, given, { advertisement, networks }, prefixSources);
    });
    return { configurations, nads };
  }

  async #selectedNads(object: KubeObject): Promise<KubeObject[]> {
    const found: KubeObject[] = [];
    for (const selector of networkSelectorsOf(object)) {
      const type = textAt(selector, "networkSelectionType");
      if (type === "DefaultNetwork") found.push(await this.#defaultNad());
      else if (type !== "ClusterUserDefinedNetworks") {
        throw new Complaint(`unsupported network selection type ${type}`);
      } else append(found, nadsOfSelectedClusterNetworks(selector, this.#kit));
    }
    return found;
  }

  /** Returns the NetworkAttachmentDefinition of the default network; creates it if it is missing. */
  async #defaultNad(): Promise<KubeObject> {
    const { client } = this.#kit;
    const namespace = OVN_NAMESPACE;
    const found = await ignoring([404], client.get(NADS, { namespace, name: DEFAULT_NETWORK }));
    if (found) return found;
    const config = `{"cniVersion": "0.4.0", "name": "ovn-kubernetes", "type": "${OVN_CNI_TYPE}"}`;
    const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    try {
      // A real cluster has the namespace of ovn-kubernetes; here it may have to be created.
      if (!this.#kit.namespaces.get(namespace)) await ignoring([409], client.create(NAMESPACES, own));
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
    for (const nad of this.#kit.nads.list()) {
      const conf = readNetConf(nad);
      if (conf && isPrimary(conf)) primary.set(nad.metadata.namespace ?? "", conf.name);
    }
    return {
      egressIps: [...this.#kit.egressIps.list()].sort(byName),
      namespaces: [...this.#kit.namespaces.list()],
      networkOf: ({ metadata }) =>
        Object.hasOwn(metadata.labels ?? {}, PRIMARY_LABEL)
          ? (primary.get(metadata.name ?? "") ?? "")
          : DEFAULT_NETWORK,
    };
  }

  async #write(
    name: string,
    configurations: readonly KubeObject[] = [],
    nads: readonly KubeObject[] = [],
  ): Promise<void> {
    const { client } = this.#kit;
    await writeConfigurations(client, configurations, await this.#writtenFor(name));
    const known = [...this.#kit.nads.list()];
    const fresh = nads.filter((nad) => !known.some(({ metadata }) => metadata.uid === nad.metadata.uid));
    await annotateNads(client, name, nads, [...known, ...fresh]);
  }

  /** Lists from the API: with a stale informer, generateName would create a second object for the same source. */
  async #writtenFor(name: string): Promise<KubeObject[]> {
    const { client } = this.#kit;
    const labelSelector = `${ROUTE_ADVERTISEMENTS_KEY}=${name}`;
    const list = await ignoring([404], client.list(FRR_CONFIGURATIONS, { labelSelector }));
    return [...(list?.items ?? [])].sort(byName);
  }

  async #report(object: KubeObject, complaint: Complaint | undefined): Promise<void> {
    const kind = complaint instanceof Pending ? "Pending" : "Error";
    const text = `configuration ${kind.toLowerCase()}: ${complaint?.message}`;
    const problem = complaint && { reason: `Configuration${kind}`, message: text };
    const observedGeneration = object.metadata.generation ?? 0;
    const condition = { ...conditionFor("Accepted", problem, ACCEPTED), observedGeneration };
    const status = problem ? `Not Accepted: ${text}` : "Accepted";
    const options = { force: false, status: { status } };
    await applyConditions(this.#kit, ROUTE_ADVERTISEMENTS, object, [condition], options);
  }
}

const ACCEPTED: Said = {
  reason: "Accepted",
  message:
    "ovn-kubernetes cluster-manager validated the resource and requested the necessary configuration changes",
};
