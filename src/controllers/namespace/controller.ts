// The namespace controller: a namespace that was deleted is emptied and, once nothing is left in it, let go by taking
// "kubernetes" out of spec.finalizers. What is done is in terminate.ts; here it is joined to the API.
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { LoopController } from "../kit/loop-controller.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { type ResourceCatalog, resourcesWith } from "../runtime/resource-catalog.ts";
import type { Leftover } from "./content.ts";
import { LeftoversWatch } from "./leftovers-watch.ts";
import { isTerminating, NAMESPACES, terminate } from "./terminate.ts";

const VERBS = ["delete", "list", "watch"];
const RETRY_FIRST_MS = 20;
/**
 * How long a deleted namespace is left alone, so that writers and watchers see it terminate before it is gone. The real
 * controller waits 5 s for API servers that do not know of it yet; there is one here, so a moment is enough.
 */
export const DELETION_GRACE_MS = 200;
/** What is left in a namespace is looked at after that time even if no watch has told of a change. */
const LOOK_AGAIN_MS = 15_000;

export function createNamespaceController(deps: ControllerDeps): Controller {
  const { catalog } = deps;
  if (!catalog) throw new Error("the namespace controller needs to know which resources are served");
  return new NamespaceController(deps, catalog);
}

class NamespaceController extends LoopController {
  readonly name = "namespace";
  readonly #deps: ControllerDeps;
  readonly #catalog: ResourceCatalog;
  readonly #namespaces: Informer;
  protected readonly loop: ReconcileLoop;
  /** Namespaces that wait for something in them to go. */
  readonly #waiting = new Map<string, LeftoversWatch>();

  constructor(deps: ControllerDeps, catalog: ResourceCatalog) {
    super();
    this.#deps = deps;
    this.#catalog = catalog;
    this.#namespaces = informerFor(deps, this.name, NAMESPACES);
    this.loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [this.#namespaces],
      reconcile: (name) => this.#reconcile(name),
      retry: { firstMs: RETRY_FIRST_MS, attemptsMax: Number.POSITIVE_INFINITY },
    });
    this.#namespaces.addHandlers({
      add: (namespace) => this.#take(namespace),
      update: (old, namespace) => {
        if (!isTerminating(old)) this.#take(namespace, DELETION_GRACE_MS);
      },
      delete: ({ metadata }) => this.loop.queue.add(metadata.name ?? ""),
    });
  }

  override async start(signal: AbortSignal): Promise<void> {
    const ended = this.loop.signal;
    const stop = this.#catalog.onChange(() => this.#lookAtAll());
    ended.addEventListener("abort", () => this.#endWaiting(stop), { once: true });
    await this.loop.start(signal);
  }

  #take(namespace: KubeObject, delayMs = 0): void {
    if (isTerminating(namespace)) this.loop.queue.addAfter(namespace.metadata.name ?? "", delayMs);
  }

  /** With a resource more or less there may be other content. */
  #lookAtAll(): void {
    for (const namespace of this.#namespaces.list()) this.#take(namespace);
  }

  async #reconcile(name: string): Promise<void> {
    this.#stopWaiting(name);
    const namespace = this.#namespaces.get(name);
    if (!namespace || !isTerminating(namespace)) return;
    const { client, clock } = this.#deps;
    const resources = resourcesWith(this.#catalog, VERBS).filter(({ namespaced }) => namespaced);
    const { leftovers, errors } = await terminate({ client, resources, nowMs: clock.now() }, namespace);
    // Whatever went wrong, what is left may go by itself, before it is time to try again.
    if (leftovers.length > 0 && !this.loop.signal.aborted) this.#waitFor(name, leftovers);
    if (errors.length > 0) throw new Error(errors.join(", "));
  }

  #waitFor(namespace: string, leftovers: readonly Leftover[]): void {
    const { queue } = this.loop;
    queue.addAfter(namespace, LOOK_AGAIN_MS);
    const onChange = (): void => queue.add(namespace);
    const watch = new LeftoversWatch({ client: this.#deps.client, namespace, leftovers, onChange });
    this.#waiting.set(namespace, watch);
  }

  #stopWaiting(namespace: string): void {
    this.#waiting.get(namespace)?.close();
    this.#waiting.delete(namespace);
  }

  #endWaiting(stopListening: () => void): void {
    stopListening();
    for (const namespace of [...this.#waiting.keys()]) this.#stopWaiting(namespace);
  }
}
