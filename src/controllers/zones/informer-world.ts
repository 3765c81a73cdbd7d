// The world of the agents, from informers.
import type { Informer } from "../../client/informer.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type PrimaryNetwork, primaryNetworkOf } from "../status-manager/primary-network.ts";
import type { ZoneWorld } from "./zone-world.ts";

export interface WorldInformers {
  readonly nodes: Informer;
  readonly namespaces: Informer;
  readonly pods: Informer;
  readonly attachments: Informer;
  readonly externalRoutes: Informer;
}

export class InformerWorld implements ZoneWorld {
  readonly #informers: WorldInformers;
  readonly #pods = new NamespaceIndex();
  readonly #attachments = new NamespaceIndex();

  constructor(informers: WorldInformers) {
    this.#informers = informers;
    this.#pods.follow(informers.pods);
    this.#attachments.follow(informers.attachments);
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
    return [...this.#informers.externalRoutes.list()];
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

  follow(informer: Informer): void {
    const set = (object: KubeObject): void => {
      const { namespace = "", name = "" } = object.metadata;
      const objects = this.#objects.get(namespace);
      if (objects) objects.set(name, object);
      else this.#objects.set(namespace, new Map([[name, object]]));
    };
    informer.addHandlers({
      add: set,
      update: (_old, object) => set(object),
      delete: ({ metadata }) => {
        const objects = this.#objects.get(metadata.namespace ?? "");
        objects?.delete(metadata.name ?? "");
        if (objects?.size === 0) this.#objects.delete(metadata.namespace ?? "");
      },
    });
  }

  list(namespace: string): Iterable<KubeObject> {
    return this.#objects.get(namespace)?.values() ?? [];
  }
}
