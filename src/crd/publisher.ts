// What comes up at the same time, as all definitions do at a start and those of one commit, is one change of what is served:
// each has its price for all who derive something from the list.
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

export class Publisher {
  readonly #registry: ResourceRegistry;
  readonly #onError: (error: unknown) => void;
  #open: ResourceDefinition[] = [];

  constructor(registry: ResourceRegistry, onError: (error: unknown) => void) {
    this.#registry = registry;
    this.#onError = onError;
  }

  /** It is served before anything else is done than what is due already. */
  add(definition: ResourceDefinition): void {
    if (this.#open.push(definition) === 1) queueMicrotask(() => this.#publish());
  }

  #publish(): void {
    const definitions = this.#open;
    this.#open = [];
    try {
      this.#registry.setAll(definitions);
    } catch (error) {
      this.#onError(error); // of somebody who listens
    }
  }
}
