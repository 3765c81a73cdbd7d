// Which resources are served now. CustomResourceDefinitions add and remove entries at run time; readers take the
// list as it stands, and its identity changes with every change, so that whatever is derived from it can be cached.

import type { Allowance } from "../meta/field-error.ts";
import { groupedBy } from "../meta/lists.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Guard, Store } from "../storage/store.ts";
import type { Workers } from "../workers/job.ts";
import type { AdmissionPlugin, DynamicAdmission } from "./admission.ts";
import type { AdmissionObserver } from "./admission-observer.ts";
import type { ResourceDefinition, ResourceView } from "./definition/resource-definition.ts";
import { apiVersionOf, storageView } from "./definition/view.ts";

/** What is served of a group: whether all of its kinds are custom ones, and which versions there are. */
interface ServedGroup {
  readonly custom: boolean;
  readonly versions: ReadonlySet<string>;
}

interface Entry {
  readonly definition: ResourceDefinition;
  /** The served versions, by their names. */
  readonly views: ReadonlyMap<string, ResourceView>;
}

/** A change costs as much as what it changes, and the list; what is found by kind or group is sorted when it is asked for. */
export class ResourceRegistry {
  #definitions: readonly ResourceDefinition[] = [];
  readonly #entries = new Map<string, Entry>();
  #lastFound: ResourceView | undefined;
  #byKind: ReadonlyMap<string, readonly ResourceDefinition[]> | undefined;
  #groups: ReadonlyMap<string, ServedGroup> | undefined;
  readonly #listeners = new Set<() => void>();

  /** All definitions, in the order in which they were added. */
  get definitions(): readonly ResourceDefinition[] {
    return this.#definitions;
  }

  /** Adds definitions, or puts them in the place of those with the same group and resource. One change, however many. */
  set(...definitions: readonly ResourceDefinition[]): void {
    this.setAll(definitions);
  }

  /** The same for a list, which may be long. */
  setAll(definitions: readonly ResourceDefinition[]): void {
    for (const definition of definitions) {
      this.#entries.set(nameOf(definition.group, definition.resource), entryOf(definition));
    }
    this.#changed();
  }

  remove(group: string, resource: string): void {
    this.#entries.delete(nameOf(group, resource));
    this.#changed();
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
    const view = this.#entries.get(nameOf(group, resource))?.views.get(version);
    if (view !== undefined) this.#lastFound = view;
    return view;
  }

  /** The served version of a kind, as an object names it. */
  findByKind(apiVersion: string, kind: string): ResourceView | undefined {
    this.#byKind ??= groupedBy(this.#definitions, (definition) => definition.kind);
    for (const definition of this.#byKind.get(kind) ?? []) {
      const version = definition.versions.find(
        (item) => item.served && apiVersionOf({ definition, version: item }) === apiVersion,
      );
      if (version) return { definition, version };
    }
    return undefined;
  }

  /** The resource in its storage version, whichever versions are served. */
  findStorage(group: string, resource: string): ResourceView | undefined {
    const entry = this.#entries.get(nameOf(group, resource));
    return entry && storageView(entry.definition);
  }

  /** What is known of a group: whether it has built-in kinds, and which versions are served. */
  group(name: string): ServedGroup | undefined {
    this.#groups ??= groupsOf(this.#definitions);
    return this.#groups.get(name);
  }

  /** Calls back after each change; returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#definitions = Array.from(this.#entries.values(), ({ definition }) => definition);
    this.#lastFound = undefined;
    this.#byKind = undefined;
    this.#groups = undefined;
    for (const listener of this.#listeners) listener();
  }
}

const nameOf = (group: string, resource: string): string => `${group}/${resource}`;

function entryOf(definition: ResourceDefinition): Entry {
  const served = definition.versions.filter((version) => version.served);
  return { definition, views: new Map(served.map((version) => [version.name, { definition, version }])) };
}

function groupsOf(definitions: readonly ResourceDefinition[]): ReadonlyMap<string, ServedGroup> {
  const groups = new Map<string, { custom: boolean; versions: Set<string> }>();
  for (const definition of definitions) {
    for (const version of definition.versions) {
      if (!version.served) continue;
      const group = groups.get(definition.group) ?? { custom: true, versions: new Set<string>() };
      group.versions.add(version.name);
      if (!definition.custom) group.custom = false;
      groups.set(definition.group, group);
    }
  }
  return groups;
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
  /** Left out: admission reports nothing. */
  readonly observer?: AdmissionObserver | undefined;
  /** Does what would hold the server's thread for too long; left out: that thread does it all. */
  readonly workers?: Workers;
  /** How long built-in objects are in the form that a real server stores; left out: as long as their JSON. */
  readonly messageLength?: MessageLength;
  /** As much as etcd would take; left out: what it takes when nobody tells it otherwise. */
  readonly requestBytesMax?: number;
  /** What this server does not forbid; left out: nothing. */
  readonly allowed?: readonly Allowance[];
}
