// Root component: the top bar, notices about the connection, and the view of the current route.
import { browserClock } from "./frame/browser-clock.ts";
import { Login } from "./frame/login.tsx";
import { LostStrip } from "./frame/lost-strip.tsx";
import { at, route } from "./frame/navigation.ts";
import { session } from "./frame/session.ts";
import { TopBar } from "./frame/top-bar.tsx";
import { isHelpOpen, Keyboard } from "./keyboard.tsx";
import { LabView } from "./lab/lab-view.tsx";
import { MapPage } from "./map/map-page.tsx";
import { ObjectsView } from "./object/objects-view.tsx";
import { Can, NotAllowed } from "./rights/can.tsx";
import { EVERYTHING, onControl } from "./rights/question.ts";
import { again, link, revision } from "./state.ts";
import { MomentStrip } from "./time/moment-strip.tsx";
import { TimeView } from "./time/time-view.tsx";
import { TraceView } from "./trace/trace-view.tsx";
import { TrafficView } from "./traffic/traffic-view.tsx";
import { WhatIfView } from "./whatif/whatif-view.tsx";

export function App() {
  const { known = true } = session.value ?? {};
  const isUnknown = !known || link.value.state === "login";
  return (
    <>
      <TopBar
        route={route.value}
        link={isUnknown ? { state: "login" } : link.value}
        revision={revision.value}
        session={session.value}
        onHelp={() => {
          isHelpOpen.value = true;
        }}
      />
      {link.value.state === "lost" && <LostStrip link={link.value} clock={browserClock} onNow={again} />}
      {!isUnknown && (at.value !== undefined || route.value.view === "time") && <MomentStrip />}
      <main data-rev={revision.value} class={link.value.state === "lost" ? "stale" : undefined}>
        {isUnknown ? <Login /> : <Views />}
      </main>
      <Keyboard />
    </>
  );
}

/** The lab writes to the cluster, so it is not available at an earlier revision. */
const NotThen = () => (
  <p class="empty">The lab acts on the cluster as it is now: go back to now to use it.</p>
);

const Views = () => (
  <>
    {route.value.view === "o" && <ObjectsView route={route.value} />}
    {route.value.view === "map" && <MapPage route={route.value} />}
    {route.value.view === "trace" && (
      <Can all={[onControl("post", "trace")]} otherwise={closed("Trace")}>
        <TraceView route={route.value} />
      </Can>
    )}
    {route.value.view === "time" && <TimeView />}
    {route.value.view === "lab" && (at.value === undefined ? <LabView /> : <NotThen />)}
    {route.value.view === "traffic" && (
      <Can all={EVERYTHING} otherwise={closed("Requests of clients")}>
        <TrafficView route={route.value} />
      </Can>
    )}
    {route.value.view === "whatif" && (
      <Can all={EVERYTHING} otherwise={closed("What if")}>
        <WhatIfView route={route.value} />
      </Can>
    )}
  </>
);

/** Replaces a view that the user is not authorized to open. */
const closed = (title: string) => (why: string) => (
  <div class="closed">
    <h1>{title}</h1>
    <NotAllowed why={why} />
  </div>
);
