// The status manager: sums up in status.status what the zones report, and takes out the reports of zones that are gone.
// It looks at an object when its reports or the nodes change, so that a status.status written by somebody else stays
// until then.
import type { Client, ClientFactory, ResourceName } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { primaryNetworkOf } from "./primary-network.ts";
import { summarize } from "./summary.ts";
import { reportsOf, summaryOf, ZONED_KINDS, type ZonedKind } from "./zoned-kinds.ts";

const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
const NAMESPACES: ResourceName = { group: "", version: "v1", resource: "namespaces" };
const NAME = "status-manager";
const ATTACHMENTS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};

export const STATUS_MANAGER = "cluster-manager";

export interface StatusManagerDeps extends ControllerDeps {
  /** The report of a zone is taken out in the name of that zone. */
  readonly clientFor: ClientFactory;
  /** Whether a node takes part in a primary network; all do unless something else is known. */
  readonly hasNetwork?: (node: string, network: string) => boolean;
}

export function createStatusManager(deps: StatusManagerDeps): Controller {
  return new StatusManager(deps).loop;
}

class StatusManager {
  readonly loop: ReconcileLoop;
  readonly #deps: StatusManagerDeps;
  readonly #nodes: Informer;
  readonly #namespaces: Informer;
  readonly #attachments: Informer;
  /** By the kind's name. */
  readonly #objects: ReadonlyMap<string, { readonly kind: ZonedKind; readonly informer: Informer }>;

  constructor(deps: StatusManagerDeps) {
    this.#deps = deps;
    const informer = (resource: ResourceName) => informerFor(deps, NAME, resource);
    this.#nodes = informer(NODES);
    this.#namespaces = informer(NAMESPACES);
    this.#attachments = informer(ATTACHMENTS);
    this.#objects = new Map(
      ZONED_KINDS.map((kind) => [
        kind.kind,
        { kind, informer: informerFor(deps, NAME, kind.resource, { withoutManagedFields: false }) },
      ]),
    );
    const informers = [...this.#objects.values()].map(({ informer }) => informer);
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#nodes, this.#namespaces, this.#attachments, ...informers],
      reconcile: (key) => this.#reconcile(key),
    });
    this.#addHandlers();
  }

  #addHandlers(): void {
    this.#nodes.addHandlers({ add: () => this.#lookAtAll(), delete: () => this.#lookAtAll() });
    const changed = ({ metadata }: KubeObject): void => this.#lookAtNamespace(metadata.namespace ?? "");
    this.#attachments.addHandlers({
      add: changed,
      update: (_old, object) => changed(object),
      delete: changed,
    });
    this.#namespaces.addHandlers({
      add: ({ metadata }) => this.#lookAtNamespace(metadata.name ?? ""),
      update: (old, { metadata }) => {
        if (!equalJson(old.metadata.labels, metadata.labels)) this.#lookAtNamespace(metadata.name ?? "");
      },
    });
    for (const { kind, informer } of this.#objects.values()) {
      informer.addHandlers({
        add: (object) => this.#lookAt(kind, object),
        update: (old, object) => {
          if (!equalJson(reportsOf(kind, old), reportsOf(kind, object))) this.#lookAt(kind, object);
        },
      });
    }
  }

  #lookAtAll(): void {
    for (const { kind, informer } of this.#objects.values()) {
      for (const object of informer.list()) this.#lookAt(kind, object);
    }
  }

  #lookAtNamespace(namespace: string): void {
    for (const { kind, informer } of this.#objects.values()) {
      if (!kind.perNetwork) continue;
      for (const object of informer.list()) {
        if (object.metadata.namespace === namespace) this.#lookAt(kind, object);
      }
    }
  }

  #lookAt({ kind }: ZonedKind, { metadata }: KubeObject): void {
    this.loop.queue.add(
      `${kind}:${keyOf({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" })}`,
    );
  }

  async #reconcile(key: string): Promise<void> {
    const colon = key.indexOf(":");
    const found = this.#objects.get(key.slice(0, colon));
    const object = found?.informer.get(key.slice(colon + 1));
    if (!found || !object) return;
    await this.#settle(found.kind, object);
  }

  async #settle(kind: ZonedKind, object: KubeObject): Promise<void> {
    const zones = this.#zonesOf(kind, object);
    const summary = zones && summarize(kind, object, zones);
    if (!summary) return;
    if (summary.type === "stale") {
      for (const zone of summary.zones) {
        if (!ownsStatus(object, zone) || (await this.#isNew(zone))) continue;
        await this.#apply(this.#deps.clientFor(zone), kind, object, {});
      }
    } else if (summary.text !== summaryOf(object)) {
      const status = summary.text === "" ? {} : { status: summary.text };
      const written = await this.#apply(this.#deps.client, kind, object, { status });
      // A report may have come in before this was written, and nobody will come back to it for the sum alone.
      if (written && !equalJson(reportsOf(kind, object), reportsOf(kind, written)))
        await this.#settle(kind, written);
    }
  }

  /** The nodes that are to report; undefined while that cannot be told. */
  #zonesOf({ perNetwork }: ZonedKind, { metadata }: KubeObject): Set<string> | undefined {
    const zones = new Set([...this.#nodes.list()].map((node) => node.metadata.name ?? ""));
    if (!perNetwork) return zones;
    const attachments = [...this.#attachments.list()].filter(
      (attachment) => attachment.metadata.namespace === metadata.namespace,
    );
    const primary = primaryNetworkOf(this.#namespaces.get(metadata.namespace ?? ""), attachments);
    if (primary.type === "missing") return undefined;
    const { hasNetwork } = this.#deps;
    if (primary.type === "cluster" || !hasNetwork) return zones;
    return new Set([...zones].filter((zone) => hasNetwork(zone, primary.network)));
  }

  /** True for a node that has reported before word of it came here. */
  async #isNew(zone: string): Promise<boolean> {
    if (this.#nodes.get(zone)) return false;
    try {
      await this.#deps.client.get(NODES, { namespace: "", name: zone });
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return false;
      throw error;
    }
  }

  /** Applies to /status; what the manager had applied before and leaves out now is taken away. Undefined: it has gone. */
  async #apply(
    client: Client,
    { kind, resource }: ZonedKind,
    { metadata }: KubeObject,
    content: { readonly status?: unknown },
  ): Promise<KubeObject | undefined> {
    const { namespace = "", name = "" } = metadata;
    const apiVersion = `${resource.group}/${resource.version}`;
    const body = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, ...content };
    try {
      return await client.patch(
        resource,
        { namespace, name },
        { type: "apply", subresource: "status", force: true, body },
      );
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      return undefined;
    }
  }
}

/** True if the manager has applied anything to the status: otherwise an empty apply in its name changes nothing. */
function ownsStatus({ metadata }: KubeObject, manager: string): boolean {
  return (metadata.managedFields ?? []).some(
    (entry) => entry.manager === manager && entry.operation === "Apply" && entry.subresource === "status",
  );
}
