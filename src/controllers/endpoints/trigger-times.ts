// Since when a Service's endpoints have been due for a change: what is written beside them, so that one can measure
// how long the change took to arrive. It is the earliest of the times that are news: the making of the Service, and
// changes of its pods' readiness. For a Service not seen before it is the making of the Service.
import type { Pod } from "./pod.ts";
import type { Service } from "./service.ts";

export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

interface Known {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

export interface TriggerTime {
  /** RFC 3339; undefined when there is nothing that could have been waited for. */
  readonly time: string | undefined;
  /** Takes the times for unseen again: what was to be written could not be. */
  undo(): void;
}

export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** Takes note of the times; of texts of one form and zone the lesser is the earlier. */
  note({ key, createdAt }: Service, pods: readonly Pod[]): TriggerTime {
    const before = this.#known.get(key);
    const since = new Map(
      pods.flatMap(({ name, readySince }) => (readySince ? [[name, readySince] as const] : [])),
    );
    this.#known.set(key, { service: createdAt, pods: since });
    const undo = (): void => {
      if (before) this.#known.set(key, before);
      else this.#known.delete(key);
    };
    if (!before) return { time: createdAt || undefined, undo };
    const news = [...since].filter(([name, time]) => time > (before.pods.get(name) ?? ""));
    const times = news.map(([, time]) => time);
    if (createdAt > before.service) times.push(createdAt);
    return { time: times.sort()[0], undo };
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
