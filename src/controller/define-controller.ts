// defineController: the parts that every controller shares. These are informers, a work queue with workers, retries
// with backoff, the event recorder, and the time from which changes are enqueued. Each `create` returns a new instance;
// its memory is rebuilt from the existing objects.

import { equalJson } from "../apimachinery/json/json.ts";
import { keyOfObject } from "./api.ts";
import type { ClientListOptions, ResourceName } from "./client.ts";
import type {
  Change,
  ControllerDeps,
  DefinedController,
  Definition,
  Keys,
  Kit,
  KitWith,
  RetryOptions,
  Running,
  Watch,
  World,
} from "./definition.ts";
import { EventRecorder } from "./event-recorder.ts";
import { Informer } from "./informer.ts";
import { Causes, errorText } from "./logging.ts";
import { type ControllerSettings, DEFAULT_SETTINGS } from "./settings.ts";
import { runWorkers, WorkQueue } from "./work-queue.ts";

const WORKERS = 16;
const RETRY: Required<RetryOptions> = { firstMs: 1_000, maxMs: 60_000, attemptsMax: 15 };

export function defineController<N extends string, M = undefined>(
  definition: Definition<N, M>,
): DefinedController<M> {
  return {
    ...definition,
    needs: (settings) => watchedBy(definition, settings),
    create: (deps) => new Life(definition, deps),
  };
}

interface Followed {
  readonly resource: ResourceName;
  isWanted?(settings: ControllerSettings): boolean;
}

const watchedBy = (
  { watches }: { readonly watches: Readonly<Record<string, Followed>> },
  settings: ControllerSettings,
): ResourceName[] =>
  Object.values(watches)
    .filter((watch) => watch.isWanted?.(settings) ?? true)
    .map(({ resource }) => resource);

/** One instance of a controller, from start to stop. */
class Life<N extends string, M> implements Running<M> {
  readonly name: string;
  readonly memory: M;
  readonly #definition: Definition<N, M>;
  readonly #deps: ControllerDeps;
  readonly #retry: Required<RetryOptions>;
  readonly #queue: WorkQueue;
  /** Set only if decisions are logged (log level debug). */
  readonly #causes: Causes | undefined;
  readonly #recorder: EventRecorder;
  readonly #informers = new Map<N, Informer>();
  /** The informers that run. A lazy informer runs from the first `follow` on. */
  readonly #followed = new Set<Informer>();
  readonly #world: World<N, M>;
  readonly #abort = new AbortController();
  /** Keys that were enqueued by the start and have not been reconciled since. */
  readonly #first = new Set<string>();
  /** Changes enqueue keys. */
  #works: boolean;
  /** True until `started` has resolved: all findings until then count as found by the start. */
  #starts: boolean;
  #working: Promise<void> = Promise.resolve();

