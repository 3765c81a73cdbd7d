// YAML editor of an object: edit, check by dry run, review the diff, apply. An unedited text follows the server. For an
// edited one the changes on the server are shown beside it.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { linkTo } from "../frame/kinds.ts";
import { go } from "../frame/navigation.ts";
import { parseRoute } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { Can, NotAllowed, standingOf } from "../rights/can.tsx";
import { onObject } from "../rights/question.ts";
import type { CodeEditor } from "./code-editor.ts";
import { Deletion } from "./deletion.tsx";
import { DiffView } from "./diff-view.tsx";
import { type Check, Draft } from "./draft.ts";
import { applyText, checkText, readText, scalarAt } from "./object-text.ts";
import type { ShownObject } from "./shown-object.ts";

interface YamlTabProps extends ShownObject {
  /** The present text. */
  readonly text: string;
  /** The manager of the newest managedFields entry, or "". */
  readonly writer: string;
  readonly isGone: boolean;
}

export function YamlTab({ kind, of, text, writer, isGone }: YamlTabProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useSignal<CodeEditor | undefined>(undefined);
  const draft = useMemo(() => draftOf(of, text), []);
  const edit = standingOf([onObject("update", of)]);
  const isReadOnly = edit.right === "refused" || !kind.verbs.includes("update");
  useEffect(() => openIn(place.current, draft, of.name, editor), []);
  useEffect(() => draft.follow(text), [text]);
  useEffect(() => editor.value?.setReadOnly(isReadOnly), [editor.value, isReadOnly]);
  return (
    <div class="yaml">
      {isGone && <p class="notice bad">✕ It is not there any more: somebody has deleted it.</p>}
      <Followed draft={draft} writer={writer} />
      <div ref={place} class="editor" />
      {edit.right === "refused" && <NotAllowed why={edit.why} />}
      <div class="acts">
        {!isReadOnly && !isGone && <Acts draft={draft} />}
        <Can all={[onObject("delete", of)]} otherwise={() => null}>
          {!isGone && (
            <Deletion kind={kind} of={of} onDeleted={() => go(parseRoute(linkTo({ ...of, name: "" }), ""))} />
          )}
        </Can>
      </div>
      <Meanwhile draft={draft} />
      <Result draft={draft} editor={editor.value} />
    </div>
  );
}

const draftOf = (of: ShownObject["of"], text: string): Draft =>
  new Draft(
    {
      read: () => readText(of),
      check: (edited) => checkText(of, edited),
      apply: (edited) => applyText(of, edited),
    },
    text,
  );

/** Loads the editor's code on first use. */
function openIn(
  place: HTMLElement | null,
  draft: Draft,
  name: string,
  editor: Signal<CodeEditor | undefined>,
): () => void {
  let isGone = false;
  void import("./code-editor.ts").then(({ openEditor }) => {
    if (isGone || !place) return;
    editor.value = openEditor(place, {
      text: draft.base.value,
      label: `YAML of ${name}`,
      onChange: () => draft.typed(),
      onSubmit: () => void (draft.check.value.state === "passed" ? draft.apply() : draft.ask()),
    });
    draft.open(editor.value);
  });
  return () => {
    isGone = true;
    editor.value?.close();
  };
}

/** The text has followed the server: revision, writer and diff. */
function Followed({ draft: { before, base }, writer }: { draft: Draft; writer: string }) {
  return (
    <div role="status" class="followed">
      {before.value !== undefined && (
        <details>
          <summary>
            ⟳ Changed elsewhere: revision {scalarAt(base.value, "metadata.resourceVersion")}
            {writer !== "" && ` by ${writer}`}
          </summary>
          <DiffView before={before.value} after={base.value} title="What has changed" />
        </details>
      )}
    </div>
  );
}

function Acts({ draft }: { draft: Draft }) {
  const { state } = draft.check.value;
  return (
    <>
      <button
        type="button"
        disabled={state === "unchanged" || state === "asking"}
        onClick={() => void draft.ask()}
      >
        Check and diff
      </button>
      <button type="button" class="main" disabled={state !== "passed"} onClick={() => void draft.apply()}>
        Apply
      </button>
      <button type="button" disabled={state === "unchanged"} onClick={() => draft.undo()}>
        Undo all
      </button>
      <span class="hint" role="status">
        {HINTS[state]}
      </span>
    </>
  );
}

const HINTS: Readonly<Record<Check["state"], string>> = {
  unchanged: "",
  changed: "Apply opens after a check has passed. Ctrl+Enter",
  asking: "The server is asked …",
  applied: "✓ Applied.",
  passed: "✓ The server would take it. Ctrl+Enter applies.",
  refused: "Nothing was changed.",
};

/** The edited object has changed on the server. */
function Meanwhile({ draft }: { draft: Draft }) {
  const theirs = draft.theirs.value;
  if (theirs === undefined) return null;
  return (
    <div class="conflict" role="alert">
      <p>
        <b>! Changed meanwhile.</b> Somebody has written since you began:
      </p>
      <DiffView before={draft.base.value} after={theirs} title="Their changes" />
      <button type="button" onClick={() => draft.keepMine()}>
        Keep my text, over theirs
      </button>{" "}
      <button type="button" onClick={() => draft.undo()}>
        Take theirs
      </button>
    </div>
  );
}

function Result({ draft, editor }: { draft: Draft; editor: CodeEditor | undefined }) {
  const check = draft.check.value;
  if (check.state === "passed")
    return <DiffView before={draft.base.value} after={check.result} title="What would change" />;
  if (check.state !== "refused" || draft.theirs.value !== undefined) return null;
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
}
