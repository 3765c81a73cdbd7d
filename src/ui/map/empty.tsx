// Content of an empty column or an empty map, with actions that create objects.
import { useSignal } from "@preact/signals";
import { ask, Refused, type ToldStatus } from "../frame/ask.ts";
import { CopyButton } from "../frame/copy-button.tsx";
import { linkTo } from "../frame/kinds.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { Can } from "../rights/can.tsx";
import { onControl } from "../rights/question.ts";
import { demoObjects } from "./demo-objects.ts";
import { NoNodes } from "./first-nodes.tsx";
import { beginHints } from "./hints.tsx";

const IMPORT = "/egret/v1/import?status=true";

/** Start page of an empty server. */
export function Beginning() {
  const refusal = useSignal<ToldStatus | undefined>(undefined);
  const isBusy = useSignal(false);
  const apply = async (body: unknown, type: string) => {
    isBusy.value = true;
    refusal.value = undefined;
    try {
      await ask(IMPORT, { method: "POST", body, type });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal.value = error.status;
    } finally {
      isBusy.value = false;
    }
  };
  const line = `kubectl --server ${location.origin} apply -f manifests.yaml`;
  return (
    <section class="beginning" aria-label="Beginning">
      <h1>Who leaves by which address, live</h1>
      <p>
        Egret is a Kubernetes API server with ovn-kubernetes' egress controllers. There is nothing in it yet;
        as soon as there are nodes and EgressIPs, this page shows which pods leave the cluster by which
        address, and from which node.
      </p>
      <div class="acts">
        <Can all={[onControl("post", "import")]}>
          <div>
            <button
              type="button"
              class="main"
              disabled={isBusy.value}
              onClick={() => {
                beginHints();
                void apply(demoObjects(), "application/json");
              }}
            >
              Load the demo
            </button>
            <p class="hint">6 nodes, 4 namespaces, 8 EgressIPs, one of them without a node.</p>
          </div>
          <PasteYaml isBusy={isBusy.value} onApply={(text) => void apply(text, "application/yaml")} />
        </Can>
        <div>
          <p>
            <b>Use kubectl</b>
          </p>
          <code>{line}</code>
          <p>
            <CopyButton text={line} word="Copy" />
          </p>
        </div>
      </div>
      {refusal.value && <TellStatus status={refusal.value} what="The server did not take it." />}
    </section>
  );
}

function PasteYaml({ isBusy, onApply }: { isBusy: boolean; onApply: (text: string) => void }) {
  const text = useSignal("");
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    const texts = await Promise.all(files.map((file) => file.text()));
    if (texts.length > 0) text.value = texts.join("\n---\n");
  };
  return (
    <div>
      <label>
        <b>Drop or paste YAML</b>
        <textarea
          rows={5}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => void drop(event)}
        />
      </label>
      <button type="button" disabled={isBusy || text.value.trim() === ""} onClick={() => onApply(text.value)}>
        Apply
      </button>
    </div>
  );
}

/** Content of a column without rows. */
export function EmptyColumn({ what, hidden }: { what: "who" | "leaves" | "from"; hidden: number }) {
  if (hidden > 0) return <p class="empty">The filter hides all {hidden.toLocaleString()}.</p>;
  if (what === "who") return <p class="empty">There is no namespace.</p>;
  if (what === "from") return <NoNodes />;
  return (
    <p class="empty">
      All pods leave by their node's address.{" "}
      <a
        href={linkTo({ group: "k8s.ovn.org", version: "v1", resource: "egressips", namespace: "", name: "" })}
      >
        New EgressIP
      </a>
    </p>
  );
}
