// Starts the chosen controllers, starts them anew around a change of the whole state, and stops them. A controller that
// fails is logged; it never takes the others or the process with it.

import { setMaxListeners } from "node:events";
import type { ResourceName } from "../../client/client.ts";
import { Sequence } from "../../meta/sequence.ts";
import { nextTurn } from "../../meta/turns.ts";
import { apiVersionOf } from "./api.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "./definition.ts";
import { errorText, loggedClient } from "./logging.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

/** What --controllers is when nobody says: all but those that are off by default, by name. */
export function defaultControllers(descriptors: readonly ControllerDescriptor[]): string {
  const off = descriptors.filter(({ offByDefault }) => offByDefault === true);
  return ["*", ...off.map(({ name }) => `-${name}`)].join(",");
}

/**
 * The controllers that a value of --controllers turns on: "*" is all there are, those of a living cluster only where one is
 * wanted, "name" turns one on, "-name" off; of several entries about one name the first counts, and it goes before "*".
 */
export function selectControllers(
  value: string,
  descriptors: readonly ControllerDescriptor[],
  isLiving = false,
): ControllerDescriptor[] {
  const entries = value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const known = new Set(descriptors.map(({ name }) => name));
  for (const entry of entries) {
    const name = entry.replace(/^-/, "");
    if (entry !== "*" && !known.has(name)) {
      throw new Error(`${JSON.stringify(name)} is not in the list of known controllers`);
    }
  }
  return descriptors.filter(({ name, ofServer = false, ofCluster = false }) => {
    const decisive = entries.find((entry) => entry === name || entry === `-${name}`);
    if (decisive !== undefined) return decisive === name;
    return ofServer || (entries.includes("*") && (isLiving || !ofCluster));
  });
}

/** A queue as /metrics shows it: name, keys in the line, keys ever put there, retries. */
interface QueueFigures {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
}

export class ControllerManager {
  readonly #make: (past: readonly QueueFigures[]) => ControllerSet;
  #set: ControllerSet;
  /** The end of sets that may still wait for an answer. */
  #ending: Promise<unknown> = Promise.resolve();
  /** Changes of the state. */
  readonly #changes = new Sequence();
  #signal: AbortSignal | undefined;

  constructor(descriptors: readonly ControllerDescriptor[], context: ControllerContext) {
    this.#make = (past) => new ControllerSet(descriptors, context, past);
    this.#set = this.#make([]);
  }

  get names(): readonly string[] {
    return this.#set.controllers.map(({ name }) => name);
  }

  queueFigures(): QueueFigures[] {
    return this.#set.queueFigures();
  }

  controller(name: string): Controller | undefined {
    return this.#set.controllers.find((controller) => controller.name === name);
  }

  /**
   * Resolves once every controller works, or has failed to. They stop when the signal aborts; others may be started
   * afterwards, which begin with what they then find.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#signal?.aborted === true) this.#replaceSet();
    this.#signal = signal;
    await this.#changes.ended;
    if (this.#set.isOutdated) this.#replaceSet();
    signal.addEventListener("abort", () => this.#set.end(), { once: true });
    if (signal.aborted) this.#set.end();
    else await this.#set.start();
  }

  /**
   * Makes a change of the state between two lives of the controllers: those from before are ended first, and nothing that
   * they have begun is written any more; others begin when the change is made, or has failed, with what they then find.
   * Resolves to what the change did, without waiting for their start: idle() does.
   */
  renew<T>(change: () => Promise<T>): Promise<T> {
    return this.#changes.next(() => this.#renew(change));
  }

