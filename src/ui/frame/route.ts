// Route of the web UI: view, path and query. It contains all state that a shared link must reproduce.

export const VIEWS = ["map", "o", "trace", "whatif", "time", "lab", "traffic"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View;
  /** Decoded segments after the view; for an object: group, version, resource, namespace and name. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const BASE = "/egret/ui/";

/** Parses a URL of the web UI; an unknown view yields the map. */
export function parseRoute(pathname: string, search: string): Route {
  const [first = "", ...path] = pathname.slice(BASE.length).split("/").filter(Boolean).map(decode);
  const view = VIEWS.find((known) => known === first) ?? "map";
  return { view, path: view === first ? path : [], query: new URLSearchParams(search) };
}

export function formatRoute({ view, path, query }: Route): string {
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return `${BASE}${[view, ...path.map(encodeURIComponent)].join("/")}${text === "" ? "" : `?${text}`}`;
}

/** The route with changed parameters; an empty value removes one. */
export function withQuery(route: Route, changes: Readonly<Record<string, string>>): Route {
  const query = new URLSearchParams(route.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  return { ...route, query };
}

/** Values of a comma-separated query parameter. */
export function listAt({ query }: Route, name: string): string[] {
  return (query.get(name) ?? "").split(",").filter((text) => text !== "");
}

/** The revision to show; undefined: now. */
export function atOf({ query }: Route): number | undefined {
  const text = query.get("at") ?? "";
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Keeps the revision shown when the view changes. */
export function keepingAt(to: Route, from: Route): Route {
  const at = from.query.get("at") ?? "";
  return to.query.has("at") || at === "" ? to : withQuery(to, { at });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a literal %
  }
}
