// Plays the agents on the nodes for the kinds whose rules they put into force: every node is a zone, and says in its
// own name what it makes of each object. Nothing is put into force; the outcome is that of the checks.
import type { ClientFactory, ResourceName } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import { equalJson, isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import {
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  NETWORK_QOS,
  type ZonedKind,
} from "../status-manager/zoned-kinds.ts";
import { selectsNodes } from "./egress-firewall.ts";
import { InformerWorld } from "./informer-world.ts";
import { reportOn } from "./zone-report.ts";

const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
const NAME = "zones";
const ATTACHMENTS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};

export interface ZonesDeps extends ControllerDeps {
  /** Every zone writes in its own name. */
  readonly clientFor: ClientFactory;
  /** Whether a node takes part in a primary network; all do unless something else is known. */
  readonly hasNetwork?: (node: string, network: string) => boolean;
  /** Names in firewalls are resolved by DNSNameResolver objects. */
  readonly dnsNameResolver?: boolean;
}

export function createZonesController(deps: ZonesDeps): Controller {
  return new ZonesController(deps).loop;
}

class ZonesController {
  readonly loop: ReconcileLoop;
  readonly #deps: ZonesDeps;
  readonly #nodes: Informer;
  readonly #namespaces: Informer;
  readonly #pods: Informer;
  readonly #attachments: Informer;
  readonly #objects: ReadonlyMap<ZonedKind, Informer>;
  readonly #world: InformerWorld;

  constructor(deps: ZonesDeps) {
    this.#deps = deps;
    const informer = (resource: ResourceName) => informerFor(deps, NAME, resource);
    this.#nodes = informer(core("nodes"));
    this.#namespaces = informer(core("namespaces"));
    this.#pods = informer(core("pods"));
    this.#attachments = informer(ATTACHMENTS);
    const externalRoutes = informer(EXTERNAL_ROUTE.resource);
    this.#objects = new Map([
      ...[EGRESS_FIREWALL, EGRESS_QOS, NETWORK_QOS].map((kind) => [kind, informer(kind.resource)] as const),
      [EXTERNAL_ROUTE, externalRoutes],
    ]);
    const clusterInformers = {
      nodes: this.#nodes,
      namespaces: this.#namespaces,
      pods: this.#pods,
      attachments: this.#attachments,
    };
    this.#world = new InformerWorld({ ...clusterInformers, externalRoutes });
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [...Object.values(clusterInformers), ...this.#objects.values()],
      reconcile: (key) => this.#reconcile(key, this.loop.signal),
    });
    this.#followCluster();
    this.#followObjects();
  }

  #followCluster(): void {
    this.#nodes.addHandlers({
      add: () => this.#lookAt(),
      update: (old, node) => {
        const { labels, annotations } = old.metadata;
        if (equalJson([labels, annotations], [node.metadata.labels, node.metadata.annotations])) return;
        this.#lookAt((kind, object) => kind === EGRESS_FIREWALL && selectsNodes(object));
      },
      delete: () => this.#lookAt((kind, object) => kind === EGRESS_FIREWALL && selectsNodes(object)),
    });
    const ofNamespace = (name: string | undefined): void =>
      this.#lookAt(
        (kind, { metadata }) =>
          kind === EXTERNAL_ROUTE ||
          kind === NETWORK_QOS ||
          (kind === EGRESS_FIREWALL && metadata.namespace === name),
      );
    this.#namespaces.addHandlers({
      add: ({ metadata }) => ofNamespace(metadata.name),
      update: (old, { metadata }) => {
        if (!equalJson(old.metadata.labels, metadata.labels)) ofNamespace(metadata.name);
      },
      delete: ({ metadata }) => ofNamespace(metadata.name),
    });
    const ofGateways = (): void =>
      this.#lookAt((kind, object) => kind === EXTERNAL_ROUTE && selectsPods(object));
    this.#pods.addHandlers({ add: ofGateways, update: ofGateways, delete: ofGateways });
    const ofNetworks = ({ metadata }: KubeObject): void =>
      this.#lookAt(
        (kind, object) =>
          kind === NETWORK_QOS ||
          (kind === EGRESS_FIREWALL && object.metadata.namespace === metadata.namespace),
      );
    this.#attachments.addHandlers({
      add: ofNetworks,
      update: (_old, object) => ofNetworks(object),
      delete: ofNetworks,
    });
  }

  #followObjects(): void {
    for (const [kind, informer] of this.#objects) {
      if (kind === EXTERNAL_ROUTE) {
        // Which of two has a namespace depends on both, but not on what zones report.
        const all = (): void => this.#lookAt((other) => other === EXTERNAL_ROUTE);
        informer.addHandlers({
          add: all,
          update: (old, object) => (isSameAsked(old, object) ? this.#add(kind, object) : all()),
          delete: all,
        });
      } else {
        informer.addHandlers({
          add: (object) => this.#add(kind, object),
          update: (_old, object) => this.#add(kind, object),
        });
      }
    }
  }

  #lookAt(concerned: (kind: ZonedKind, object: KubeObject) => boolean = () => true): void {
    for (const [kind, informer] of this.#objects) {
      for (const object of informer.list()) if (concerned(kind, object)) this.#add(kind, object);
    }
  }

  #add({ kind }: ZonedKind, { metadata }: KubeObject): void {
    this.loop.queue.add(
      `${kind}:${keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" })}`,
    );
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const [kind, informer] =
      [...this.#objects].find(([candidate]) => key.startsWith(`${candidate.kind}:`)) ?? [];
    const object = kind && informer?.get(key.slice(kind.kind.length + 1));
    if (!kind || !object) return;
    const { clock, dnsNameResolver = false } = this.#deps;
    const report = reportOn(kind.kind, object, this.#world, { dnsNameResolver });
    if (!report) return;
    for (const zone of this.#zonesOf(kind, object)) {
      const status = report(zone, clock.now());
      // A node that has gone in the meantime says nothing any more.
      if (status && this.#nodes.get(zone) && !signal.aborted) await this.#apply(zone, kind, object, status);
    }
  }

  /** The nodes that have the object's network, by name. */
  #zonesOf({ perNetwork }: ZonedKind, { metadata }: KubeObject): string[] {
    const zones = [...this.#nodes.list()].map((node) => node.metadata.name ?? "").sort();
    const { hasNetwork } = this.#deps;
    const primary = perNetwork ? this.#world.primaryNetwork(metadata.namespace ?? "") : undefined;
    if (!hasNetwork || primary?.type !== "own") return zones;
    return zones.filter((zone) => hasNetwork(zone, primary.network));
  }

  async #apply(zone: string, { kind, resource }: ZonedKind, { metadata }: KubeObject, status: unknown) {
    const { namespace = "", name = "" } = metadata;
    const apiVersion = `${resource.group}/${resource.version}`;
    const body = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, status };
    try {
      await this.#deps
        .clientFor(zone)
        .patch(resource, { namespace, name }, { type: "apply", subresource: "status", force: true, body });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
}

function selectsPods({ spec }: KubeObject): boolean {
  const dynamic = objectAt(isObject(spec) ? spec : undefined, "nextHops")?.["dynamic"];
  return Array.isArray(dynamic) && dynamic.length > 0;
}

const isSameAsked = (old: KubeObject, object: KubeObject): boolean =>
  old.metadata.generation === object.metadata.generation &&
  old.metadata.deletionTimestamp === object.metadata.deletionTimestamp;
