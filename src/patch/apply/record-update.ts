// A write that is no apply: what it set belongs to its manager and to nobody else, what it took away to nobody.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { contains, EMPTY, type FieldSet, isEmpty, setOfPaths, union } from "./fields/field-set.ts";
import { identityOf, type ManagedEntries, type Manager, type Operation } from "./managed-entries.ts";
import { Change, followSchemas, giveUpChanged, type TypeAt, withoutMetadata } from "./manager-changes.ts";
import { limitUpdateManagers } from "./manager-limit.ts";
import { writtenFields } from "./typed/compare.ts";
import type { TypeNode } from "./typed/type-forms.ts";
import { typeOfKind } from "./typed/type-node.ts";

/** Who writes, through which endpoint of which kind. */
export interface Writer {
  /** The schema of the kind at the version of the request. */
  readonly node: SchemaNode;
  /** The schema of the kind at any version; left out when there is only one. */
  readonly nodeFor?: ((apiVersion: string) => SchemaNode | undefined) | undefined;
  readonly apiVersion: string;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** The time of the write, RFC 3339 in UTC with whole seconds. */
  readonly nowText: string;
  /** So much is written that others get their turn between the steps. */
  readonly isLarge?: boolean | undefined;
  /** Paths of fields that this endpoint does not change, whatever the request says. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

export const typeOfWrite = ({ node }: Writer): TypeNode => typeOfKind(node);

export function typesOfWrite({ node, nodeFor, apiVersion }: Writer): TypeAt {
  return (version) => {
    const found = version === apiVersion ? node : nodeFor?.(version);
    return found && typeOfKind(found);
  };
}

const ignoredSets = new WeakMap<readonly (readonly string[])[], FieldSet>();

/** The resetFields as a set. */
export function ignoredFields({ resetFields }: Writer): FieldSet {
  if (resetFields === undefined) return EMPTY;
  let set = ignoredSets.get(resetFields);
  if (set === undefined) {
    set = setOfPaths(resetFields.map((path) => path.map((name) => ({ type: "field", name }))));
    ignoredSets.set(resetFields, set);
  }
  return set;
}

export function managerOf({ manager, apiVersion, subresource }: Writer, operation: Operation): Manager {
  return { name: manager || "unknown", operation, apiVersion, subresource: subresource ?? "" };
}

/** A change as the writer's endpoint makes it. Throws ListItemError for lists whose items cannot be told apart. */
export function changeBy(writer: Writer, live: Readonly<KubeObject>, next: unknown): Change {
  const { apiVersion } = writer;
  return new Change(live, next, { apiVersion, typeAt: typesOfWrite(writer), ignored: ignoredFields(writer) });
}

/** The entries after the write. Throws ListItemError, too. */
export function recordUpdate(entries: ManagedEntries, change: Change, writer: Writer): ManagedEntries {
  const kept = giveUpWritten(entries, change, writer);
  takeFields(kept, entries, change, writer);
  return limitUpdateManagers(kept);
}

/** The entries without what the write has changed. */
export const giveUpWritten = (entries: ManagedEntries, change: Change, writer: Writer): ManagedEntries =>
  giveUpChanged(followSchemas(entries, typesOfWrite(writer)), change);

/** Gives the written fields to the writer, and its entry the time of the write. `before` are the entries before it. */
export function takeFields(
  kept: ManagedEntries,
  before: ManagedEntries,
  change: Change,
  writer: Writer,
): void {
  const own = change.at(writer.apiVersion);
  const written = own === undefined ? EMPTY : withoutMetadata(writtenFields(own));
  if (isEmpty(written)) return;
  const manager = managerOf(writer, "Update");
  const identity = identityOf(manager);
  const rest = kept.get(identity)?.fields ?? EMPTY;
  const fields = union(rest, written);
  const previous = before.get(identity);
  // Most writes change the value of what their manager owns already: then the encoded set can stay as it is.
  const unchanged =
    previous?.encoded !== undefined && contains(fields, previous.fields) && contains(previous.fields, fields);
  kept.set(identity, {
    ...manager,
    fields,
    time: writer.nowText,
    encoded: unchanged ? { ...previous.encoded, time: writer.nowText } : undefined,
  });
}
