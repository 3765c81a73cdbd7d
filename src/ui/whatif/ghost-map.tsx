// A what-if plan on the map: the affected objects in their present state, with planned assignments as ghosts. The tables
// below it have the same content as text.
import { useMemo } from "preact/hooks";
import type { Difference } from "../../ovn/compare.ts";
import { at } from "../frame/navigation.ts";
import type { Route } from "../frame/route.ts";
import "../map/ghosts.css";
import { ghostsOf, isUnmoved } from "../map/ghosts.ts";
import { past, present } from "../map/map-states.ts";
import { MapView } from "../map/map-view.tsx";
import { refused } from "../state.ts";
import { fatesOf, type Step } from "./steps.ts";

interface GhostMapProps {
  readonly route: Route;
  readonly difference: Difference;
  readonly steps: readonly Step[];
}

export function GhostMap({ route, difference, steps }: GhostMapProps) {
  const shown = at.value === undefined ? present : past;
  const facts = shown.facts.value;
  const key = route.query.getAll("do").join("\n");
  const passed = useMemo(() => ghostsOf(facts, difference, fatesOf(steps)), [facts, difference, key]);
  if (isUnmoved(passed)) return null;
  return (
    <section class="ghost-map" aria-label="What would move">
      <MapView
        route={route}
        facts={facts}
        passed={passed}
        known={shown.known}
        arrived={NOTHING}
        refused={refused.value}
        isPlan
      />
    </section>
  );
}

/** Plans animate no moves; real moves appear on the map view. */
const NOTHING: readonly never[] = [];
