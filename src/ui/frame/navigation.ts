// Keeps the URL in the address bar and the route of the web UI in sync.
import { computed, signal } from "@preact/signals";
import { atOf, BASE, formatRoute, keepingAt, parseRoute, type Route, withQuery } from "./route.ts";

export const route = signal<Route>(here());
/** The revision that all views show; undefined: now. */
export const at = computed(() => atOf(route.value));

function here(): Route {
  return parseRoute(location.pathname, location.search);
}

/** "push" adds a history entry; typing and scrubbing use "replace". */
export function go(to: Route, manner: "push" | "replace" = "push"): void {
  history[manner === "push" ? "pushState" : "replaceState"](undefined, "", formatRoute(to));
  route.value = to;
}

/** The revision as a parameter of requests to the control API; empty for now. */
export const momentAsked = (): { readonly resourceVersion?: string } =>
  at.value === undefined ? {} : { resourceVersion: String(at.value) };

/** Changes the revision, or with undefined returns to now; the view stays. */
export function goTo(revision: number | undefined, manner: "push" | "replace" = "replace"): void {
  go(withQuery(route.value, { at: revision === undefined ? "" : String(revision) }), manner);
}

/** Handles clicks on links of the web UI without a reload, and the history buttons of the browser. */
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
