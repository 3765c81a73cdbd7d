// What an agent on a node sees of the cluster beside the object that it has to put into force, from informers. Lists are
// sorted by name, so that what is complained of first does not depend on chance.
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keyOfObject } from "../kit/api.ts";
import type { KitWith } from "../kit/definition.ts";
import { indexBy, namespaceOf } from "../kit/nested-map.ts";
import { lacksNetwork } from "./status-manager.ts";

type Informers = KitWith<"nodes" | "namespaces" | "pods" | "attachments" | "AdminPolicyBasedExternalRoute">;

export class ZoneWorld {
  readonly #informers: Informers;
  readonly #pods: ReturnType<typeof indexBy>;
  readonly #attachments: ReturnType<typeof indexBy>;

  constructor(informers: Informers) {
    this.#informers = informers;
    this.#pods = indexBy(informers.pods, namespaceOf);
    this.#attachments = indexBy(informers.attachments, namespaceOf);
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
    return select(this.#pods.of(namespace).values(), selector);
  }

  /** NetworkAttachmentDefinitions of the namespace, or of all. */
  attachments(namespace: string | undefined, selector: LabelSelector): readonly KubeObject[] {
    const all = this.#informers.attachments;
    return select(namespace === undefined ? all.list() : this.#attachments.of(namespace).values(), selector);
  }

  lacksNetwork(namespace: string): boolean {
    return lacksNetwork(this.#informers.namespaces.get(namespace), this.#attachments.of(namespace).values());
  }

  externalRoutes(): readonly KubeObject[] {
    return [...this.#informers.AdminPolicyBasedExternalRoute.list()];
  }
}

function select(objects: Iterable<KubeObject>, selector: LabelSelector): KubeObject[] {
  const found = [...objects].filter(({ metadata }) => selector.matches(metadata.labels));
  return found.sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1));
}
