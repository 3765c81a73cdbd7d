// Who writes, and what a write changes. Which fields changed is asked per version, since every entry of managedFields is
// read with the schema of its own version.
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { normaliseBuiltIn } from "../../schema/normalise.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { EMPTY, type FieldSet, setOfFields } from "./fields/field-set.ts";
import type { Manager, Operation } from "./managed-entries.ts";
import { type Comparison, compareValues, isSame, SAME, withoutFields } from "./typed/compare.ts";
import { type TypeNode, typeOfKind } from "./typed/type-node.ts";

/** Who writes, through which endpoint of which kind. */
export interface Writer {
  /** The schema of the kind at the version of the request. */
  readonly node: SchemaNode;
  /** The schema of the kind at any version; left out when there is only one. */
  readonly nodeFor?: ((apiVersion: string) => SchemaNode | undefined) | undefined;
  readonly apiVersion: string;
  /** The objects at other versions, where it takes more than another apiVersion to convert them. */
  readonly converted?: ReadonlyMap<string, ConvertedWrite> | undefined;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** The time of the write, RFC 3339 in UTC with whole seconds. */
  readonly nowText: string;
  /** So much is written that others get their turn between the steps. */
  readonly isLarge?: boolean | undefined;
  /** Paths of fields that this endpoint does not change, whatever the request says. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/** A write as a version sees it. */
export interface ConvertedWrite {
  /** undefined: there is no object yet. */
  readonly live: Readonly<KubeObject> | undefined;
  readonly next: Readonly<KubeObject>;
}

/** The type of the kind at a version; undefined when there is no such version (any more). */
export function typeAt({ node, nodeFor, apiVersion }: Writer, version = apiVersion): TypeNode | undefined {
  const found = version === apiVersion ? node : nodeFor?.(version);
  return found && typeOfKind(found);
}

const ignoredSets = new WeakMap<readonly (readonly string[])[], FieldSet>();

/** The resetFields as a set. */
export function ignoredFields({ resetFields }: Writer): FieldSet {
  if (resetFields === undefined) return EMPTY;
  let set = ignoredSets.get(resetFields);
  if (set === undefined) {
    set = setOfFields(resetFields);
    ignoredSets.set(resetFields, set);
  }
  return set;
}

export function managerOf({ manager, apiVersion, subresource }: Writer, operation: Operation): Manager {
  return { name: manager || "unknown", operation, apiVersion, subresource: subresource ?? "" };
}

/** The change from one object to another as each version sees it. */
export class Change {
  readonly #writer: Writer;
  readonly #live: Readonly<KubeObject>;
  readonly #next: unknown;
  readonly #byVersion = new Map<string, Comparison | undefined>();

  /** No field that can be owned differs, seen at the version of the request. */
  readonly nothing: boolean;

  /** As the writer's endpoint makes it. Throws ListItemError for lists whose items cannot be told apart. */
  constructor(writer: Writer, live: Readonly<KubeObject>, next: unknown) {
    this.#writer = writer;
    this.#live = live;
    this.#next = next;
    const { apiVersion } = writer;
    const own = this.at(apiVersion) ?? SAME;
    this.nothing = isSame(own);
    this.#byVersion.set(apiVersion, withoutFields(own, ignoredFields(writer)));
  }

  /** undefined for a version that does not exist. */
  at(apiVersion: string): Comparison | undefined {
    if (this.#byVersion.has(apiVersion)) return this.#byVersion.get(apiVersion);
    const type = typeAt(this.#writer, apiVersion);
    const { live = this.#live, next = this.#next } = this.#writer.converted?.get(apiVersion) ?? {};
    const comparison = type && compareValues(type, live, next);
    this.#byVersion.set(apiVersion, comparison);
    return comparison;
  }
}

const empties = new WeakMap<SchemaNode, KubeObject>();

/**
 * The object that a creation changes; shared, and not to be changed. A custom resource is made from nothing; a built-in
 * kind is made from a Go struct, whose members are there before anybody sets them, and are not owned for being there.
 */
export function emptyLive(node: SchemaNode): Readonly<KubeObject> {
  let empty = empties.get(node);
  if (empty === undefined) {
    const struct: JsonObject = {};
    if (node.goType !== undefined) normaliseBuiltIn(node, struct);
    empty = { ...struct, metadata: {} };
    empties.set(node, empty);
  }
  return empty;
}
