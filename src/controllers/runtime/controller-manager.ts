// Starts the chosen controllers and stops them again. A controller that fails is logged; it never takes the others or
// the process with it.
import { setMaxListeners } from "node:events";
import { nextTurn } from "../../meta/clock.ts";
import type { Controller, ControllerContext, ControllerDescriptor, QueueFigures } from "./controller.ts";
import { errorText } from "./logger.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

/** What --controllers is when nobody says: all but those that are off by default, by name. */
export function defaultControllers(descriptors: readonly ControllerDescriptor[]): string {
  const off = descriptors.filter(({ offByDefault }) => offByDefault === true);
  return ["*", ...off.map(({ name }) => `-${name}`)].join(",");
}

/**
 * The controllers that a value of --controllers turns on: "*" is all there are, "name" turns one on, "-name" off; of
 * several entries about one name the first counts, and it goes before "*".
 */
export function selectControllers(
  value: string,
  descriptors: readonly ControllerDescriptor[],
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
  return descriptors.filter(({ name }) => {
    const decisive = entries.find((entry) => entry === name || entry === `-${name}`);
    return decisive === undefined ? entries.includes("*") : decisive === name;
  });
}

export class ControllerManager {
  readonly #controllers: readonly Controller[];
  readonly #context: ControllerContext;
  readonly #queues: (readonly [name: string, queue: WorkQueue])[] = [];

  constructor(descriptors: readonly ControllerDescriptor[], context: ControllerContext) {
    this.#context = context;
    const { clientFor } = context;
    const settings = context.settings ?? DEFAULT_SETTINGS;
    this.#controllers = descriptors
      .filter((descriptor) => descriptor.isWanted?.(settings) ?? true)
      .map((descriptor) =>
        descriptor.create({
          ...context,
          settings,
          client: clientFor(descriptor.fieldManager),
          onQueue: (name, queue) => this.#queues.push([name, queue]),
        }),
      );
  }

  get names(): readonly string[] {
    return this.#controllers.map(({ name }) => name);
  }

  /** What the queues of all controllers have had to do. */
  queueFigures(): QueueFigures[] {
    return this.#queues.map(([name, { size: depth, adds, retries }]) => ({ name, depth, adds, retries }));
  }

  controller(name: string): Controller | undefined {
    return this.#controllers.find((controller) => controller.name === name);
  }

  /** Resolves once every controller works, or has failed to. They stop when the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // every controller listens, and so may everything that it starts: that is no leak
    const starts: Promise<void>[] = [];
    for (const controller of this.#controllers) {
      starts.push(this.#attempt("start", controller, () => controller.start(signal)));
      await nextTurn(); // in which requests are answered: there are many controllers
    }
    await Promise.all(starts);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#controllers.map((controller) => this.#attempt("stop", controller, () => controller.stop())),
    );
  }

  /** Resolves once no controller has anything left to do, also not because of what another one did. */
  async idle(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      await new Promise<void>((resolve) => process.nextTick(resolve)); // in which informers hear of what was written
      for (const controller of this.#controllers) await controller.idle();
    } while (this.#activity !== before);
  }

  get #activity(): number {
    return this.#controllers.reduce((sum, { activity }) => sum + activity, 0);
  }

  async #attempt(what: string, { name }: Controller, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#context.log.error(`controller failed to ${what}`, { controller: name, error: errorText(error) });
    }
  }
}
