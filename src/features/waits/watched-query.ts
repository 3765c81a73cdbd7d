// The target of a wait: one object, or the objects of a kind. It applies the store's changes one revision at a time, so
// a condition over several kinds only sees states that existed.
import { compileFields, parseFieldSelector } from "../../apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import { decodeInVersion, prepareVersions } from "../../apiserver/registry/codec/versions.ts";
import { collectionRange, objectKey, singleKeyRange } from "../../apiserver/registry/definition/view.ts";
import {
  checkFieldsSelectable,
  matchesStored,
  type Selection,
} from "../../apiserver/registry/read/selection.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import type { KeyRange, KeyValue, KeyValueReader, StoreEvent } from "../../storage/store.ts";
import type { ObjectQuestion } from "../control-surface/caller.ts";
import { closedObject, text, type ValueOf } from "../control-surface/control-route.ts";
import { viewOfKind } from "../control-surface/kinds.ts";

export const QUERY = closedObject(
  {
    kind: text("apiVersion and kind: v1/ConfigMap, k8s.ovn.org/v1/EgressIP"),
    name: text("One object; left out: all that the rest selects."),
    namespace: text("Left out: default for one object, all namespaces for a list."),
    labelSelector: text(),
    fieldSelector: text(),
  },
  ["kind"],
);
export type WaitQuery = ValueOf<typeof QUERY>;

/** The variable of a condition for a single unnamed query. */
export const soleName = ({ name }: WaitQuery): string => (name === undefined ? "objects" : "object");

/** A selected object that was created, changed or deleted. */
export interface ObjectChange {
  readonly before: Readonly<KubeObject> | undefined;
  readonly after: Readonly<KubeObject> | undefined;
}

/** The target in the API. Without a name it is a list. */
export type WatchTarget = Required<Omit<ObjectQuestion, "verb">>;

export class WatchedQuery {
  readonly target: WatchTarget;
  readonly #range: KeyRange;
  readonly #selection: Selection;
  readonly #objects = new Map<string, KeyValue>();
  #sorted: readonly KubeObject[] | undefined;

  /** Throws a 400 for a target that cannot be watched. */
  constructor(registry: ResourceRegistry, query: WaitQuery) {
    const view = viewOfKind(registry, query.kind);
    const { definition } = view;
    const { review, action, observe } = definition;
    if (review !== undefined || action !== undefined || observe !== undefined) {
      throw badRequest(`objects of ${query.kind} are never kept, so nothing can be waited for`);
    }
    const { name = "", namespace = query.name === undefined ? "" : "default" } = query;
    this.target = { view, namespace: definition.namespaceScoped ? namespace : "", name };
    this.#range = rangeOf(this.target, query);
    const labels = query.labelSelector ? parseLabelSelector(query.labelSelector) : undefined;
    const fields = query.fieldSelector ? parseFieldSelector(query.fieldSelector) : [];
    checkFieldsSelectable(view, fields);
    this.#selection = { labels, fields: compileFields(fields) };
  }

  /** The stored objects now; take() makes them the state. */
  read(store: KeyValueReader): readonly KeyValue[] {
    return store.list(this.#range).items;
  }

  async take(items: readonly KeyValue[]): Promise<void> {
    await prepareVersions(this.target.view, items);
    this.#objects.clear();
    for (const kv of items) if (this.#selects(kv)) this.#objects.set(kv.key, kv);
    this.#sorted = undefined;
  }

  /** Converts the objects of the events to the query's version, where a conversion webhook is needed. */
  async prepare(events: readonly StoreEvent[]): Promise<void> {
    const mine = events.flatMap((event) =>
      event.type === "put" && this.#holds(event.kv.key) ? [event.kv] : [],
    );
    if (mine.length > 0) await prepareVersions(this.target.view, mine);
  }

  /** Applies an event; undefined when it does not concern this query. */
  see(event: StoreEvent): ObjectChange | undefined {
    const key = event.type === "put" ? event.kv.key : event.key;
    if (!this.#holds(key)) return undefined;
    const known = this.#objects.get(key);
    const next = event.type === "put" && this.#selects(event.kv) ? event.kv : undefined;
    if (next === undefined && known === undefined) return undefined;
    if (next === undefined) this.#objects.delete(key);
    else this.#objects.set(key, next);
    this.#sorted = undefined;
    return { before: known && this.#decode(known), after: next && this.#decode(next) };
  }

  /** The object or null; for a list, the objects in list order. Shared: not to be changed. */
  value(): KubeObject | null | readonly KubeObject[] {
    this.#sorted ??= [...this.#objects.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, kv]) => this.#decode(kv));
    return this.target.name !== "" ? (this.#sorted[0] ?? null) : this.#sorted;
  }

  #holds(key: string): boolean {
    return key >= this.#range.from && key < this.#range.to;
  }

  #selects(kv: KeyValue): boolean {
    return matchesStored(this.target.view, this.#selection, kv);
  }

  #decode(kv: KeyValue): Readonly<KubeObject> {
    return decodeInVersion(this.target.view, kv);
  }
}

/** Throws a 400. */
function rangeOf({ view: { definition }, namespace, name }: WatchTarget, query: WaitQuery): KeyRange {
  const { namespaceScoped, kind } = definition;
  if (!namespaceScoped && query.namespace) throw badRequest(`${kind} is cluster-scoped and has no namespace`);
  if (query.name === "") throw badRequest("the name is empty; leave it out to look at all objects");
  return name === ""
    ? collectionRange(definition, namespace)
    : singleKeyRange(objectKey(definition, namespace, name));
}
