// What the map shows, of now and of the moment that the address names. It goes on while other views are shown, so that no move
// is missed.
import { effect } from "@preact/signals";
import type { Model } from "../data/model.ts";
import { browserClock } from "../frame/browser-clock.ts";
import { onMoment, pastModel } from "../shown.ts";
import { link, model, touched } from "../state.ts";
import { MapState } from "./map-state.ts";

const stateOf = (of: Model) =>
  new MapState({
    ...{ model: of, clock: browserClock },
    nextFrame: (callback) => void requestAnimationFrame(callback),
  });

export const present = stateOf(model);
effect(() => present.take(touched.value));
effect(() => present.hold(link.value.state === "loading"));

export const past = stateOf(pastModel);
onMoment((changed, isQuiet) => {
  past.take(changed, isQuiet);
  past.hold(false);
});
