// Whole states: manifests come in by dropping a file, and go out as one.
import { useSignal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { Can } from "../rights/can.tsx";
import { onControl } from "../rights/question.ts";
import type { Act } from "./lab-view.tsx";

export function StatePart({ act }: { act: Act }) {
  const isOver = useSignal(false);
  const take = (files: Iterable<File>): void => {
    for (const file of files) {
      act(`${file.name}`, async () => {
        await ask("/egret/v1/import", { method: "POST", body: await file.text(), type: "application/yaml" });
      });
    }
  };
  return (
    <section aria-labelledby="lab-state">
      <h2 id="lab-state">Import and export</h2>
      <Can all={[onControl("post", "import")]}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the button in it does the same */}
        <div
          class={isOver.value ? "drop over" : "drop"}
          onDragOver={(event) => {
            event.preventDefault();
            isOver.value = true;
          }}
          onDragLeave={() => (isOver.value = false)}
          onDrop={(event) => {
            event.preventDefault();
            isOver.value = false;
            take(event.dataTransfer?.files ?? []);
          }}
        >
          <label>
            Drop manifests here (YAML or JSON), or choose{" "}
            <input
              type="file"
              multiple
              accept=".yaml,.yml,.json"
              onChange={({ currentTarget }) => take(currentTarget.files ?? [])}
            />
          </label>
        </div>
        <p class="hint">
          A dump, a must-gather or a copy of etcd comes in by <code>egret import PATH</code>.
        </p>
      </Can>
      <Can all={[onControl("get", "export")]}>
        <p>
          <a href="/egret/v1/export" download="egret.yaml">
            Export what people have put in
          </a>
        </p>
      </Can>
    </section>
  );
}
