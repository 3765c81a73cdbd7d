// The object as YAML: edited here, checked by the server (a dry run), shown as a difference, and then applied.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { linkTo } from "../frame/kinds.ts";
import { go } from "../frame/navigation.ts";
import { parseRoute } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import type { CodeEditor } from "./code-editor.ts";
import { Deletion } from "./deletion.tsx";
import { DiffView } from "./diff-view.tsx";
import { type Finding, findingsOf } from "./findings.ts";
import { applyText, atVersion, checkText, readText, scalarAt } from "./object-text.ts";
import type { Shown } from "./object-view.tsx";

type Check =
  | { readonly state: "unchanged" | "changed" | "asking" | "applied" }
  /** What it would come to. */
  | { readonly state: "passed"; readonly result: string }
  | { readonly state: "refused"; readonly status: ToldStatus; readonly findings: readonly Finding[] }
  /** Somebody has written since: what is there now. */
  | { readonly state: "conflict"; readonly theirs: string };

interface YamlTabProps extends Shown {
  /** The text as it was read. */
  readonly read: string;
  readonly onWritten: () => void;
}

export function YamlTab({ kind, of, read, onWritten }: YamlTabProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const check = useSignal<Check>({ state: "unchanged" });
  const base = useSignal(read);
  const act = async (manner: "check" | "apply"): Promise<void> => {
    const text = editor.current?.text() ?? "";
    check.value = { state: "asking" };
    try {
      if (manner === "check") check.value = { state: "passed", result: await checkText(of, text) };
      else {
        await applyText(of, text);
        check.value = { state: "applied" };
        onWritten();
      }
      editor.current?.setFindings([]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await tellRefusal(error.status, text);
    }
  };
  const tellRefusal = async (status: ToldStatus, text: string): Promise<void> => {
    if (status.reason === "Conflict") {
      check.value = { state: "conflict", theirs: await readText(of) };
      return;
    }
    const findings = findingsOf(status, text);
    editor.current?.setFindings(findings);
    check.value = { state: "refused", status, findings };
  };
  const submit = (): void => void act(check.value.state === "passed" ? "apply" : "check");
  useEffect(() => {
    let isGone = false;
    void import("./code-editor.ts").then(({ openEditor }) => {
      if (isGone || !place.current) return;
      editor.current = openEditor(place.current, {
        text: read,
        label: `YAML of ${of.name}`,
        onChange: () => {
          const isRead = editor.current?.text() === base.value;
          if (!isRead) check.value = { state: "changed" };
          else if (check.value.state !== "applied") check.value = { state: "unchanged" };
        },
        onSubmit: submit,
      });
    });
    return () => {
      isGone = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    // What was read anew replaces a text that nobody has changed.
    if (check.value.state !== "unchanged" && check.value.state !== "applied") return;
    base.value = read;
    if (editor.current && editor.current.text() !== read) editor.current.setText(read);
  }, [read, check, base]);
  const { state } = check.value;
  const take = (text: string, from: string): void => {
    base.value = from;
    editor.current?.setText(text);
  };
  return (
    <div class="yaml">
      <div ref={place} class="editor" />
      <div class="acts">
        <button
          type="button"
          disabled={state === "unchanged" || state === "asking"}
          onClick={() => void act("check")}
        >
          Check and diff
        </button>
        <button type="button" class="main" disabled={state !== "passed"} onClick={() => void act("apply")}>
          Apply
        </button>
        <button type="button" disabled={state === "unchanged"} onClick={() => take(base.value, base.value)}>
          Undo all
        </button>
        <span class="hint" role="status">
          {HINTS[state]}
        </span>
        <Deletion
          kind={kind}
          of={of}
          onDeleted={() => go(routeTo(linkTo({ ...of, namespace: "", name: "" })))}
        />
      </div>
      <Result
        check={check.value}
        base={base.value}
        editor={editor.current}
        mine={editor.current?.text() ?? ""}
        onTake={take}
      />
    </div>
  );
}

const routeTo = (address: string) => parseRoute(address, "");

const HINTS: Readonly<Record<Check["state"], string>> = {
  unchanged: "",
  changed: "Apply opens after a check has passed. Ctrl+Enter",
  asking: "The server is asked …",
  applied: "✓ Applied.",
  passed: "✓ The server would take it. Ctrl+Enter applies.",
  refused: "Nothing was changed.",
  conflict: "Nothing was changed.",
};

interface ResultProps {
  readonly check: Check;
  readonly base: string;
  readonly mine: string;
  readonly editor: CodeEditor | undefined;
  readonly onTake: (text: string, from: string) => void;
}

function Result({ check, base, mine, editor, onTake }: ResultProps) {
  switch (check.state) {
    case "passed":
      return <DiffView before={base} after={check.result} title="What would change" />;
    case "refused":
      return (
        <>
          <TellStatus status={check.status} what="Refused by the server" />
          <ul>
            {check.findings.map(({ message, line }) => (
              <li key={message}>
                {line === undefined ? (
                  message
                ) : (
                  <button type="button" class="quiet" onClick={() => editor?.goToLine(line)}>
                    Line {line + 1}: {message}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      );
    case "conflict":
      return (
        <div class="conflict" role="alert">
          <p>
            <b>! Somebody has written since you began.</b> What they have changed:
          </p>
          <DiffView before={base} after={check.theirs} title="Their changes" />
          <button
            type="button"
            onClick={() =>
              onTake(atVersion(mine, scalarAt(check.theirs, "metadata.resourceVersion")), check.theirs)
            }
          >
            Keep my text, over theirs
          </button>{" "}
          <button type="button" onClick={() => onTake(check.theirs, check.theirs)}>
            Take theirs
          </button>
        </div>
      );
    default:
      return null;
  }
}
