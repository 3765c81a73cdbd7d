// Owners that imported objects name, but that were not imported. Their deletion was never observed, so their dependents
// are not garbage-collected. The list is in the store, beside the objects, and is as persistent as they are.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { OwnerReference } from "../../apimachinery/meta/object-meta.ts";
import { type KeyValueReader, type KeyValueWriter, prefixRange, type TxnOp } from "../../storage/store.ts";

/** No key of a resource has this prefix. */
const PREFIX = "/egret/absent-owners/";
const RANGE = prefixRange(PREFIX);

/** Maximum number of operations per commit. */
const COMMIT_MAX = 500;

export class AbsentOwners {
  readonly #store: KeyValueReader & KeyValueWriter;

  constructor(store: KeyValueReader & KeyValueWriter) {
    this.#store = store;
  }

  readonly has = (uid: string): boolean => this.#store.get(PREFIX + uid) !== undefined;

  /** Adds absent owners, and removes those that have since been imported. */
  async note(owners: Iterable<OwnerReference>, come: Iterable<string>): Promise<void> {
    const ops = new Map<string, TxnOp>();
    await inSlices(owners, ({ apiVersion, kind, name, uid }) => {
      if (this.has(uid)) return;
      const [key, value] = [PREFIX + uid, Buffer.from(JSON.stringify({ apiVersion, kind, name }))];
      ops.set(key, { type: "create", key, value });
    });
    if (this.#store.count(RANGE) > 0) {
      await inSlices(come, (uid) => {
        const known = this.#store.get(PREFIX + uid);
        if (known === undefined) return;
        ops.set(known.key, { type: "delete", key: known.key, ifModRevision: known.modRevision });
      });
    }
    const all = [...ops.values()];
    for (let start = 0; start < all.length; start += COMMIT_MAX)
      await this.#store.commit(all.slice(start, start + COMMIT_MAX));
  }
}
