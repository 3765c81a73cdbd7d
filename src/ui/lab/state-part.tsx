// Import and export: applies manifests, imports cluster dumps as raw objects, and exports the objects that users created.
import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ask, Refused } from "../frame/ask.ts";
import { Can } from "../rights/can.tsx";
import { EVERYTHING, onControl } from "../rights/question.ts";
import type { Act } from "./act.ts";
import { toldOf } from "./import-told.ts";
import { type Progress, upload } from "./upload.ts";

/** Limit for manifests in bytes; larger files must be imported as a cluster dump. */
const MANIFESTS_BYTES_MAX = 8 * 1024 * 1024;

export function StatePart({ act }: { act: Act }) {
  const apply = (files: readonly File[]): void => {
    act(files.map(({ name }) => name).join(", "), async () => {
      for (const file of files) await applyManifests(file);
    });
  };
  return (
    <section aria-labelledby="lab-state">
      <h2 id="lab-state">Import and export</h2>
      <Can all={EVERYTHING}>
        <DumpImport act={act} />
      </Can>
      <Can all={[onControl("post", "import")]}>
        <p>
          <label>
            Manifests to apply, as kubectl does{" "}
            <input
              type="file"
              multiple
              accept=".yaml,.yml,.json"
              onChange={({ currentTarget }) => apply([...(currentTarget.files ?? [])])}
            />
          </label>
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

/** Imports cluster dumps, which are dropped or chosen, with progress and report. */
function DumpImport({ act }: { act: Act }) {
  const isOver = useSignal(false);
  const withSecrets = useSignal(false);
  const { told, progress, take, abort } = useUploads(act, withSecrets);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the button in it does the same
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
        take([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label>
        <b>A cluster as it stood</b>: drop a dump, a must-gather, an archive (.tar, .tar.gz, .zip) or a copy
        of etcd here, or choose{" "}
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => take([...(currentTarget.files ?? [])])}
        />
      </label>
      <label class="with">
        <input
          type="checkbox"
          checked={withSecrets}
          onChange={({ currentTarget }) => (withSecrets.value = currentTarget.checked)}
        />{" "}
        Secrets, too
      </label>
      {progress.value && <Bar progress={progress.value} onEnd={abort} />}
      <p role="status">{told.value}</p>
    </div>
  );
}

/** Uploads dumps one after another: the server reads one file at a time. */
function useUploads(act: Act, withSecrets: Signal<boolean>) {
  const told = useSignal("");
  const progress = useSignal<(Progress & { readonly name: string }) | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const send = async (file: File): Promise<void> => {
    const ended = new AbortController();
    running.current = ended;
    const onProgress = (now: Progress) => {
      progress.value = { ...now, name: file.name };
    };
    try {
      const report = await upload(file, { withSecrets: withSecrets.value, onProgress, signal: ended.signal });
      told.value = `${file.name}: ${toldOf(report)}.`;
    } finally {
      progress.value = undefined;
    }
  };
  const take = (files: readonly File[]): void => {
    told.value = "";
    act(files.map(({ name }) => name).join(", "), async () => {
      for (const file of files) await send(file);
    });
  };
  return { told, progress, take, abort: () => running.current?.abort() };
}

const refusedBecause = (message: string) => new Refused({ code: 0, reason: "", message, causes: [] });

async function applyManifests(file: File): Promise<void> {
  if (file.size > MANIFESTS_BYTES_MAX)
    throw refusedBecause(`${file.name} is larger than manifests are: import it as a cluster as it stood.`);
  await ask("/egret/v1/import", { method: "POST", body: await file.text(), type: "application/yaml" });
}

interface BarProps {
  readonly progress: Progress & { readonly name: string };
  readonly onEnd: () => void;
}

function Bar({ progress: { name, what, done, total }, onEnd }: BarProps) {
  const isRead = what === "sent" && done === total;
  return (
    <p class="acts">
      {isRead ? (
        <progress aria-label={`${name} is read`} />
      ) : (
        <progress aria-label={`${name}, ${what}`} max={total} value={done} />
      )}{" "}
      {isRead ? "is read …" : `${what} ${Math.round((100 * done) / Math.max(1, total))} %`}{" "}
      {what === "sent" && !isRead && (
        <button type="button" class="quiet" onClick={onEnd}>
          Call it off
        </button>
      )}
    </p>
  );
}