  async #renew<T>(change: () => Promise<T>): Promise<T> {
    if (!this.#works) return await change();
    this.#replaceSet();
    try {
      return await change();
    } finally {
      if (this.#set.isOutdated) this.#replaceSet();
      if (this.#works) void this.#set.start();
    }
  }

  /** Ends those that there are; others, which remember nothing, take their place and do not run yet. */
  #replaceSet(): void {
    this.#ending = Promise.all([this.#ending, this.#set.stop()]);
    this.#set = this.#make(this.queueFigures());
  }

  /** Makes a change of the state while the controllers stand still: each sees all of it before it does anything. */
  async whileHeld<T>(change: () => Promise<T>): Promise<T> {
    const goOn = this.#set.controllers.map((controller) => controller.hold());
    try {
      return await change();
    } finally {
      for (const release of goOn) await release();
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#set.stop(), this.#ending]);
  }

  /** Resolves once no controller has anything left to do, also not because of what another one did; before the start at once. */
  async idle(): Promise<void> {
    let asked: ControllerSet;
    do {
      await this.#changes.ended;
      asked = this.#set;
      await asked.idle();
    } while (asked !== this.#set);
  }

  get #works(): boolean {
    return this.#signal?.aborted === false;
  }
}

/**
 * All chosen controllers together, from one start to their end. They are made for that one life: whatever they remember
 * goes with them, and what they have begun cannot write any more once they are ended.
 */
class ControllerSet {
  readonly controllers: readonly Controller[];
  readonly #context: ControllerContext;
  readonly #wanted: readonly ControllerDescriptor[];
  /** Those that do not run, with the resources that are not served for them. */
  readonly #idleFor: ReadonlyMap<ControllerDescriptor, readonly string[]>;
  readonly #queues: (readonly [name: string, queue: WorkQueue])[] = [];
  /** What the queues of the set before have had to do: figures never fall. */
  readonly #past: readonly QueueFigures[];
  readonly #life = new AbortController();
  readonly #ended: Promise<void>;
  #started: Promise<void> | undefined;

  constructor(
    descriptors: readonly ControllerDescriptor[],
    context: ControllerContext,
    past: readonly QueueFigures[],
  ) {
    this.#context = context;
    this.#past = past;
    const { log, settings = DEFAULT_SETTINGS } = context;
    const { signal } = this.#life;
    setMaxListeners(0, signal); // every controller listens, and so may everything that it starts: that is no leak
    this.#ended = new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#wanted = descriptors.filter((descriptor) => descriptor.isWanted?.(settings) ?? true);
    this.#idleFor = this.#unserved();
    this.controllers = this.#wanted
      .filter((descriptor) => !this.#idleFor.has(descriptor))
      .map((descriptor) => {
        const clientFor = (fieldManager: string) =>
          loggedClient(context.clientFor(fieldManager, signal), log, descriptor.name);
        return descriptor.create({
          ...context,
          clientFor,
          settings,
          client: clientFor(descriptor.fieldManager),
          onQueue: (name, queue) => this.#queues.push([name, queue]),
        });
      });
  }

  /** Since the set was made a resource is served, or no longer served, that a controller needs to run. */
  get isOutdated(): boolean {
    const now = this.#unserved();
    return this.#wanted.some((descriptor) => now.has(descriptor) !== this.#idleFor.has(descriptor));
  }

  #unserved(): Map<ControllerDescriptor, readonly string[]> {
    const { catalog, settings = DEFAULT_SETTINGS } = this.#context;
    if (catalog === undefined) return new Map();
    const served = new Set(catalog.list().map(resourceName));
    const missing = (descriptor: ControllerDescriptor): string[] =>
      (descriptor.needs?.(settings) ?? []).map(resourceName).filter((name) => !served.has(name));
    const all = this.#wanted.map((descriptor) => [descriptor, missing(descriptor)] as const);
    return new Map(all.filter(([, names]) => names.length > 0));
  }

  queueFigures(): QueueFigures[] {
    return this.#queues.map(([name, { size: depth, adds, retries }]) => {
      const past = this.#past.find((figures) => figures.name === name) ?? { adds: 0, retries: 0 };
      return { name, depth, adds: adds + past.adds, retries: retries + past.retries };
    });
  }

  /** Resolves once every controller works, has failed to, or is ended. */
  start(): Promise<void> {
    this.#started ??= Promise.race([this.#start(), this.#ended]);
    return this.#started;
  }

  /** From now on nothing is begun, and nothing that was begun is written. */
  end(): void {
    this.#life.abort(new Error("the controllers have been stopped"));
  }

  /** Ends them. Resolves when nothing of them runs any more. */
  async stop(): Promise<void> {
    this.end();
    await Promise.all(
      this.controllers.map((controller) => this.#attempt("stop", controller, () => controller.stop())),
    );
  }

  /**
   * Resolves once no controller has anything left to do, also not because of what another one did; at once before the
   * start and after the end.
   */
  async idle(): Promise<void> {
    if (this.#started === undefined) return;
    await this.#started;
    await Promise.race([this.#idle(), this.#ended]);
  }

  async #start(): Promise<void> {
    const { signal } = this.#life;
    const starts: Promise<void>[] = [];
    for (const [{ name: controller }, resources] of this.#idleFor)
      this.#context.log.info("the controller does not run: resources that it needs are not served", {
        controller,
        resources,
      });
    for (const controller of this.controllers) {
      if (signal.aborted) return;
      starts.push(this.#attempt("start", controller, () => controller.start(signal)));
      await nextTurn(); // in which requests are answered: there are many controllers
    }
    await Promise.all(starts);
  }

  async #idle(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      await new Promise<void>((resolve) => process.nextTick(resolve)); // in which informers hear of what was written
      for (const controller of this.controllers) await controller.idle();
    } while (this.#activity !== before && !this.#life.signal.aborted);
  }

  get #activity(): number {
    return this.controllers.reduce((sum, { activity }) => sum + activity, 0);
  }

  async #attempt(what: string, { name }: Controller, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (what === "start" && this.#life.signal.aborted) return;
      this.#context.log.error(`controller failed to ${what}`, { controller: name, error: errorText(error) });
    }
  }
}

const resourceName = ({ group, version, resource }: ResourceName): string =>
  `${resource}.${apiVersionOf({ group, version, resource })}`;