  constructor(definition: Definition<N, M>, deps: ControllerDeps) {
    const { name, events = name } = definition;
    const { client, clock, log, settings = DEFAULT_SETTINGS } = deps;
    const { signal } = this.#abort;
    this.name = name;
    this.#definition = definition;
    this.#deps = deps;
    this.#works = definition.prepare === undefined;
    this.#starts = definition.started !== undefined;
    this.#retry = { ...RETRY, ...definition.retry };
    this.#causes = log.debug === undefined ? undefined : new Causes();
    const queue = new WorkQueue({
      clock,
      onAdd: this.#causes && ((key) => this.#causes?.note(key)),
      retryFirstMs: this.#retry.firstMs,
      retryMaxMs: this.#retry.maxMs,
    });
    this.#queue = queue;
    deps.onQueue?.(name, queue);
    const component = typeof events === "string" ? events : events(settings);
    this.#recorder = new EventRecorder({ client, clock, log, component, signal });
    for (const [key, watch] of this.#watches) {
      const informer = informerFor({ ...deps, name }, watch.resource, watch.list);
      this.#informers.set(key, informer);
      if (!watch.lazy && (watch.isWanted?.(settings) ?? true)) this.#followed.add(informer);
    }
    const kit: Kit = {
      clientFor: () => client,
      ...deps,
      settings,
      name,
      queue,
      signal,
      look: (keys) => this.#look(keys),
      recordEvent: (occurrence, key) =>
        this.#recorder.record(occurrence, { atStart: key !== undefined && kit.isFirstLook(key) }),
      isFirstLook: (key) => this.#starts || this.#first.has(key),
    };
    const copies = Object.fromEntries(this.#informers) as { [Name in N]: Informer }; // has an entry for each watch
    const kitWith = { ...kit, ...copies, follow: (key: N) => this.#follow(key) } as KitWith<N>; // the parts of KitWith
    this.memory = definition.memory?.(kitWith) as M; // without the function M is undefined
    this.#world = { ...kitWith, memory: this.memory };
    for (const [key, watch] of this.#watches) this.#listen(this.#informers.get(key), watch);
  }

  get activity(): number {
    return this.#queue.activity;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { start, prepare, started } = this.#definition;
    start?.(this.#world);
    if (signal.aborted) this.#end();
    else signal.addEventListener("abort", () => this.#end(), { once: true });
    for (const informer of this.#followed) informer.start(this.#abort.signal);
    for (const informer of this.#followed) await informer.synced();
    if (this.#abort.signal.aborted) return;
    const keys = prepare?.(this.#world) ?? [];
    this.#works = true;
    this.#look(keys);
    this.#noteFirstLooks();
    this.#working = this.#work();
    if (!started) return;
    await started(this.#world);
    this.#noteFirstLooks();
    this.#starts = false;
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#working;
  }

  hold(): () => Promise<void> {
    this.#queue.hold();
    return async () => {
      await this.#caughtUp();
      this.#recorder.forget();
      this.#queue.release();
    };
  }

  async #caughtUp(): Promise<void> {
    for (const informer of this.#followed) await informer.caughtUp();
  }

  async idle(): Promise<void> {
    let before: number;
    do {
      before = this.activity;
      await this.#caughtUp();
      await this.#queue.idle();
      await this.#definition.settle?.(this.#world);
      await this.#recorder.flushed();
    } while (this.activity !== before && !this.#abort.signal.aborted);
  }

  #end(): void {
    this.#abort.abort();
    this.#queue.shutDown();
  }

  get #watches(): [N, Watch<World<N, M>>][] {
    return Object.entries(this.#definition.watches) as [N, Watch<World<N, M>>][]; // its keys are N
  }

  #listen(informer: Informer | undefined, watch: Watch<World<N, M>>): void {
    informer?.addHandlers({
      add: (object) => this.#take(watch, { type: "add", object, old: undefined }),
      update: (old, object) => this.#take(watch, { type: "update", object, old }),
      delete: (object) => this.#take(watch, { type: "delete", object, old: undefined }),
    });
  }

  #take(watch: Watch<World<N, M>>, change: Change): void {
    const taken = watch.take?.(change, this.#world);
    const { type, object, old } = change;
    if (!this.#works || watch.on?.includes(type) === false) return;
    if (watch.facts && old && equalJson(watch.facts(old), watch.facts(object))) return;
    this.#look(watch.toKeys ? watch.toKeys(change, this.#world) : (taken ?? [keyOfObject(object)]));
  }

  #look(keys: Keys): void {
    if (!this.#works) return;
    // The queue may hand out a key at once and would then accept its duplicate.
    for (const key of new Set(keys)) if (key !== undefined) this.#queue.add(key);
  }

  async #follow(name: N): Promise<void> {
    const informer = this.#informers.get(name);
    if (!informer) return;
    if (!this.#followed.has(informer)) informer.start(this.#abort.signal);
    this.#followed.add(informer);
    await informer.synced();
  }

  /** Marks all queued keys as enqueued by the start. */
  #noteFirstLooks(): void {
    for (const key of this.#queue.keys()) this.#first.add(key);
  }

  #work(): Promise<void> {
    const { workers = WORKERS } = this.#definition;
    const work = async (key: string): Promise<void> => {
      const reconcile = () => this.#definition.reconcile(key, this.#world);
      const again = await (this.#causes ? this.#causes.during(key, reconcile) : reconcile());
      this.#queue.forget(key);
      this.#first.delete(key);
      if (again) this.#queue.addAfter(key, again.requeueAfterMs);
    };
    return runWorkers(this.#queue, workers, work, (key, error) => this.#failed(key, error));
  }

  #failed(key: string, error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const { log } = this.#deps;
    const attempts = this.#queue.failures(key) + 1;
    const fields = { controller: this.name, key, attempts, error: errorText(error) };
    if (attempts >= this.#retry.attemptsMax) {
      log.error("reconcile failed; waiting for the next change", fields);
      this.#queue.forget(key);
      this.#first.delete(key);
      return;
    }
    log.warn("reconcile failed; trying again", fields);
    this.#queue.addRateLimited(key);
  }
}

/**
 * An informer that logs its failures under the controller's name, unless isMuted returns true. managedFields are
 * omitted unless `list` requests them. The caller starts and ends the informer.
 */
export function informerFor(
  { client, clock, log, name }: Pick<Kit, "client" | "clock" | "log" | "name">,
  resource: ResourceName,
  list: ClientListOptions = {},
  isMuted = () => false,
): Informer {
  const onError = (error: unknown): void => {
    if (isMuted()) return;
    const fields = { controller: name, resource: resource.resource, error: errorText(error) };
    log.warn("informer failed; trying again", fields);
  };
  return new Informer({ client, clock, resource, onError, list: { withoutManagedFields: true, ...list } });
}
