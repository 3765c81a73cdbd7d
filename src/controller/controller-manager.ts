// Starts and stops the selected controllers. It restarts them around a change of the whole state, such as a restore or
// a reset. A controller that fails is logged; other controllers and the process keep running.

import { setMaxListeners } from "node:events";
import { Sequence } from "../apimachinery/meta/sequence.ts";
import { nextTurn } from "../apimachinery/scheduling/event-loop.ts";
import { apiVersionOf } from "./api.ts";
import type { ResourceName } from "./client.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "./definition.ts";
import { errorText, loggedClient } from "./logging.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

/** The default of --controllers: "*" without the controllers that are off by default. */
export function defaultControllers(descriptors: readonly ControllerDescriptor[]): string {
  const off = descriptors.filter(({ offByDefault }) => offByDefault === true);
  return ["*", ...off.map(({ name }) => `-${name}`)].join(",");
}

/**
 * The controllers that a value of --controllers turns on. "*" selects all; controllers of the simulated cluster only if
 * isLiving is set. "name" turns one on, "-name" turns it off. The first entry about a name decides, and it has
 * precedence over "*".
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

/** The metrics of a work queue: name, current depth, keys added in total, retries in total. */
interface QueueMetrics {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
}

export class ControllerManager {
  readonly #make: (past: readonly QueueMetrics[]) => ControllerSet;
  #set: ControllerSet;
  /** Resolves when all replaced sets have stopped; their requests may still be pending. */
  #ending: Promise<unknown> = Promise.resolve();
  /** Runs changes of the whole state one after the other. */
  readonly #changes = new Sequence();
  #signal: AbortSignal | undefined;

  constructor(descriptors: readonly ControllerDescriptor[], context: ControllerContext) {
    this.#make = (past) => new ControllerSet(descriptors, context, past);
    this.#set = this.#make([]);
  }

  get names(): readonly string[] {
    return this.#set.controllers.map(({ name }) => name);
  }

  queueMetrics(): QueueMetrics[] {
    return this.#set.queueMetrics();
  }

  controller(name: string): Controller | undefined {
    return this.#set.controllers.find((controller) => controller.name === name);
  }

  /**
   * Resolves once every controller has started or failed to start. All stop when the signal aborts. A later start
   * creates new controllers, which rebuild their state from the API.
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
   * Runs a change of the whole state, such as a restore. The running controllers are ended first, and their pending
   * writes are dropped. New controllers start after the change, also if it fails. Resolves to the result of the change
   * without waiting for their start; idle() waits for it.
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

  /** Ends the current set and creates a new one with empty memory, which is not started yet. */
  #replaceSet(): void {
    this.#ending = Promise.all([this.#ending, this.#set.stop()]);
    this.#set = this.#make(this.queueMetrics());
  }

  /**
   * Runs a change of the state while the controllers are paused. Each resumes only after its informers have received
   * the whole change.
   */
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

  /**
   * Resolves once all controllers are idle, including work that they cause for each other. Before the start it resolves
   * at once.
   */
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
 * All selected controllers from one start to their end. Their memory ends with the set, and so does the permission to
 * write: an ended set cannot write.
 */
class ControllerSet {
  readonly controllers: readonly Controller[];
  readonly #context: ControllerContext;
  readonly #wanted: readonly ControllerDescriptor[];
  /** The controllers that do not run, each with the resources that it needs and that are not served. */
  readonly #idleFor: ReadonlyMap<ControllerDescriptor, readonly string[]>;
  readonly #queues: (readonly [name: string, queue: WorkQueue])[] = [];
  /** Totals of the replaced set's queues, so that the counters of /metrics never decrease. */
  readonly #past: readonly QueueMetrics[];
  readonly #life = new AbortController();
  readonly #ended: Promise<void>;
  #started: Promise<void> | undefined;

  constructor(
    descriptors: readonly ControllerDescriptor[],
    context: ControllerContext,
    past: readonly QueueMetrics[],
  ) {
    this.#context = context;
    this.#past = past;
    const { log, settings = DEFAULT_SETTINGS } = context;
    const { signal } = this.#life;
    setMaxListeners(0, signal); // each controller adds abort listeners: their number is no leak
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

  /** Since the set was created, a resource that a controller needs has become served or is no longer served. */
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

  queueMetrics(): QueueMetrics[] {
    return this.#queues.map(([name, { size: depth, adds, retries }]) => {
      const past = this.#past.find((metrics) => metrics.name === name) ?? { adds: 0, retries: 0 };
      return { name, depth, adds: adds + past.adds, retries: retries + past.retries };
    });
  }

  /** Resolves once every controller has started, has failed to start, or is ended. */
  start(): Promise<void> {
    this.#started ??= Promise.race([this.#start(), this.#ended]);
    return this.#started;
  }

  /** From now on no work starts, and pending writes are dropped. */
  end(): void {
    this.#life.abort(new Error("the controllers have been stopped"));
  }

  /** Ends the controllers. Resolves when none of their work runs any more. */
  async stop(): Promise<void> {
    this.end();
    await Promise.all(
      this.controllers.map((controller) => this.#attempt("stop", controller, () => controller.stop())),
    );
  }

  /**
   * Resolves once all controllers are idle, including work that they cause for each other. Before the start and after
   * the end it resolves at once.
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
      await nextTurn(); // yields to the event loop between the many starts, so that requests are served
    }
    await Promise.all(starts);
  }

  async #idle(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      await new Promise<void>((resolve) => process.nextTick(resolve)); // lets informers receive the events of these writes
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
