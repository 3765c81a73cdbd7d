// The world of the agents, from informers.
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Change, KitWith } from "../kit/definition.ts";
import { type PrimaryNetwork, primaryNetworkOf } from "../status-manager/primary-network.ts";
import type { ZoneWorld } from "./zone-world.ts";

type Informers = KitWith<"nodes" | "namespaces" | "pods" | "attachments" | "AdminPolicyBasedExternalRoute">;

export class InformerWorld implements ZoneWorld {
  readonly #informers: Informers;
  readonly #pods = new NamespaceIndex();
  readonly #attachments = new NamespaceIndex();

  constructor(informers: Informers) {
    this.#informers = informers;
  }

  takePod(change: Change): void {
    this.#pods.take(change);
  }

  takeAttachment(change: Change): void {
    this.#attachments.take(change);
  }

  nodes(selector: LabelSelector): readonly KubeObject[] {
    return select(this.#informers.nodes.list(), selector);
  }

  hasNamespace(name: string): boolean {
    return this.#informers.namespaces.get(name) !== undefined;
  }

  namespaces(selector: LabelSelector): readonly KubeObject[] {
    return select(this.#informers.namespaces.list(), selector);
  }

  pods(namespace: string, selector: LabelSelector): readonly KubeObject[] {
    return select(this.#pods.list(namespace), selector);
  }

  attachments(namespace: string | undefined, selector: LabelSelector): readonly KubeObject[] {
    const { attachments } = this.#informers;
    return select(namespace === undefined ? attachments.list() : this.#attachments.list(namespace), selector);
  }

  primaryNetwork(namespace: string): PrimaryNetwork {
    return primaryNetworkOf(this.#informers.namespaces.get(namespace), this.#attachments.list(namespace));
  }

  externalRoutes(): readonly KubeObject[] {
    return [...this.#informers.AdminPolicyBasedExternalRoute.list()];
  }
}

function select(objects: Iterable<KubeObject>, selector: LabelSelector): KubeObject[] {
  const found = [...objects].filter(({ metadata }) => selector.matches(metadata.labels));
  return found.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

const pathOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** The objects of an informer by namespace. */
class NamespaceIndex {
  readonly #objects = new Map<string, Map<string, KubeObject>>();

  take({ type, object }: Change): void {
    const { namespace = "", name = "" } = object.metadata;
    const objects = this.#objects.get(namespace) ?? new Map<string, KubeObject>();
    if (type === "delete") objects.delete(name);
    else objects.set(name, object);
    if (objects.size === 0) this.#objects.delete(namespace);
    else this.#objects.set(namespace, objects);
  }

  list(namespace: string): Iterable<KubeObject> {
    return this.#objects.get(namespace)?.values() ?? [];
  }
}
