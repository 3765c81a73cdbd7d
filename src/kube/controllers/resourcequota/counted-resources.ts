// The informers of the resources that quotas limit, which report deletions and usage changes. The quotas determine the
// resources; the catalog adds and removes them.

import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { resourcesWith, type ServedResource } from "../../../controller/api.ts";
import { informerFor } from "../../../controller/define-controller.ts";
import type { Kit } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
import { isSame } from "../../quota/amounts.ts";
import { type Evaluator, evaluatorFor } from "../../quota/evaluators.ts";

export interface Counted {
  readonly resource: ServedResource;
  readonly evaluator: Evaluator;
}

interface Followed extends Counted {
  readonly informer: Informer;
  readonly abort: AbortController;
}

const VERBS = ["create", "delete", "list", "watch"];

const nameOf = ({ group, resource }: ServedResource): string => `${group}/${resource}`;

export class CountedResources {
  readonly #kit: Kit;
  readonly #onFreed: (namespace: string) => void;
  readonly #followed = new Map<string, Followed>();
  #served: readonly Counted[] = [];

  constructor(kit: Kit, onFreed: (namespace: string) => void) {
    this.#kit = kit;
    this.#onFreed = onFreed;
  }

  /** Runs until the signal aborts. Calls onChange when the set of served resources changes. */
  start(signal: AbortSignal, onChange: () => void): void {
    const { catalog } = this.#kit;
    if (!catalog || signal.aborted) return;
    this.#align();
    const stop = catalog.onChange(() => {
      this.#align();
      onChange();
    });
    const end = (): void => {
      stop();
      for (const { abort } of this.#followed.values()) abort.abort();
    };
    signal.addEventListener("abort", end, { once: true });
  }

  /** The resources whose objects count against any of the names. Starts their informers. */
  follow(names: readonly string[]): readonly Counted[] {
    const counted = this.#served.filter(({ evaluator }) => names.some((name) => evaluator.isCounted(name)));
    for (const entry of counted) this.#follow(entry);
    return counted;
  }

  /** Resolves once the informers reflect all objects in the API. */
  async caughtUp(): Promise<void> {
    for (const { informer, abort } of [...this.#followed.values()])
      if (!abort.signal.aborted) await informer.caughtUp();
  }

  #align(): void {
    const { catalog } = this.#kit;
    const resources = catalog ? resourcesWith(catalog, VERBS).filter(({ namespaced }) => namespaced) : [];
    this.#served = resources.flatMap((resource) => {
      const evaluator = evaluatorFor(resource);
      return evaluator ? [{ resource, evaluator }] : [];
    });
    for (const [name, { resource, abort }] of this.#followed) {
      const isServed = resources.some(
        (other) => nameOf(other) === name && other.version === resource.version,
      );
      if (isServed) continue;
      abort.abort();
      this.#followed.delete(name);
    }
  }

  #follow({ resource, evaluator }: Counted): void {
    if (this.#followed.has(nameOf(resource))) return;
    const abort = new AbortController();
    const informer = informerFor(this.#kit, resource, {}, () => abort.signal.aborted);
    const free = ({ metadata }: KubeObject): void => this.#onFreed(metadata.namespace ?? "");
    informer.addHandlers({
      update: (old, object) => {
        const nowMs = this.#kit.clock.now();
        if (!isSame(evaluator.usageOf(old, nowMs), evaluator.usageOf(object, nowMs))) free(object);
      },
      delete: free,
    });
    informer.start(abort.signal);
    this.#followed.set(nameOf(resource), { resource, evaluator, informer, abort });
  }
}
