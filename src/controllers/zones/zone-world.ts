// What an agent on a node sees of the cluster beside the object that it has to put into force, from informers. Lists are
// sorted by name, so that what is complained of first does not depend on chance.
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keyOfObject } from "../kit/api.ts";
import type { Change, KitWith } from "../kit/definition.ts";
import { NestedMap } from "../kit/nested-map.ts";
import { type PrimaryNetwork, primaryNetworkOf } from "../status-manager/zoned-kinds.ts";

type Informers = KitWith<"nodes" | "namespaces" | "pods" | "attachments" | "AdminPolicyBasedExternalRoute">;

export class ZoneWorld {
  readonly #informers: Informers;
  /** By namespace and name. */
  readonly #indices = { pods: new NestedMap<KubeObject>(), attachments: new NestedMap<KubeObject>() };

  constructor(informers: Informers) {
    this.#informers = informers;
  }

  take(what: "pods" | "attachments", { type, object }: Change): void {
    const { namespace = "", name = "" } = object.metadata;
    if (type === "delete") this.#indices[what].delete(namespace, name);
    else this.#indices[what].set(namespace, name, object);
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
    return select(this.#indices.pods.of(namespace).values(), selector);
  }

  /** NetworkAttachmentDefinitions of the namespace, or of all. */
  attachments(namespace: string | undefined, selector: LabelSelector): readonly KubeObject[] {
    const { attachments } = this.#informers;
    const found =
      namespace === undefined ? attachments.list() : this.#indices.attachments.of(namespace).values();
    return select(found, selector);
  }

  primaryNetwork(namespace: string): PrimaryNetwork {
    const there = this.#indices.attachments.of(namespace).values();
    return primaryNetworkOf(this.#informers.namespaces.get(namespace), there);
  }

  externalRoutes(): readonly KubeObject[] {
    return [...this.#informers.AdminPolicyBasedExternalRoute.list()];
  }
}

function select(objects: Iterable<KubeObject>, selector: LabelSelector): KubeObject[] {
  const found = [...objects].filter(({ metadata }) => selector.matches(metadata.labels));
  return found.sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1));
}
