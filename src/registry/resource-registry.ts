// Which resources are served now. CustomResourceDefinitions add and remove entries at run time; readers take the
// list as it stands, and its identity changes with every change, so that whatever is derived from it can be cached.

import type { KubeObject } from "../meta/object-meta.ts";
import type { Guard, Store } from "../storage/store.ts";
import type { Workers } from "../workers/job.ts";
import type { AdmissionPlugin, DynamicAdmission } from "./admission.ts";
import type { ResourceDefinition, ResourceView } from "./definition/resource-definition.ts";
import { apiVersionOf, storageView } from "./definition/view.ts";

export class ResourceRegistry {
  #definitions: readonly ResourceDefinition[] = [];
  #views = new Map<string, ResourceView>();
  #lastFound: ResourceView | undefined;
  #groups = new Map<string, { custom: boolean; versions: Set<string> }>();
  readonly #listeners = new Set<() => void>();

  /** All definitions, in the order in which they were added. */
  get definitions(): readonly ResourceDefinition[] {
    return this.#definitions;
  }

  /** Adds definitions, or puts them in the place of those with the same group and resource. */
  set(...definitions: readonly ResourceDefinition[]): void {
    const next = new Map(this.#definitions.map((definition) => [nameOf(definition), definition]));
    for (const definition of definitions) next.set(nameOf(definition), definition);
    this.#replace([...next.values()]);
  }

  remove(group: string, resource: string): void {
    this.#replace(this.#definitions.filter((item) => item.group !== group || item.resource !== resource));
  }

  /** The served version of a resource that a URL names. */
  find(group: string, version: string, resource: string): ResourceView | undefined {
    const found = this.#lastFound;
    if (found !== undefined) {
      // Each request asks twice, and the next one often for the same.
      const { definition } = found;
      if (definition.resource === resource && found.version.name === version && definition.group === group) {
        return found;
      }
    }
    const view = this.#views.get(`${group}/${version}/${resource}`);
    if (view !== undefined) this.#lastFound = view;
    return view;
  }

  /** The served version of a kind, as an object names it. */
  findByKind(apiVersion: string, kind: string): ResourceView | undefined {
    for (const definition of this.#definitions) {
      if (definition.kind !== kind) continue;
      const version = definition.versions.find(
        (item) => item.served && apiVersionOf({ definition, version: item }) === apiVersion,
      );
      if (version) return { definition, version };
    }
    return undefined;
  }

  /** The resource in its storage version, whichever versions are served. */
  findStorage(group: string, resource: string): ResourceView | undefined {
    const definition = this.#definitions.find((item) => item.group === group && item.resource === resource);
    return definition && storageView(definition);
  }

  /** What is known of a group: whether it has built-in kinds, and which versions are served. */
  group(name: string): { readonly custom: boolean; readonly versions: ReadonlySet<string> } | undefined {
    return this.#groups.get(name);
  }

  /** Calls back after each change; returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #replace(definitions: readonly ResourceDefinition[]): void {
    this.#definitions = definitions;
    this.#views = new Map();
    this.#lastFound = undefined;
    this.#groups = new Map();
    for (const definition of definitions) {
      for (const version of definition.versions) {
        if (!version.served) continue;
        this.#views.set(`${definition.group}/${version.name}/${definition.resource}`, {
          definition,
          version,
        });
        const group = this.#groups.get(definition.group) ?? { custom: true, versions: new Set<string>() };
        group.versions.add(version.name);
        if (!definition.custom) group.custom = false;
        this.#groups.set(definition.group, group);
      }
    }
    for (const listener of this.#listeners) listener();
  }
}

function nameOf({ group, resource }: ResourceDefinition): string {
  return `${group}/${resource}`;
}

/** Bytes of an object as protobuf; undefined for kinds that have no message. */
export type MessageLength = (object: Readonly<KubeObject>) => number | undefined;

/** What the reads and writes of objects work with. Made once, by the server that puts the rooms together. */
export interface RegistryDeps {
  readonly store: Store;
  /** Once it has aborted nothing is written any more, with its reason; left out: that never happens. */
  readonly over?: AbortSignal;
  /** What must hold for all that is written; left out, and undefined: nothing. */
  readonly guard?: (() => Guard | undefined) | undefined;
  readonly resources: ResourceRegistry;
  readonly admission: readonly AdmissionPlugin[];
  /** Policies and webhooks; left out: there are none. */
  readonly dynamicAdmission?: DynamicAdmission;
  /** Does what would hold the server's thread for too long; left out: that thread does it all. */
  readonly workers?: Workers;
  /** How long built-in objects are in the form that a real server stores; left out: as long as their JSON. */
  readonly messageLength?: MessageLength;
  /** As much as etcd would take; left out: what it takes when nobody tells it otherwise. */
  readonly requestBytesMax?: number;
}
