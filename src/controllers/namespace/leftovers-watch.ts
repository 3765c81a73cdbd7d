// Waits for a change in what is left of one namespace, and says so once: what changed is found out by looking again.
import type { Client, ClientWatch } from "../../client/client.ts";
import type { Leftover } from "./content.ts";

export interface LeftoversWatchOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly leftovers: readonly Leftover[];
  readonly onChange: () => void;
}

export class LeftoversWatch {
  readonly #watches: ClientWatch[] = [];
  #over = false;

  constructor(options: LeftoversWatchOptions) {
    try {
      for (const leftover of options.leftovers) this.#open(options, leftover);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#over = true;
    for (const watch of this.#watches.splice(0)) watch.close();
  }

  #open(
    { client, namespace, onChange }: LeftoversWatchOptions,
    { resource, resourceVersion }: Leftover,
  ): void {
    const watch = client.watch(resource, resourceVersion, { namespace });
    this.#watches.push(watch);
    // A watch that breaks or ends tells of nothing: somebody has to look again in his own time.
    watch.next().then(
      (events) => {
        if (!events || this.#over) return;
        this.close();
        onChange();
      },
      () => undefined,
    );
  }
}
