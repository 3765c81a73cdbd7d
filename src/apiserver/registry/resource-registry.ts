// Registry of the served resources. CustomResourceDefinitions add and remove entries at run time. Readers get an
// immutable list whose identity changes with every change, so that derived values can be cached.

import type { Allowance } from "../../apimachinery/meta/field-error.ts";
import { groupedBy } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Workers } from "../../apimachinery/workers/job.ts";
import type { FencingToken, Store } from "../../storage/store.ts";
import type { AdmissionPlugin, DynamicAdmission } from "./admission.ts";
import type { AdmissionObserver } from "./admission-observer.ts";
import type { ResourceDefinition, ResourceView } from "./definition/resource-definition.ts";
import { apiVersionOf, storageView } from "./definition/view.ts";

/** Served versions of a group, and whether all of its kinds are custom ones. */
interface ServedGroup {
  readonly custom: boolean;
  readonly versions: ReadonlySet<string>;
}

interface Entry {
  readonly definition: ResourceDefinition;
  /** The served versions by name. */
  readonly views: ReadonlyMap<string, ResourceView>;
}

/** A change costs as much as the changed entries and the list; the indexes by kind and group are rebuilt on access. */
export class ResourceRegistry {
  #definitions: readonly ResourceDefinition[] = [];
  readonly #entries = new Map<string, Entry>();
  #lastFound: ResourceView | undefined;
  #byKind: ReadonlyMap<string, readonly ResourceDefinition[]> | undefined;
  #groups: ReadonlyMap<string, ServedGroup> | undefined;
  readonly #listeners = new Set<() => void>();

  /** All definitions in insertion order. */
  get definitions(): readonly ResourceDefinition[] {
    return this.#definitions;
  }

  /** Adds definitions, or replaces those of the same group and resource, in a single change. */
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
      // Each request looks its resource up twice, and the next one often the same.
      const { definition } = found;
      if (definition.resource === resource && found.version.name === version && definition.group === group) {
        return found;
      }
    }
    const view = this.#entries.get(nameOf(group, resource))?.views.get(version);
    if (view !== undefined) this.#lastFound = view;
    return view;
  }

  /** The served version of a kind by apiVersion and kind. */
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

  /** The resource in its storage version, served or not. */
  findStorage(group: string, resource: string): ResourceView | undefined {
    const entry = this.#entries.get(nameOf(group, resource));
    return entry && storageView(entry.definition);
  }

  /** Properties of a group: whether it has built-in kinds, and its served versions. */
  group(name: string): ServedGroup | undefined {
    this.#groups ??= groupsOf(this.#definitions);
    return this.#groups.get(name);
  }

  /** Calls the listener after each change; returns the function that unsubscribes it. */
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

/** Size of an object as protobuf, in bytes; undefined for kinds without a message. */
export type MessageLength = (object: Readonly<KubeObject>) => number | undefined;

/** Dependencies of reads and writes, built once at startup. */
export interface RegistryDeps {
  readonly store: Store;
  /** After it aborts, writes are rejected with its reason; left out: it never aborts. */
  readonly over?: AbortSignal;
  /** Fencing token that each commit verifies; left out or undefined: none. */
  readonly fencingToken?: (() => FencingToken | undefined) | undefined;
  readonly resources: ResourceRegistry;
  readonly admission: readonly AdmissionPlugin[];
  /** Policies and webhooks; left out: there are none. */
  readonly dynamicAdmission?: DynamicAdmission;
  /** Left out: admission reports nothing. */
  readonly observer?: AdmissionObserver | undefined;
  /** Worker threads for checks that would block the event loop; left out: everything runs in the main thread. */
  readonly workers?: Workers;
  /** Size of built-in objects in upstream's stored form; left out: the size of their JSON. */
  readonly messageLength?: MessageLength;
  /** Request size limit of etcd (--max-request-bytes); left out: etcd's default. */
  readonly requestBytesMax?: number;
  /** Restrictions that this server lifts; left out: none. */
  readonly allowed?: readonly Allowance[];
}
