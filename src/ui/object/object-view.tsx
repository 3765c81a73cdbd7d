// One object: what it says, whether it is true, what happened to it, who owns which field, and why it is as it is.
import { useEffect, useMemo } from "preact/hooks";
import { Asking, shownOf } from "../frame/answer.ts";
import { type KindInfo, linkTo, type ObjectRef } from "../frame/kinds.ts";
import { go } from "../frame/navigation.ts";
import { formatRoute, type Route, withQuery } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { EventsTab } from "./events-tab.tsx";
import { ExplainTab, isExplained } from "./explain-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { readText } from "./object-text.ts";
import { OwnersTab } from "./owners-tab.tsx";
import { YamlTab } from "./yaml-tab.tsx";

const TABS = [
  { tab: "yaml", word: "YAML" },
  { tab: "events", word: "Events" },
  { tab: "fields", word: "Fields and owners" },
  { tab: "history", word: "History" },
  { tab: "explain", word: "Explain" },
] as const;
type Tab = (typeof TABS)[number]["tab"];

export interface Shown {
  readonly kind: KindInfo;
  readonly of: ObjectRef;
}

export function ObjectView({ route, kind, of }: Shown & { route: Route }) {
  const asking = useMemo(() => new Asking<string>(), []);
  const read = () => asking.ask((signal) => readText(of, signal));
  useEffect(() => read(), []);
  const answer = asking.answer.value;
  const text = shownOf(answer);
  const known = TABS.filter(({ tab }) => tab !== "explain" || isExplained(kind));
  const chosen: Tab = known.find(({ tab }) => tab === route.query.get("tab"))?.tab ?? "yaml";
  return (
    <div class="objects object">
      <p class="path">
        <a href="/egret/ui/o">Objects</a> ›{" "}
        <a href={linkTo({ ...of, namespace: "", name: "" })}>{kind.kind}</a> ›{" "}
        {of.namespace !== "" && `${of.namespace} › `}
        {of.name}
      </p>
      <h1>{of.name}</h1>
      <Tabs route={route} tabs={known} chosen={chosen} />
      <div role="tabpanel" aria-label={TABS.find(({ tab }) => tab === chosen)?.word} class="panel">
        {answer.state === "refused" && chosen === "yaml" && (
          <TellStatus status={answer.status} what="It cannot be read" />
        )}
        {text !== undefined && chosen === "yaml" && (
          <YamlTab kind={kind} of={of} read={text} onWritten={read} />
        )}
        {chosen === "events" && <EventsTab kind={kind} of={of} />}
        {chosen === "fields" && <OwnersTab of={of} />}
        {chosen === "history" && <HistoryTab of={of} />}
        {chosen === "explain" && <ExplainTab kind={kind} of={of} />}
      </div>
    </div>
  );
}

interface TabsProps {
  readonly route: Route;
  readonly tabs: readonly (typeof TABS)[number][];
  readonly chosen: Tab;
}

/** One stop for the tabulator; arrows choose. */
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
