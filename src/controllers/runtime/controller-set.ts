// All chosen controllers together, from one start to their end. They are made for that one life: whatever they remember
// goes with them, and what they have begun cannot write any more once they are ended.
import { setMaxListeners } from "node:events";
import { nextTurn } from "../../meta/clock.ts";
import type { Controller, ControllerContext, ControllerDescriptor, QueueFigures } from "./controller.ts";
import { loggedClient } from "./logging/logged-client.ts";
import { errorText } from "./logging/logger.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

export class ControllerSet {
  readonly controllers: readonly Controller[];
  readonly #context: ControllerContext;
  readonly #queues: (readonly [name: string, queue: WorkQueue])[] = [];
  readonly #life = new AbortController();
  readonly #ended: Promise<void>;
  #started: Promise<void> | undefined;

  constructor(descriptors: readonly ControllerDescriptor[], context: ControllerContext) {
    this.#context = context;
    const settings = context.settings ?? DEFAULT_SETTINGS;
    const { signal } = this.#life;
    setMaxListeners(0, signal); // every controller listens, and so may everything that it starts: that is no leak
    this.#ended = new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const { log } = context;
    this.controllers = descriptors
      .filter((descriptor) => descriptor.isWanted?.(settings) ?? true)
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

  queueFigures(): QueueFigures[] {
    return this.#queues.map(([name, { size: depth, adds, retries }]) => ({ name, depth, adds, retries }));
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
    } while (this.#activity !== before);
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
