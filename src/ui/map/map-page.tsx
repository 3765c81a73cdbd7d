// Connects the map with the model, the clock and the route.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { markTime } from "../frame/browser-clock.ts";
import { at } from "../frame/navigation.ts";
import type { Route } from "../frame/route.ts";
import { type Standing, standing } from "../shown.ts";
import { link, refused } from "../state.ts";
import { Beginning } from "./empty.tsx";
import { filterOf, passing } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { Ticker } from "./foot.tsx";
import { Hints } from "./hints.tsx";
import "./map.css";
import { past, present } from "./map-states.ts";
import { MapTable } from "./map-table.tsx";
import { MapView } from "./map-view.tsx";

/** Namespaces that every cluster has. */
const OWN_NAMESPACE = /^(default|kube-.*|openshift-.*)$/;

export function MapPage({ route }: { route: Route }) {
  const isMuted = useSignal(false);
  const isPast = at.value !== undefined;
  const state = isPast ? past : present;
  const facts = state.facts.value;
  const isEmpty =
    refused.value.length === 0 &&
    facts.nodes.length === 0 &&
    facts.targets.length === 0 &&
    facts.namespaces.every(({ name, pods }) => OWN_NAMESPACE.test(name) && pods === 0);
  const filter = filterOf(route);
  const passed = passing(facts, filter);
  const hidden =
    facts.targets.length +
    facts.nodes.length +
    facts.namespaces.length -
    (passed.targets.length + passed.nodes.length + passed.namespaces.length);
  useEffect(() => {
    markTime("egret:map");
  }, [isEmpty]);
  if (isPast && (isEmpty || standing.value.state !== "shown"))
    return <PastNothing standing={standing.value} />;
  if (isEmpty) return link.value.state === "live" ? <Beginning /> : <p class="empty">○ loading …</p>;
  return (
    <div class="map">
      <FilterBar route={route} filter={filter} facts={facts} hidden={hidden} />
      {route.query.get("as") === "table" ? (
        <MapTable route={route} targets={passed.targets} />
      ) : (
        <MapView
          route={route}
          facts={facts}
          passed={passed}
          known={state.known}
          arrived={state.arrived.value}
          refused={refused.value}
        />
      )}
      {!isPast && <Hints facts={facts} known={state.known} />}
      <Ticker
        entries={state.entries.value}
        isMuted={isMuted.value}
        isPast={isPast}
        onMute={(now) => {
          isMuted.value = now;
        }}
      />
    </div>
  );
}

/** The moment strip shows all other states. */
const PastNothing = ({ standing: { state } }: { standing: Standing }) => (
  <p class="empty">
    {state === "shown" ? "There was nothing yet." : state === "asking" ? "○ loading …" : ""}
  </p>
);
