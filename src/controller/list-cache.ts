// Caches the last list of all objects of a kind, in each form: it is requested often, and writes are rarer. Unchanged
// objects are neither decoded nor looked up again. A list is cached while some caller still references its objects
// (WeakRef).
import { mapInSlices, unlike } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { ResourceView } from "../apiserver/registry/definition/resource-definition.ts";
import type { ObjectList } from "./client.ts";

interface Kept {
  readonly revision: number;
  readonly items: WeakRef<readonly KubeObject[]>;
}

/** The source of a list. */
interface Stored<Of> {
  readonly items: readonly Of[];
  readonly revision: number;
}

export class ListCache<Of> {
  readonly #kept = new WeakMap<ResourceView, Map<string, Kept>>();
  readonly #stored = new WeakMap<readonly KubeObject[], readonly Of[]>();

  /** The cached list at this revision; undefined: it must be built. */
  at(view: ResourceView, form: string, revision: number): ObjectList | undefined {
    const kept = this.#kept.get(view)?.get(form);
    const items = kept?.revision === revision ? kept.items.deref() : undefined;
    return items && { items, resourceVersion: String(revision) };
  }

  /** Builds the list of these items. If nothing of the kind has changed, it reuses the array of the previous list. */
  async make(
    view: ResourceView,
    form: string,
    { items: stored, revision }: Stored<Of>,
    seen: (stored: Of) => KubeObject,
  ): Promise<ObjectList> {
    const ofView = this.#kept.get(view) ?? new Map<string, Kept>();
    this.#kept.set(view, ofView);
    const items = await this.#after(ofView.get(form)?.items.deref(), stored, seen);
    this.#stored.set(items, stored);
    ofView.set(form, { revision, items: new WeakRef(items) });
    return { items, resourceVersion: String(revision) };
  }

  async #after(
    before: readonly KubeObject[] | undefined,
    stored: readonly Of[],
    seen: (stored: Of) => KubeObject,
  ): Promise<readonly KubeObject[]> {
    const storedBefore = before && this.#stored.get(before);
    if (!before || !storedBefore) return await mapInSlices(stored, seen);
    const { start, end } = unlike(storedBefore, stored);
    if (start === before.length && start === stored.length) return before;
    const changed = await mapInSlices(stored.slice(start, stored.length - end), seen);
    return before.slice(0, start).concat(changed, before.slice(before.length - end));
  }
}
