// A URL and a method as one flat record, parsed once: what a real server calls RequestInfo.
//
//   /apis/k8s.ovn.org/v1/namespaces/web/egressfirewalls/default/status
//         group       version         namespace resource   name    subresource
import { lookupTable } from "../../meta/json.ts";

/**
 * The query of a URL, read as Go's url.ParseQuery reads it: a plus is a space, a pair that is escaped wrongly is dropped,
 * and of several values the first counts.
 */
export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(text: string) {
    this.#values = text === "" ? NO_VALUES : readPairs(text);
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Whether the key stands there without a value. */
  isEmpty(key: string): boolean {
    return this.#values.get(key)?.[0] === "";
  }

  /** The first value; "" when there is none. */
  get(key: string): string {
    return this.#values.get(key)?.[0] ?? "";
  }

  all(key: string): readonly string[] {
    return this.#values.get(key) ?? [];
  }

  /** A boolean as the API converts it: absent is false, "false" and "0" are false, any other text is true. */
  flag(key: string): boolean {
    return this.optionalFlag(key) ?? false;
  }

  optionalFlag(key: string): boolean | undefined {
    if (!this.has(key)) return undefined;
    return !["false", "0"].includes(this.get(key).toLowerCase());
  }
}

const NO_VALUES: ReadonlyMap<string, readonly string[]> = new Map();

function readPairs(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const cut = pair.indexOf("=");
    const key = unescapeQuery(cut < 0 ? pair : pair.slice(0, cut));
    const value = unescapeQuery(cut < 0 ? "" : pair.slice(cut + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

export type RequestVerb =
  | "create"
  | "get"
  | "list"
  | "watch"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "";

export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly verb: RequestVerb;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** Path parts behind the subresource: no such thing is served, but the object may be missed by name. */
  readonly deeper: boolean;
  /** The deprecated form /api/v1/watch/…: always a watch, whatever the query says. */
  readonly watchPath: boolean;
}

const VERBS: Readonly<Record<string, RequestVerb>> = lookupTable({
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});

const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

const NOT_A_RESOURCE: RequestInfo = {
  isResourceRequest: false,
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  name: "",
  subresource: "",
  deeper: false,
  watchPath: false,
};

/** Takes a path apart; the query says whether a collection is to be watched. */
export function parseRequestInfo(method: string, path: string, query: Query): RequestInfo {
  const parts = withoutSlashes(path).split("/");
  const [prefix] = parts;
  if (prefix !== "apis" && prefix !== "api") return NOT_A_RESOURCE;
  let at = 1;
  const group = prefix === "apis" ? (parts[at++] ?? "") : "";
  const version = parts[at++] ?? "";
  if (version === "" || parts.length === at) return NOT_A_RESOURCE;

  const watchPath = parts[at] === "watch" && parts.length > at + 1;
  if (watchPath) at++;
  let namespace = "";
  if (
    parts[at] === "namespaces" &&
    parts.length > at + 2 &&
    !NAMESPACE_SUBRESOURCES.has(parts[at + 2] ?? "")
  ) {
    namespace = parts[at + 1] ?? "";
    at += 2;
  }
  const resource = parts[at] ?? "";
  const name = parts[at + 1] ?? "";
  const subresource = parts[at + 2] ?? "";
  const watch = query.flag("watch") || query.isEmpty("watch");
  return {
    isResourceRequest: true,
    verb: verbFor(method, name, watch, watchPath),
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    deeper: parts.length > at + 3,
    watchPath,
  };
}

/** The path without slashes in front and at its end. */
function withoutSlashes(path: string): string {
  let from = 0;
  let to = path.length;
  while (from < to && path[from] === "/") from++;
  while (from < to && path[to - 1] === "/") to--;
  return path.slice(from, to);
}

function verbFor(method: string, name: string, watch: boolean, watchPath: boolean): RequestVerb {
  const verb = VERBS[method] ?? "";
  if (watchPath) return verb === "get" ? "watch" : verb;
  if (name !== "") return verb;
  if (verb === "get") return watch ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}
