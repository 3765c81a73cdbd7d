// Who wrote, by what managedFields say: the entries that are new or have another time than before. A write of the same
// manager within the same second leaves them as they are; then it is those who own what has changed.
import { isObject } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import type { FieldChange } from "./field-changes.ts";
import { ownsField } from "./owned-path.ts";

export interface Writer {
  readonly manager: string;
  readonly operation: string;
  /** Left out: the object itself was written. */
  readonly subresource?: string;
}

export interface Written {
  readonly by: readonly Writer[];
  /** RFC 3339; undefined when nothing says it. */
  readonly time: string | undefined;
}

export function writersOf(
  before: Readonly<KubeObject> | undefined,
  after: Readonly<KubeObject>,
  changes: readonly FieldChange[],
): Written {
  const known = new Map(entriesOf(before).map((entry) => [identityOf(entry), entry]));
  const entries = entriesOf(after);
  const fresh = entries.filter((entry) => {
    const old = known.get(identityOf(entry));
    return old === undefined || old.time !== entry.time;
  });
  const owners = () =>
    [...entries, ...entriesOf(before)].filter(
      ({ fieldsV1 }) => isObject(fieldsV1) && changes.some(({ path }) => ownsField(fieldsV1, path)),
    );
  const writers = fresh.length > 0 ? fresh : owners();
  const times = writers.flatMap(({ time }) => time ?? []).sort();
  return { by: distinct(writers), time: times.at(-1) };
}

const entriesOf = (object: Readonly<KubeObject> | undefined): readonly ManagedFieldsEntry[] =>
  object?.metadata.managedFields ?? [];

const identityOf = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

function distinct(entries: readonly ManagedFieldsEntry[]): Writer[] {
  const writers = new Map<string, Writer>();
  for (const { manager = "", operation = "", subresource } of entries) {
    const writer = { manager, operation, ...(subresource ? { subresource } : {}) };
    writers.set(JSON.stringify(writer), writer);
  }
  return [...writers.values()];
}
