// A controller in one call. The kit owns what is the same for every controller: informers and their start, the queue, its
// workers and retries, the recorder of events, and the moment from which changes count. A definition serves many lives:
// each `create` begins a new one, whose memory is made of the objects that are there.
import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { DEFAULT_SETTINGS } from "../runtime/settings.ts";
import type {
  Change,
  DefinedController,
  Definition,
  Keys,
  Kit,
  KitWith,
  Running,
  Watch,
  World,
} from "./definition.ts";
import { informerFor } from "./informers.ts";
import { keyOfObject } from "./objects.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

export function defineController<N extends string, M = undefined>(
  definition: Definition<N, M>,
): DefinedController<M> {
  return { ...definition, create: (deps) => new Life(definition, deps) };
}

/** From a start to its end. */
class Life<N extends string, M> implements Running<M> {
  readonly name: string;
  readonly memory: M;
  readonly #definition: Definition<N, M>;
  readonly #loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  readonly #informers = new Map<N, Informer>();
  /** Lazy watches that somebody has asked for. */
  readonly #followed = new Set<Informer>();
  readonly #world: World<N, M>;
  /** Changes lead to keys. */
  #works: boolean;
  /** What is found meanwhile is found because of the start. */
  #starts: boolean;

  constructor(definition: Definition<N, M>, deps: ControllerDeps) {
    const { name, workers, retry, events = name } = definition;
    const settings = deps.settings ?? DEFAULT_SETTINGS;
    this.name = name;
    this.#definition = definition;
    this.#works = definition.prepare === undefined;
    this.#starts = definition.started !== undefined;
    const atOnce: Informer[] = [];
    for (const [key, watch] of this.#watches) {
      const informer = informerFor(deps, name, watch.resource, { list: watch.list });
      this.#informers.set(key, informer);
      if (!watch.lazy && (watch.isWanted?.(settings) ?? true)) atOnce.push(informer);
    }
    this.#loop = new ReconcileLoop({
      name,
      deps,
      informers: atOnce,
      workers,
      retry,
      reconcile: (key) => definition.reconcile(key, this.#world),
      prepare: () => this.#prepare(),
      settle: () => this.#settle(),
    });
    const { queue, signal } = this.#loop;
    const { client, clock, log } = deps;
    const component = typeof events === "string" ? events : events(settings);
    this.#recorder = new EventRecorder({ client, clock, log, component, signal });
    const kit: Kit = {
      clientFor: () => client,
      ...deps,
      settings,
      name,
      queue,
      signal,
      look: (keys) => this.#look(keys),
      say: (occurrence, key) =>
        this.#recorder.record(occurrence, { atStart: key !== undefined && kit.isFirstLook(key) }),
      isFirstLook: (key) => this.#starts || this.#loop.isFirstLook(key),
    };
    const copies = Object.fromEntries(this.#informers) as { [Name in N]: Informer }; // one for each watch
    const kitWith = { ...kit, ...copies, follow: (key: N) => this.#follow(key) } as KitWith<N>; // made of its parts
    this.memory = definition.memory?.(kitWith) as M; // without the function M is undefined
    this.#world = { ...kitWith, memory: this.memory };
    for (const [key, watch] of this.#watches) this.#listen(this.#informers.get(key), watch);
  }

  get activity(): number {
    return this.#loop.activity;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#definition.start?.(this.#world);
    await this.#loop.start(signal);
    if (!this.#definition.started) return;
    await this.#definition.started(this.#world);
    this.#loop.noteFirstLooks();
    this.#starts = false;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  idle(): Promise<void> {
    return this.#loop.idle();
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
    // A key that is handed out at once would otherwise come twice.
    for (const key of new Set(keys)) if (key !== undefined) this.#loop.queue.add(key);
  }

  #prepare(): void {
    const keys = this.#definition.prepare?.(this.#world) ?? [];
    this.#works = true;
    this.#look(keys);
  }

  async #follow(name: N): Promise<void> {
    const informer = this.#informers.get(name);
    if (!informer) return;
    if (!this.#followed.has(informer)) informer.start(this.#loop.signal);
    this.#followed.add(informer);
    await informer.synced();
  }

  async #settle(): Promise<void> {
    for (const informer of this.#followed) await informer.caughtUp();
    await this.#definition.settle?.(this.#world);
    await this.#recorder.flushed();
  }
}
