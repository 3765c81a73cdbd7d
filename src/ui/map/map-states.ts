// Map states of the present and of the revision in the URL. They are updated while other views are open, so that no move
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
