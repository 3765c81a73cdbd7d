// The map with what it needs of the page: the model, the clock, and where one is.
import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { browserClock, markTime } from "../frame/browser-clock.ts";
import type { Route } from "../frame/route.ts";
import { link, model, refused, touched } from "../state.ts";
import { Beginning } from "./empty.tsx";
import { filterOf, passing } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { Ticker } from "./foot.tsx";
import "./map.css";
import { MapState } from "./map-state.ts";
import { MapTable } from "./map-table.tsx";
import { MapView } from "./map-view.tsx";

/** It goes on while other views are shown, so that no move is missed. */
const state = new MapState({
  model,
  clock: browserClock,
  nextFrame: (callback) => void requestAnimationFrame(callback),
});
effect(() => state.take(touched.value));
effect(() => state.hold(link.value.state === "loading"));

/** What every server has by itself. */
const OWN_NAMESPACE = /^(default|kube-.*|openshift-.*)$/;

export function MapPage({ route }: { route: Route }) {
  const isMuted = useSignal(false);
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
      <Ticker
        entries={state.entries.value}
        isMuted={isMuted.value}
        onMute={(now) => {
          isMuted.value = now;
        }}
      />
    </div>
  );
}
