// A copy of the state with its own API and controllers. Its clock advances only on demand. It can be reset to an
// earlier state at a cost proportional to the changes since.
import { setMaxListeners } from "node:events";
import type { ControlledClock } from "../apimachinery/meta/controlled-clock.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import { nextTurn } from "../apimachinery/scheduling/event-loop.ts";
import { type Client, clientThrough } from "../controller/client.ts";
import type { ControllerManager } from "../controller/controller-manager.ts";
import { AbsentOwners } from "../features/import/absent-owners.ts";
import { differences, type SavedState } from "../features/state/state-keeper.ts";
import { EVERY_KEY, type Store, type TxnOp } from "../storage/store.ts";
import { type ApiCore, type CoreOptions, openApiCore } from "./api-core.ts";
import { openEachController } from "./controller-setup.ts";

/** After this simulated time all timed work is done: retries, node checks, the emulated cloud. */
const REST_MS = 30_000;

type CopyOptions = CoreOptions & { readonly clock: ControlledClock };

export class SimulatedCopy implements AsyncDisposable {
  readonly core: ApiCore;
  readonly #store: Store;
  readonly #clock: ControlledClock;
  readonly #controllers: readonly ControllerManager[];
  /** The names of controllers that have written since the last reset. */
  readonly #writers = new Set<string>();
  readonly #stopping = new AbortController();

  private constructor(store: Store, core: ApiCore, { options, clock, log }: CopyOptions) {
    this.core = core;
    this.#store = store;
    this.#clock = clock;
    setMaxListeners(0, this.#stopping.signal); // each controller adds a listener
    const absentOwners = new AbsentOwners(store);
    this.#controllers = openEachController(options, core.registry, (name) => ({
      ...{ clock, log, authority: undefined, absentOwners },
      clientFor: (manager, signal) => this.#noted(core.clientFor(manager, signal), name),
    }));
  }

  /** Resolves once all controllers are idle. Throws UsageError and StartError. */
  static async start(store: Store, options: CopyOptions): Promise<SimulatedCopy> {
    const core = openApiCore(store, options);
    await core.bootstrap({ isLaid: true });
    const copy = new SimulatedCopy(store, core, options);
    await Promise.all(copy.#controllers.map((one) => one.start(copy.#stopping.signal)));
    await copy.rest();
    return copy;
  }

  /** Advances the clock until all controllers are idle. */
  async rest(): Promise<void> {
    await this.#clock.advance(REST_MS, () => this.#settled());
  }

  /** Resets the copy to the state. All controllers are idle then. */
  async putBack(state: SavedState): Promise<void> {
    const restored = await this.#restore(state, (one) => this.#hasWritten(one));
    const isQuiet = this.#store.revision === restored;
    if (!isQuiet && (await this.#changesTo(state)).length > 0) await this.#restore(state, () => true);
    this.#writers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#controllers.map((one) => one.stop()), this.core.close()]);
    this.#clock.close();
  }

  /**
   * Restores the state, and resolves to its revision once all controllers are idle. A renewed controller rebuilds
   * its memory from the state; others only see the new revision. Controllers that have written must be renewed,
   * because they remember their decisions.
   */
  async #restore(
    state: SavedState,
    isRenewed: (controller: ControllerManager) => boolean,
  ): Promise<Revision> {
    const exchange = async () => {
      const revision = await this.#store.transform(() => this.#changesTo(state));
      await this.core.settled();
      return revision;
    };
    const around = this.#controllers.reduce(
      (go, one) => () => (isRenewed(one) ? one.renew(go) : one.whileHeld(go)),
      exchange,
    );
    const revision = await around();
    await this.#settled();
    return revision;
  }

  #hasWritten({ names }: ControllerManager): boolean {
    return names.some((name) => this.#writers.has(name));
  }

  async #changesTo({ items }: SavedState): Promise<readonly (readonly TxnOp[])[]> {
    return (await differences(this.#store.list(EVERY_KEY).items, items)).commits;
  }

  /** Repeats until no controller has written: a write of one may enqueue keys for another. */
  async #settled(): Promise<void> {
    let before: number;
    do {
      before = this.#store.revision;
      await this.core.settled();
      for (const controller of this.#controllers) await controller.idle();
      await nextTurn();
    } while (this.#store.revision !== before);
  }

  #noted(client: Client, writer: string): Client {
    return clientThrough(client, ({ verb }, go) => {
      if (verb !== "get" && verb !== "list") this.#writers.add(writer);
      return go();
    });
  }
}
