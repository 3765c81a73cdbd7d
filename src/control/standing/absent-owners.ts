// Owners that objects named when they were imported, and that did not come with them. Nobody has seen them go: what they own
// is not collected because of them. It is kept in the store, beside the objects, so that it lasts as long as they do.
import { inSlices } from "../../meta/lists.ts";
import type { OwnerReference } from "../../meta/object-meta.ts";
import { prefixRange, type Store, type TxnOp } from "../../storage/store.ts";

/** No key of a resource begins so. */
const PREFIX = "/egret/absent-owners/";
const RANGE = prefixRange(PREFIX);

/** So many go in one commit. */
const COMMIT_MAX = 500;

export class AbsentOwners {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  readonly has = (uid: string): boolean => this.#store.get(PREFIX + uid) !== undefined;

  /** Adds owners, and forgets those that have come. */
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
