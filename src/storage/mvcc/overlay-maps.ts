// Computes the effect of many changes on the maps of a state, in slices. The result is separate maps; readers keep
// using the current ones.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import { eventKey, type KeyValue, type StoreChange } from "../store.ts";
import { copyOf, historyWith, type KeyHistory } from "./key-history.ts";
import type { SortedMap } from "./sorted-map.ts";

interface StateMaps {
  readonly live: SortedMap<KeyValue>;
  readonly history: SortedMap<KeyHistory>;
}

interface LaidOver extends StateMaps {
  /** Bytes of the superseded values, per change. */
  readonly weights: readonly number[];
}

/** Changes neither map; the caller must not change them meanwhile. */
export async function overlayMaps(
  { live, history }: StateMaps,
  changes: readonly StoreChange[],
): Promise<LaidOver> {
  const nowLive = new Map<string, KeyValue | undefined>();
  const histories = new Map<string, KeyHistory>();
  const weights: number[] = [];
  for (const { events } of changes) {
    let weight = 0;
    await inSlices(events, (event) => {
      const key = eventKey(event);
      nowLive.set(key, event.type === "put" ? event.kv : undefined);
      histories.set(key, historyWith(histories.get(key) ?? copyOf(history.get(key)), event));
      weight += event.prev?.value.byteLength ?? 0;
    });
    weights.push(weight);
  }
  return { live: await live.with(nowLive), history: await history.with(histories), weights };
}
