// Deletes the custom resources of a deleted CustomResourceDefinition. There is one run per CRD, however often it is
// started. It deletes the objects, waits until controllers remove their finalizers, then removes the CRD's cleanup
// finalizer.

import { inBatches } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import type { KeyRange, KeyValueReader, Watchable } from "../../storage/store.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { definitionFromCrd } from "../registry/custom-resource.ts";
import type { RequestContext } from "../registry/definition/request-context.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { collectionRange, storageView } from "../registry/definition/view.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import { CLEANUP_FINALIZER, isEstablished, setTerminating, withoutCleanup } from "./conditions.ts";

/** Retry interval while objects with finalizers hold a CRD. */
const LOOK_AGAIN_MS = 250;

export interface CrdCleanupDeps {
  /** For reads; all writes go through `resources`. */
  readonly store: KeyValueReader & Watchable;
  readonly resources: ResourceStore;
  readonly context: RequestContext;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  /** False once the CRD is removed, or is no longer marked for deletion because an earlier state was restored. */
  isBeingDeleted(crd: Readonly<KubeObject>): boolean;
  /** Writes the status and the finalizers of a CRD. */
  writeStatus(crd: Readonly<KubeObject>, change: (next: KubeObject) => void): Promise<void>;
}

export class CrdCleanup {
  readonly #deps: CrdCleanupDeps;
  /** UIDs of the CRDs whose objects are being deleted. */
  readonly #running = new Set<string>();

  constructor(deps: CrdCleanupDeps) {
    this.#deps = deps;
  }

  /** Starts the cleanup unless it is running or done. */
  begin(crd: Readonly<KubeObject>): void {
    const { uid = "", finalizers = [] } = crd.metadata;
    if (!finalizers.includes(CLEANUP_FINALIZER) || this.#running.has(uid)) return;
    this.#running.add(uid);
    void this.#run(crd).finally(() => this.#running.delete(uid));
  }

  async #run(crd: Readonly<KubeObject>): Promise<void> {
    const { context, signal, onError } = this.#deps;
    while (!signal.aborted) {
      try {
        await this.#cleanUp(crd);
        return;
      } catch (error) {
        if (signal.aborted || isGone(error)) return;
        onError(error);
        await context.clock.sleep(LOOK_AGAIN_MS, signal).catch(() => {});
      }
    }
  }

  async #cleanUp(crd: Readonly<KubeObject>): Promise<void> {
    const { context, writeStatus, isBeingDeleted } = this.#deps;
    if (!isBeingDeleted(crd)) return;
    const established = isEstablished(crd);
    if (established) {
      await writeStatus(crd, (next) => setTerminating(next, "inProgress", context.clock.now()));
      await this.#deleteObjects(storageView(definitionFromCrd(crd)), () => isBeingDeleted(crd));
    }
    if (!isBeingDeleted(crd)) return;
    await writeStatus(crd, (next) => {
      setTerminating(next, established ? "completed" : "neverEstablished", context.clock.now());
      withoutCleanup(next);
    });
  }

  async #deleteObjects(view: ResourceView, isWanted: () => boolean): Promise<void> {
    const { store, resources, context } = this.#deps;
    const range = collectionRange(view.definition, "");
    for (;;) {
      await inBatches(store.list(range).items, async (kv) => {
        const { name = "", namespace = "", deletionTimestamp } = decodeStored(kv).metadata;
        if (deletionTimestamp !== undefined || !isWanted()) return;
        await resources.delete({ view, namespace, name }, {}, context).catch((error: unknown) => {
          if (!isGone(error)) throw error;
        });
      });
      if (store.count(range) === 0 || !isWanted()) return;
      await this.#changeOf(range);
    }
  }

  /** Resolves when an object changes, or after LOOK_AGAIN_MS: a restored state may no longer contain the objects. */
  async #changeOf(range: KeyRange): Promise<void> {
    const { store, context, signal } = this.#deps;
    const over = new AbortController();
    const watch = store.watch(range, { after: store.revision });
    try {
      const pause = context.clock.sleep(LOOK_AGAIN_MS, AbortSignal.any([signal, over.signal]));
      await Promise.race([watch.next(), pause]);
    } finally {
      watch.close();
      over.abort();
    }
  }
}

/** True also when a CRD of the same name and another uid exists. */
const isGone = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 404 || error.code === 409);
