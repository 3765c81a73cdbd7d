// Cache of forms that can be rebuilt from stored values. A form is shared while any caller holds a reference to it.
// Beyond that the cache holds only the latest forms, bounded by the size of their values. So neither idle objects nor
// their history are kept decoded, which takes several times the memory of the bytes.
import type { KeyValue } from "../../../storage/store.ts";

/** Limit in bytes of the stored values whose forms the cache holds. */
export const HELD_BYTES_MAX = 16 * 1024 * 1024;

export class DecodedForms<Form extends object> {
  readonly #forms = new WeakMap<KeyValue, WeakRef<Form>>();
  /** Two generations, the newer first: the older one is evicted as a whole once the newer one is full. */
  #held: readonly [newer: Form[], older: Form[]] = [[], []];
  #newerBytes = 0;

  /** A form that is still referenced. */
  get(kv: KeyValue): Form | undefined {
    return this.#forms.get(kv)?.deref();
  }

  /** Shares the form with all callers by a weak reference; it is collected with the last strong one. */
  share(kv: KeyValue, form: Form): Form {
    this.#forms.set(kv, new WeakRef(form));
    return form;
  }

  /** As share, and the cache holds a strong reference for a while. */
  hold(kv: KeyValue, form: Form): Form {
    const { byteLength } = kv.value;
    if (this.#newerBytes + byteLength > HELD_BYTES_MAX / 2) {
      this.#held = [[], this.#held[0]];
      this.#newerBytes = 0;
    }
    this.#held[0].push(form);
    this.#newerBytes += byteLength;
    return this.share(kv, form);
  }
}
