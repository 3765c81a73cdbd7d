// Snapshots of the store: save, restore, delete, and reset to the initial state.
import { useSignal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { usePolled } from "../frame/polled.ts";
import { Moment } from "../object/moment.tsx";
import type { Act } from "./act.ts";

interface Snapshot {
  readonly name: string;
  readonly revision: number;
  readonly savedAt: string;
  readonly keys: number;
}

const SNAPSHOTS = "/egret/v1/snapshots";
const EVERY_MS = 3000;

const pathOf = (name: string): string => `${SNAPSHOTS}/${encodeURIComponent(name)}`;

export function SnapshotsPart({ act }: { act: Act }) {
  const snapshots = useSignal<readonly Snapshot[]>([]);
  const name = useSignal("");
  const read = async (signal?: AbortSignal): Promise<void> => {
    const { items } = await ask<{ readonly items: readonly Snapshot[] }>(SNAPSHOTS, { signal });
    snapshots.value = items;
  };
  const { refused } = usePolled(read, EVERY_MS);
  const send = (method: "PUT" | "POST" | "DELETE", path: string) => async () => {
    await ask(path, { method });
    await read();
  };
  if (refused.value) return null;
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    act(`Snapshot ${name.value}`, send("PUT", pathOf(name.value.trim())));
    name.value = "";
  };
  return (
    <section aria-labelledby="lab-snapshots">
      <h2 id="lab-snapshots">Snapshots</h2>
      <form class="acts" onSubmit={save}>
        <input
          required
          aria-label="Name of the snapshot"
          placeholder="before"
          value={name}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <button type="submit">Save the present state</button>
        <button type="button" onClick={() => act("Back to the start", send("POST", "/egret/v1/reset"))}>
          Back to the start
        </button>
      </form>
      <ul>
        {snapshots.value.map((one) => (
          <li key={one.name}>
            <b>{one.name}</b> <Moment time={one.savedAt} />, {one.keys.toLocaleString()} objects{" "}
            <button
              type="button"
              onClick={() => act(`Restore ${one.name}`, send("POST", `${pathOf(one.name)}/restore`))}
            >
              Restore
            </button>{" "}
            <button
              type="button"
              class="quiet"
              aria-label={`Forget ${one.name}`}
              onClick={() => act(`Forget ${one.name}`, send("DELETE", pathOf(one.name)))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
