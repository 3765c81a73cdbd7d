// Keyboard shortcuts of all views: maps keys to actions. Pure.
import type { View } from "./route.ts";

export type Act =
  | { readonly act: "go"; readonly view: View }
  | { readonly act: "subject"; readonly verb: SubjectVerb }
  | { readonly act: "move"; readonly by: 1 | -1 }
  | { readonly act: "play" | "now" | "table" | "help" | "search" | "escape" };

/** Actions on the focused row or the selected object. */
export type SubjectVerb = "explain" | "trace" | "whatif";

/** Keys after "g". */
export const PLACES: ReadonlyMap<string, View> = new Map([
  ...([
    ["m", "map"],
    ["o", "o"],
    ["t", "trace"],
    ["w", "whatif"],
  ] as const),
  ...([
    ["l", "time"],
    ["b", "lab"],
    ["r", "traffic"],
  ] as const),
]);

const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  ["e", { act: "subject", verb: "explain" }],
  ["t", { act: "subject", verb: "trace" }],
  ["w", { act: "subject", verb: "whatif" }],
  ["[", { act: "move", by: -1 }],
  ["]", { act: "move", by: 1 }],
  ["p", { act: "play" }],
  ["n", { act: "now" }],
  ["v", { act: "table" }],
  ["?", { act: "help" }],
  ["/", { act: "search" }],
]);

/** Content of the help dialog. */
export const HELP: readonly (readonly [keys: string, what: string])[] = [
  ["/", "search in the view"],
  ["g m · g o · g t · g w", "go to the map, objects, trace, what if"],
  ["g l · g b · g r", "go to the timeline, the lab, traffic"],
  ["↑ ↓ Home End", "within a column"],
  ["← →", "along the line to the partner in the next column"],
  ["Enter, Space", "open, fold, choose"],
  ["e", "explain the row that has the focus, or was chosen"],
  ["t", "trace from it"],
  ["w", "what if it were gone"],
  ["[ ]", "the move before, the next move"],
  ["p", "play, pause; in the timeline Space as well"],
  ["n", "back to now"],
  ["v", "map or table"],
  ["Ctrl+Enter", "in the editor: check, and then apply"],
  ["Esc", "leave a search, the editor, or what was chosen"],
  ["?", "these keys"],
];

/** Time limit in milliseconds for the second key after "g". */
const CHORD_MS = 1_500;

export interface Pressed {
  readonly key: string;
  /** With Ctrl, Alt or Meta a key belongs to the browser or the editor. */
  readonly isModified: boolean;
  /** The focus is in a text field. */
  readonly isTyping: boolean;
  /** The focus is on an element that Space activates. */
  readonly isOnControl: boolean;
  readonly view: View;
}

export class Keys {
  /** Whether single-letter shortcuts are on. Speech input would trigger them by accident (WCAG 2.1.4). */
  isOn: boolean;
  #chordMs = Number.NEGATIVE_INFINITY;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  press({ key, isModified, isTyping, isOnControl, view }: Pressed, nowMs: number): Act | undefined {
    const isChord = nowMs - this.#chordMs < CHORD_MS;
    this.#chordMs = Number.NEGATIVE_INFINITY;
    if (isModified) return undefined;
    if (key === "Escape") return { act: "escape" };
    if (isTyping || !this.isOn) return undefined;
    if (isChord) {
      const place = PLACES.get(key);
      if (place !== undefined) return { act: "go", view: place };
    }
    if (key === "g") {
      this.#chordMs = nowMs;
      return undefined;
    }
    if (key === " " && view === "time" && !isOnControl) return { act: "play" };
    return ACTS.get(key);
  }
}
