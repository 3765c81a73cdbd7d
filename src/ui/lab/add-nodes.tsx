// Form that creates nodes, as `egret nodes add` does: the server chooses unused names and addresses.
import { useSignal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { CopyButton } from "../frame/copy-button.tsx";
import type { Act } from "./act.ts";
import { addCommand, type NewNodes, wantedNodes } from "./new-nodes.ts";

const COUNT_MAX = 5_000;

export function AddNodes({ act }: { act: Act }) {
  const wanted = useSignal<NewNodes>({ count: 3, assignable: 3, zones: "", network: "" });
  const set = (changes: Partial<NewNodes>) => {
    wanted.value = { ...wanted.value, ...changes };
  };
  const { count, assignable, zones, network } = wanted.value;
  const command = addCommand(wanted.value);
  const add = async (): Promise<void> => {
    await ask("/egret/v1/nodes", { method: "POST", body: wantedNodes(wanted.value) });
  };
  return (
    <form
      class="add-nodes"
      aria-label="Add nodes"
      onSubmit={(event) => {
        event.preventDefault();
        act(count === 1 ? "1 node" : `${count} nodes`, add);
      }}
    >
      <label>
        Nodes
        <input
          type="number"
          required
          min={1}
          max={COUNT_MAX}
          value={count}
          onInput={({ currentTarget }) => set({ count: Number(currentTarget.value) })}
        />
      </label>
      <label>
        assignable of them
        <input
          type="number"
          required
          min={0}
          max={count}
          value={assignable}
          onInput={({ currentTarget }) => set({ assignable: Number(currentTarget.value) })}
        />
      </label>
      <label>
        zones
        <input
          placeholder="west, east"
          value={zones}
          onInput={({ currentTarget }) => set({ zones: currentTarget.value })}
        />
      </label>
      <label>
        networks
        <input
          placeholder="192.168.126.0/24"
          value={network}
          onInput={({ currentTarget }) => set({ network: currentTarget.value })}
        />
      </label>
      <button type="submit" class="main">
        Add
      </button>
      <p class="hint">
        <code>{command}</code> <CopyButton text={command} word="Copy" />
      </p>
    </form>
  );
}
