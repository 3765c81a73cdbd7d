// The RequestInfo of a kube-apiserver (apiserver/pkg/endpoints/request/requestinfo.go): URL and method as one flat
// record, parsed once. Authorization and routing read only this record.
//
//   /apis/k8s.ovn.org/v1/namespaces/web/egressfirewalls/default/status
//         group       version         namespace resource   name    subresource
import { lookupTable } from "../../../apimachinery/json/json.ts";
import { narrowedName } from "./narrowed-name.ts";
import { readPairs } from "./query-text.ts";

/**
 * The query of a URL, parsed as by Go's url.ParseQuery: a plus is a space, an invalidly escaped pair is dropped, and
 * the first of several values is used.
 */
export class Query {
  /** Undecoded. */
  readonly text: string;
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(text: string) {
    this.text = text;
    this.#values = text === "" ? NO_VALUES : readPairs(text);
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  has(key: string): boolean {
    return this.#values.has(key);
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

export type RequestVerb =
  | "create"
  | "get"
  | "list"
  | "watch"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "proxy"
  | "";

export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** The verb that is authorized and executed; "" for a method without a verb, and on paths without a resource. */
  readonly verb: RequestVerb;
  readonly group: string;
  readonly version: string;
  /** For /namespaces/NAME this is NAME too. */
  readonly namespace: string;
  readonly resource: string;
  /** The name in the path, or the only name that the field selector of a list or watch allows. */
  readonly name: string;
  readonly subresource: string;
  /** The path has a namespace before the resource, even if that is empty. */
  readonly inNamespace: boolean;
  /** The path has no name after the resource. */
  readonly isCollection: boolean;
  /** The path has parts after the subresource. */
  readonly deeper: boolean;
  /** The path begins with /watch/ or /proxy/, which decides the verb whatever the method is. */
  readonly verbInPath: boolean;
  /** The path ends after /watch or /proxy: no resource can be read from it. */
  readonly malformed: boolean;
}

const VERBS: Readonly<Record<string, RequestVerb>> = lookupTable({
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});

const PATH_VERBS: Readonly<Record<string, RequestVerb>> = lookupTable({ watch: "watch", proxy: "proxy" });

const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/** Further parts of a path have no effect: prefix, group, version, watch, namespaces, namespace, and four. */
const PARTS_MAX = 10;

const NOT_A_RESOURCE: RequestInfo = {
  isResourceRequest: false,
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  name: "",
  subresource: "",
  inNamespace: false,
  isCollection: false,
  deeper: false,
  verbInPath: false,
  malformed: false,
};

/** Parses a path. The query selects watch instead of list, and may restrict the collection to one name. */
export function parseRequestInfo(method: string, path: string, query: Query): RequestInfo {
  const parts = withoutSlashes(path).split("/", PARTS_MAX);
  const isCore = parts[0] === "api";
  if (!isCore && parts[0] !== "apis") return NOT_A_RESOURCE;
  let at = isCore ? 1 : 2; // the version
  if (parts.length < at + 2) return NOT_A_RESOURCE;
  const group = isCore ? "" : (parts[1] ?? "");
  const version = parts[at++] ?? "";
  const pathVerb = PATH_VERBS[parts[at] ?? ""];
  if (pathVerb !== undefined && parts.length === ++at) return { ...NOT_A_RESOURCE, malformed: true };
  const isNamespacePath = parts[at] === "namespaces" && parts.length > at + 1;
  const namespace = isNamespacePath ? (parts[at + 1] ?? "") : "";
  const third = parts[at + 2];
  const inNamespace = isNamespacePath && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third);
  if (inNamespace) at += 2;
  const inPath = parts[at + 1] ?? "";
  const verb = pathVerb ?? verbFor(method, inPath, query);
  const narrows = pathVerb === undefined && (verb === "list" || verb === "watch");
  return {
    isResourceRequest: true,
    verb,
    group,
    version,
    namespace,
    resource: parts[at] ?? "",
    name: narrows ? narrowedName(query) : inPath,
    subresource: pathVerb === "proxy" ? "" : (parts[at + 2] ?? ""),
    inNamespace,
    isCollection: inPath === "",
    deeper: parts.length > at + 3,
    verbInPath: pathVerb !== undefined,
    malformed: false,
  };
}

/** The path after the subresource, with its leading slash; a trailing slash is kept. */
export function pathBelow({ group, inNamespace }: RequestInfo, path: string): string {
  const above = (group === "" ? 2 : 3) + (inNamespace ? 2 : 0) + 3;
  const rest = withoutSlashes(path).split("/").slice(above).join("/");
  const below = rest === "" || rest.startsWith("/") ? rest : `/${rest}`;
  return path.endsWith("/") && !below.endsWith("/") ? `${below}/` : below;
}

/** The path without leading and trailing slashes. */
function withoutSlashes(path: string): string {
  let from = 0;
  let to = path.length;
  while (from < to && path[from] === "/") from++;
  while (from < to && path[to - 1] === "/") to--;
  return path.slice(from, to);
}

function verbFor(method: string, name: string, query: Query): RequestVerb {
  const verb = VERBS[method] ?? "";
  if (name !== "") return verb;
  if (verb === "get") return query.flag("watch") ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}
