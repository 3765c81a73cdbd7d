// A plan on the map: what would be different as it is now, with ghosts of what would be. The tables below say the same.
import { useMemo } from "preact/hooks";
import type { Difference } from "../../verdict/compare.ts";
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

/** What really moves meanwhile is seen on the map itself. */
const NOTHING: readonly never[] = [];
