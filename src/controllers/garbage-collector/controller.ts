// The garbage collector: deletes what all owners have left, and sees deletions through that wait for dependents.
// owner-graph.ts gathers whom a change concerns, collect.ts decides; here both are joined to the API.

import { LoopController } from "../kit/loop-controller.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { errorText } from "../runtime/logging/logger.ts";
import type { ResourceCatalog } from "../runtime/resource-catalog.ts";
import { collect } from "./collect.ts";
import { invalidNamespace } from "./invalid-namespace.ts";
import { OwnerGraph } from "./owner-graph.ts";
import { ResourceMonitors } from "./resource-monitors.ts";

const EVENT_COMPONENT = "garbage-collector-controller";
const RETRY_FIRST_MS = 20;

export function createGarbageCollector(deps: ControllerDeps): Controller {
  const { catalog } = deps;
  if (!catalog) throw new Error("the garbage collector needs to know which resources are served");
  return new GarbageCollector(deps, catalog);
}

class GarbageCollector extends LoopController {
  readonly name = "garbage-collector";
  readonly #deps: ControllerDeps;
  readonly #graph: OwnerGraph;
  readonly #monitors: ResourceMonitors;
  protected readonly loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  /** Before that, all that is looked at was there at the start. */
  #synced = false;

  constructor(deps: ControllerDeps, catalog: ResourceCatalog) {
    super();
    this.#deps = deps;
    const { client, clock, log } = deps;
    this.loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [],
      reconcile: (uid) => this.#reconcile(uid),
      settle: () => this.#settled(),
      retry: { firstMs: RETRY_FIRST_MS, attemptsMax: Number.POSITIVE_INFINITY },
    });
    const { queue, signal } = this.loop;
    this.#graph = new OwnerGraph((uid) => queue.add(uid));
    this.#recorder = new EventRecorder({ client, clock, log, component: EVENT_COMPONENT, signal });
    this.#monitors = new ResourceMonitors({
      client,
      clock,
      catalog,
      graph: this.#graph,
      onError: ({ resource }, error) =>
        log.warn("informer failed; trying again", {
          controller: this.name,
          resource,
          error: errorText(error),
        }),
    });
  }

  override async start(signal: AbortSignal): Promise<void> {
    this.#monitors.start(this.loop.signal);
    await this.loop.start(signal);
    await this.#monitors.synced();
    this.loop.noteFirstLooks();
    this.#synced = true;
  }

  #reconcile(uid: string): Promise<void> {
    this.#report(uid);
    return collect(
      { client: this.#deps.client, log: this.#deps.log, graph: this.#graph, resources: this.#monitors },
      uid,
    );
  }

  #report(uid: string): void {
    const node = this.#graph.get(uid);
    const occurrence = node && invalidNamespace(this.#graph, node);
    const atStart = !this.#synced || this.loop.isFirstLook(uid);
    if (occurrence) this.#recorder.record(occurrence, { atStart });
  }

  async #settled(): Promise<void> {
    await this.#monitors.caughtUp();
    await this.#recorder.flushed();
  }
}
