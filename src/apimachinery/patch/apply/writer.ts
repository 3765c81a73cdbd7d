// Writer and changed fields of a write. The comparison is computed per version, since each managedFields entry is
// evaluated with the schema of its own version.
import type { JsonObject } from "../../json/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { normaliseBuiltIn } from "../../schema/normalise.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { EMPTY, type FieldSet, setOfFields } from "./fields/field-set.ts";
import type { Manager, Operation } from "./managed-entries.ts";
import { type Comparison, compareValues, isSame, SAME, withoutFields } from "./typed/compare.ts";
import { type TypeNode, typeOfKind } from "./typed/type-node.ts";

/** Field manager and endpoint of a write. */
export interface Writer {
  /** Schema of the kind at the version of the request. */
  readonly node: SchemaNode;
  /** Schema of the kind at any version; left out when there is only one. */
  readonly nodeFor?: ((apiVersion: string) => SchemaNode | undefined) | undefined;
  readonly apiVersion: string;
  /** Objects converted to other versions, where versions differ in more than apiVersion. */
  readonly converted?: ReadonlyMap<string, ConvertedWrite> | undefined;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** Time of the write, RFC 3339 in UTC with whole seconds. */
  readonly nowText: string;
  /** The write is large, so its steps yield to the event loop between them. */
  readonly isLarge?: boolean | undefined;
  /** Paths of fields that this endpoint resets, whatever the request has. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/** A write converted to another version. */
export interface ConvertedWrite {
  /** undefined: the write creates the object. */
  readonly live: Readonly<KubeObject> | undefined;
  readonly next: Readonly<KubeObject>;
}

/** Type of the kind at a version; undefined when the version does not exist (any more). */
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

/** Comparison of two objects at each version. */
export class Change {
  readonly #writer: Writer;
  readonly #live: Readonly<KubeObject>;
  readonly #next: unknown;
  readonly #byVersion = new Map<string, Comparison | undefined>();

  /** No field that can be owned differs, at the version of the request. */
  readonly nothing: boolean;

  /** Compares at the writer's version. Throws ListItemError for lists whose items have no unique keys. */
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
 * The object that a create is compared with; shared, and must not be changed. A custom resource starts empty. A built-in
 * kind starts as a Go struct, whose zero-valued members are not owned.
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
