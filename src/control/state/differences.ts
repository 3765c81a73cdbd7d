// From the state that there is to the one that is wanted, as operations of the store. Whoever watches is told of each
// object what happened to it: what is too much is DELETED, what is missing is ADDED, what differs is MODIFIED. An
// object that was deleted and made anew under its name has another uid; no server ever shows that as MODIFIED, so it
// goes at one revision and the wanted one comes at the next.
import { inSlices } from "../../meta/lists.ts";
import { uidOf } from "../../registry/codec/object-codec.ts";
import type { KeyValue, TxnOp } from "../../storage/store.ts";

/** How many objects (and other keys) a change concerns. One that is replaced is deleted and created. */
export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface Differences {
  /** One or two commits, or none when nothing differs. */
  readonly commits: readonly (readonly TxnOp[])[];
  readonly counts: Counts;
}

/** Works in slices: neither state may change meanwhile. */
export async function differences(
  present: Iterable<KeyValue>,
  wanted: ReadonlyMap<string, KeyValue>,
): Promise<Differences> {
  const replaced: TxnOp[] = [];
  const deletes: TxnOp[] = [];
  const updates: TxnOp[] = [];
  const creates: TxnOp[] = [];
  const kept = new Set<string>();
  await inSlices(present, (kv) => {
    const { key, modRevision: ifModRevision } = kv;
    const target = wanted.get(key);
    if (target === undefined) deletes.push({ type: "delete", key, ifModRevision });
    else if (isSameObject(kv, target)) {
      kept.add(key);
      if (!hasSameValue(kv, target))
        updates.push({ type: "update", key, value: target.value, ifModRevision });
    } else replaced.push({ type: "delete", key, ifModRevision });
  });
  await inSlices(wanted.values(), ({ key, value }) => {
    if (!kept.has(key)) creates.push({ type: "create", key, value });
  });
  return {
    commits: [replaced, [...deletes, ...updates, ...creates]].filter((ops) => ops.length > 0),
    counts: {
      created: creates.length,
      updated: updates.length,
      deleted: deletes.length + replaced.length,
    },
  };
}

/** What was restored before has its old uid, though the key was created anew. */
const isSameObject = (a: KeyValue, b: KeyValue): boolean =>
  a.createRevision === b.createRevision || uidOf(a) === uidOf(b);

const hasSameValue = (a: KeyValue, b: KeyValue): boolean =>
  a.value === b.value || Buffer.compare(a.value, b.value) === 0;
