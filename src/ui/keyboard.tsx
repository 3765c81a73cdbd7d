// Keyboard shortcuts of all views, their help dialog, and the status message of a key without effect.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { selectorOf } from "./data/anchored.ts";
import { browserClock } from "./frame/browser-clock.ts";
import { type Act, HELP, Keys, type SubjectVerb } from "./frame/keys.ts";
import type { ObjectRef } from "./frame/kinds.ts";
import { at, go, goTo, route } from "./frame/navigation.ts";
import { keepingAt, withQuery } from "./frame/route.ts";
import { placeFor, subjectOf } from "./frame/subject.ts";
import { pastModel } from "./shown.ts";
import { model } from "./state.ts";
import { leapSoon, playSoon } from "./time/leap-keys.ts";

/** localStorage key of the setting that disables single-letter shortcuts. */
const KEPT = "egret:keys";
const SAID_MS = 4_000;

const keys = new Keys(localStorage.getItem(KEPT) !== "off");
const said = signal("");
export const isHelpOpen = signal(false);

let unsay = () => {};
function say(text: string): void {
  unsay();
  said.value = text;
  unsay = browserClock.after(SAID_MS, () => {
    said.value = "";
  });
}

export function Keyboard() {
  useEffect(() => {
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <>
      {isHelpOpen.value && <Help />}
      <p class="said" role="status">
        {said.value}
      </p>
    </>
  );
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const target = event.composedPath()[0];
  const element = target instanceof Element ? target : document.body;
  const { view } = route.value;
  const act = keys.press(
    {
      ...{ key: event.key, view },
      isModified: event.ctrlKey || event.metaKey || event.altKey,
      isTyping:
        element.closest("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]") !==
        null,
      isOnControl: element.closest("a, button, input, summary, [tabindex='0']") !== null,
    },
    browserClock.now(),
  );
  if (act && done(act, element)) event.preventDefault();
}

/** False: the browser's default action follows. */
function done(act: Act, element: Element): boolean {
  switch (act.act) {
    case "go":
      go(keepingAt({ view: act.view, path: [], query: new URLSearchParams() }, route.value));
      return true;
    case "subject":
      ask(act.verb, element);
      return true;
    case "move":
      leapSoon(act.by, say);
      return true;
    case "play":
      playSoon(say);
      return true;
    case "now":
      if (at.value !== undefined) goTo(undefined, "push");
      return true;
    case "table":
      if (route.value.view !== "map") return false;
      go(withQuery(route.value, { as: route.value.query.get("as") === "table" ? "" : "table" }));
      return true;
    case "help":
      isHelpOpen.value = true;
      return true;
    case "search":
      return search();
    case "escape":
      return leaveOff(element);
  }
}

function search(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [aria-keyshortcuts="/"]');
  field?.focus();
  return field !== null;
}

function leaveOff(element: Element): boolean {
  if (element instanceof HTMLInputElement && element.type === "search") {
    if (element.value === "") element.blur();
    return false; // the browser clears the field
  }
  const hasChosen = route.value.query.has("sel");
  if (hasChosen) go(withQuery(route.value, { sel: "" }), "replace");
  return hasChosen;
}

function ask(verb: SubjectVerb, element: Element): void {
  const rowKey =
    element.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? route.value.query.get("sel") ?? "";
  const of = subjectOf(rowKey, route.value);
  const place = of && placeFor(verb, of, usersOf(of));
  if (place) go(keepingAt(place, route.value));
  else
    say(of ? "That cannot be asked of it." : "Choose a row of the map first: Tab and the arrows lead there.");
}

/** Names of the namespaces that an EgressIP selects. */
function usersOf({ resource, name }: ObjectRef): string[] {
  const known = at.value === undefined ? model : pastModel;
  const record = resource === "egressips" ? known.egressips.named(name) : undefined;
  if (!record) return [];
  const selector = selectorOf(record.namespaceSelector);
  return [...known.namespaces.values()]
    .filter(({ labels }) => selector.matches(labels))
    .map((one) => one.name);
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <h2 id="help-title">Keys</h2>
      <dl>
        {HELP.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        <label>
          <input
            type="checkbox"
            defaultChecked={keys.isOn}
            onChange={({ currentTarget: { checked } }) => {
              keys.isOn = checked;
              localStorage.setItem(KEPT, checked ? "on" : "off");
            }}
          />{" "}
          Single letters do something
        </label>
      </p>
      <button type="button" class="main" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
