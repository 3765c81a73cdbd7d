// A controller that is more than its loop (it can be asked something, or starts something else with it), and leaves to
// the loop all that every controller can do. One that is nothing more hands out the loop itself.
import type { Controller } from "../runtime/controller.ts";
import type { ReconcileLoop } from "./reconcile-loop.ts";

export abstract class LoopController implements Controller {
  abstract readonly name: string;
  protected abstract readonly loop: ReconcileLoop;

  start(signal: AbortSignal): Promise<void> {
    return this.loop.start(signal);
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  idle(): Promise<void> {
    return this.loop.idle();
  }

  get activity(): number {
    return this.loop.activity;
  }
}
