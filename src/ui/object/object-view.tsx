// View of one object, with tabs: YAML, Events, fields and field managers, history, related objects, explanation.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { openWatch } from "../data/http-transport.ts";
import { browserClock } from "../frame/browser-clock.ts";
import { type KindInfo, linkTo, type ObjectRef, pathOf } from "../frame/kinds.ts";
import { go } from "../frame/navigation.ts";
import { formatRoute, type Route, withQuery } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { mayDo, standingOf } from "../rights/can.tsx";
import { EVERYTHING, onControl, onObject } from "../rights/question.ts";
import { EventsTab } from "./events-tab.tsx";
import { ExplainTab, isExplained } from "./explain-tab.tsx";
import { lastOwner, type ManagedFields } from "./fields.ts";
import { FieldsTab } from "./fields-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { LiveObject } from "./live-object.ts";
import { readText } from "./object-text.ts";
import { RelatedTab } from "./related-tab.tsx";
import type { ShownObject } from "./shown-object.ts";
import { YamlTab } from "./yaml-tab.tsx";

const TABS = [
  { tab: "yaml", word: "YAML" },
  { tab: "events", word: "Events" },
  { tab: "fields", word: "Fields and owners" },
  { tab: "history", word: "History" },
  { tab: "related", word: "Related" },
  { tab: "explain", word: "Explain" },
] as const;
type Tab = (typeof TABS)[number]["tab"];

interface ObjectViewProps extends ShownObject {
  readonly route: Route;
  readonly kinds: readonly KindInfo[];
}

export function ObjectView({ route, kind, of, kinds }: ObjectViewProps) {
  const live = useLive(of);
  const known = TABS.filter(({ tab }) => isOffered(tab, kind));
  const chosen: Tab = known.find(({ tab }) => tab === route.query.get("tab"))?.tab ?? "yaml";
  const hasEditor = useRef(false);
  hasEditor.current ||= chosen === "yaml";
  const [text, object, refused] = [live.text.value, live.object.value, live.refused.value];
  const metadata = objectAt(object, "metadata");
  const version = textAt(metadata, "resourceVersion");
  return (
    <div class="objects object">
      <p class="path">
        <a href="/egret/ui/o">Objects</a> ›{" "}
        <a href={linkTo({ ...of, namespace: "", name: "" })}>{kind.kind}</a> ›{" "}
        {of.namespace !== "" && `${of.namespace} › `}
        {of.name}
      </p>
      <h1>
        {of.name} <Standing live={live} version={version} />
      </h1>
      <Tabs route={route} tabs={known} chosen={chosen} />
      <div role="tabpanel" aria-label={TABS.find(({ tab }) => tab === chosen)?.word} class="panel">
        {refused && text === undefined && chosen === "yaml" && (
          <TellStatus status={refused} what="It cannot be read" />
        )}
        {/* The editor stays mounted on other tabs, so that an edit is kept. */}
        {text !== undefined && hasEditor.current && (
          <div hidden={chosen !== "yaml"}>
            <YamlTab kind={kind} of={of} text={text} writer={writerOf(metadata)} isGone={live.isGone.value} />
          </div>
        )}
        {chosen === "events" && <EventsTab key={version} kind={kind} of={of} />}
        {chosen === "fields" && <FieldsTab of={of} route={route} version={version} object={object} />}
        {chosen === "history" && <HistoryTab of={of} route={route} version={version} />}
        {chosen === "related" && <RelatedTab kind={kind} of={of} kinds={kinds} object={object} />}
        {chosen === "explain" && <ExplainTab key={version} kind={kind} of={of} />}
      </div>
    </div>
  );
}

/** Watches the object while it is shown, if the user may watch it. */
function useLive(of: ObjectRef): LiveObject {
  const live = useMemo(() => {
    const query = new URLSearchParams({ fieldSelector: `metadata.name=${of.name}` });
    return new LiveObject({
      watch: (asked, told) => openWatch(pathOf({ ...of, name: "" }), `${asked}&${query}`, told),
      read: () => readText(of),
      clock: browserClock,
    });
  }, []);
  const { right } = standingOf([onObject("watch", of)]);
  useEffect(() => live.read(), []);
  useEffect(() => {
    if (right !== "asking") live.follow(right !== "refused");
  }, [right]);
  useEffect(() => () => live.stop(), []);
  return live;
}

function isOffered(tab: Tab, kind: KindInfo): boolean {
  if (tab === "explain") return isExplained(kind) && mayDo([onControl("post", "explain")]);
  return tab !== "history" || mayDo(EVERYTHING);
}

const writerOf = (metadata: JsonObject | undefined): string => {
  const managed = metadata?.["managedFields"];
  return (Array.isArray(managed) && lastOwner(managed as ManagedFields[])?.manager) || "";
};

const STATES = {
  opening: "",
  live: "● live",
  lost: "✕ not live: nobody answers",
  refused: "○ not live: you may not watch it",
} as const;

/** Whether the view is up to date. */
function Standing({ live, version }: { live: LiveObject; version: string }) {
  const state = live.isGone.value ? "✕ deleted" : STATES[live.state.value];
  return (
    <small class="hint">
      {state}
      {version !== "" && ` · revision ${version}`}
    </small>
  );
}

interface TabsProps {
  readonly route: Route;
  readonly tabs: readonly (typeof TABS)[number][];
  readonly chosen: Tab;
}

/** Tab list with a single tab stop; arrow keys select. */
function Tabs({ route, tabs, chosen }: TabsProps) {
  const to = (tab: Tab): Route => withQuery(route, { tab: tab === "yaml" ? "" : tab });
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const at = tabs.findIndex(({ tab }) => tab === chosen) + step;
    const next = tabs[(at + tabs.length) % tabs.length];
    if (step === 0 || !next) return;
    event.preventDefault();
    go(to(next.tab), "replace");
    const { currentTarget } = event;
    if (currentTarget instanceof HTMLElement)
      currentTarget.querySelector<HTMLElement>(`#tab-${next.tab}`)?.focus();
  };
  return (
    <div role="tablist" tabIndex={-1} class="tabs" onKeyDown={onKey}>
      {tabs.map(({ tab, word }) => (
        <a
          key={tab}
          id={`tab-${tab}`}
          role="tab"
          href={formatRoute(to(tab))}
          aria-selected={tab === chosen}
          tabIndex={tab === chosen ? 0 : -1}
        >
          {word}
        </a>
      ))}
    </div>
  );
}
