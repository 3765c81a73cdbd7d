// The editor, loaded on first use. It lives in a shadow root, where its styles are a constructed style sheet: the
// Content-Security-Policy forbids the inline style element that it would add to the document.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { TextEditor } from "./draft.ts";
import type { Finding } from "./findings.ts";
import { nextToken, type Place } from "./yaml-tokens.ts";

export interface CodeEditor extends TextEditor {
  setReadOnly(isReadOnly: boolean): void;
  goToLine(line: number): void;
  close(): void;
}

export interface CodeEditorOptions {
  readonly text: string;
  readonly label: string;
  readonly onChange: () => void;
  /** Ctrl+Enter or Command+Enter. */
  readonly onSubmit: () => void;
}

export function openEditor(
  place: HTMLElement,
  { text, label, onChange, onSubmit }: CodeEditorOptions,
): CodeEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const readOnly = new Compartment();
  const submit = () => {
    onSubmit();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    doc: text,
    extensions: [
      keymap.of([{ key: "Mod-Enter", run: submit }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      highlightActiveLine(),
      YAML,
      syntaxHighlighting(COLOURS),
      STYLE,
      findingsField,
      readOnly.of(EditorState.readOnly.of(false)),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (next) => view.dispatch({ changes: changeTo(view.state.doc.toString(), next) }),
    setReadOnly: (isReadOnly) =>
      view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)) }),
    setFindings: (findings) => view.dispatch({ effects: setFindings.of(findings) }),
    goToLine(line) {
      const { from } = view.state.doc.line(Math.min(line + 1, view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

/** The smallest change between two texts, which keeps cursor and scroll position. */
function changeTo(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

const YAML = StreamLanguage.define<Place>({
  startState: () => ({ block: undefined }),
  copyState: (place) => ({ ...place }),
  token: nextToken,
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--ok)" },
  { tag: [tags.string, tags.content, tags.attributeValue], color: "var(--text)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--muted)" },
  { tag: [tags.punctuation, tags.separator], color: "var(--muted)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const STYLE = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--bg)", fontSize: "inherit" },
  "&.cm-focused": { outline: "2px solid var(--ok)" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.4" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--surface)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--tint-ok) 40%, transparent)",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--tint-ok) !important",
  },
  ".finding-line": { backgroundColor: "var(--tint-bad)" },
  ".finding": {
    padding: "0 0.5rem",
    color: "var(--bad)",
    backgroundColor: "var(--tint-bad)",
    whiteSpace: "pre-wrap",
  },
});

const setFindings = StateEffect.define<readonly Finding[]>();

const findingsField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, state }) {
    for (const effect of effects) {
      if (effect.is(setFindings)) return decorationsOf(effect.value, state);
    }
    return shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorationsOf(findings: readonly Finding[], { doc }: EditorState): DecorationSet {
  const ranges = findings.flatMap(({ line, message }) => {
    if (line === undefined || line >= doc.lines) return [];
    const { from, to } = doc.line(line + 1);
    const words = Decoration.widget({ widget: new FindingWidget(message), side: 1, block: true });
    return [Decoration.line({ class: "finding-line" }).range(from), words.range(to)];
  });
  return Decoration.set(ranges, true);
}

class FindingWidget extends WidgetType {
  readonly #message: string;

  constructor(message: string) {
    super();
    this.#message = message;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("div");
    element.className = "finding";
    element.textContent = `✕ ${this.#message}`;
    return element;
  }
}
