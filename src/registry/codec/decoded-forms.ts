// Forms of stored values that can be made again. Whoever holds one shares it with all who ask meanwhile; beyond that only the
// latest ones are held, by their size. So neither an object at rest nor its history is in memory a second time, as a tree of
// values that takes several times the room of its bytes.
import type { KeyValue } from "../../storage/store.ts";

/** What the values behind the forms that are held take together, stored. */
export const HELD_BYTES_MAX = 16 * 1024 * 1024;

export class DecodedForms<Form extends object> {
  readonly #forms = new WeakMap<KeyValue, WeakRef<Form>>();
  /** In two shares, the newer first: the older one goes as a whole once the newer one is full. */
  #held: readonly [newer: Form[], older: Form[]] = [[], []];
  #newerBytes = 0;

  /** What somebody still holds. */
  get(kv: KeyValue): Form | undefined {
    return this.#forms.get(kv)?.deref();
  }

  /** From now on it is given to all who ask; it goes when nobody holds it. */
  share(kv: KeyValue, form: Form): Form {
    this.#forms.set(kv, new WeakRef(form));
    return form;
  }

  /** As share, and it is held for a while. */
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
