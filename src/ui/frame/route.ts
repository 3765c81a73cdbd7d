// Where somebody is in the page: a view, the rest of the path, and the query. All that another person should see is there.

export const VIEWS = ["map", "o", "trace", "whatif", "time", "lab", "traffic"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View;
  /** Behind the view, decoded: of an object its group, version, resource, namespace and name. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const BASE = "/egret/ui/";

/** A path of the page; what is unknown is the map. */
export function parseRoute(pathname: string, search: string): Route {
  const [first = "", ...path] = pathname.slice(BASE.length).split("/").filter(Boolean).map(decode);
  const view = VIEWS.find((known) => known === first) ?? "map";
  return { view, path: view === first ? path : [], query: new URLSearchParams(search) };
}

export function formatRoute({ view, path, query }: Route): string {
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return `${BASE}${[view, ...path.map(encodeURIComponent)].join("/")}${text === "" ? "" : `?${text}`}`;
}

/** The same place with other parameters; an empty value takes one away. */
export function withQuery(route: Route, changes: Readonly<Record<string, string>>): Route {
  const query = new URLSearchParams(route.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  return { ...route, query };
}

/** A query parameter that lists values with commas between them. */
export function listAt({ query }: Route, name: string): string[] {
  return (query.get(name) ?? "").split(",").filter((text) => text !== "");
}

/** The revision that is to be shown; undefined: now. */
export function atOf({ query }: Route): number | undefined {
  const text = query.get("at") ?? "";
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Going elsewhere does not leave the moment that is shown. */
export function keepingAt(to: Route, from: Route): Route {
  const at = from.query.get("at") ?? "";
  return to.query.has("at") || at === "" ? to : withQuery(to, { at });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that stands for itself
  }
}
