// The address bar and the page say the same at any time.
import { computed, signal } from "@preact/signals";
import { atOf, BASE, formatRoute, keepingAt, parseRoute, type Route, withQuery } from "./route.ts";

export const route = signal<Route>(here());
/** The revision that all views show; undefined: now. */
export const at = computed(() => atOf(route.value));

function here(): Route {
  return parseRoute(location.pathname, location.search);
}

/** Going somewhere can be taken back with the browser's button; typing and scrubbing cannot. */
export function go(to: Route, manner: "push" | "replace" = "push"): void {
  history[manner === "push" ? "pushState" : "replaceState"](undefined, "", formatRoute(to));
  route.value = to;
}

/** What a question to the control surface names the moment by. */
export const momentAsked = (): { readonly resourceVersion?: string } =>
  at.value === undefined ? {} : { resourceVersion: String(at.value) };

/** To a moment, or with undefined back to now; the view stays. */
export function goTo(revision: number | undefined, manner: "push" | "replace" = "replace"): void {
  go(withQuery(route.value, { at: revision === undefined ? "" : String(revision) }), manner);
}

/** Follows links of the page without loading it again, and the browser's own buttons. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    route.value = here();
  });
  addEventListener("click", (event) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || event.defaultPrevented || !link || link.target !== "" || link.origin !== location.origin)
      return;
    if (!link.pathname.startsWith(BASE)) return;
    event.preventDefault();
    go(keepingAt(parseRoute(link.pathname, link.search), route.value));
  });
}
