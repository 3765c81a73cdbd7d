// Targets of the shortcuts that act on the focused row or the selected object. Pure.
import type { SubjectVerb } from "./keys.ts";
import { linkTo, type ObjectRef, refOf } from "./kinds.ts";
import { parseRoute, type Route } from "./route.ts";

/** The object of a map row by its key, or else the object in the route. */
export function subjectOf(rowKey: string, route: Route): ObjectRef | undefined {
  const [kind = "", ...rest] = rowKey.split("/");
  const ovn = { group: "k8s.ovn.org", version: "v1" };
  const core = { group: "", version: "v1" };
  const name = rest.at(-1) ?? "";
  const namespace = rest.length > 1 ? (rest[0] ?? "") : "";
  if (name !== "") {
    if (kind === "eip") return { ...ovn, resource: "egressips", namespace: "", name };
    if (kind === "es") return { ...ovn, resource: "egressservices", namespace, name };
    if (kind === "node") return { ...core, resource: "nodes", namespace: "", name };
    if (kind === "ns") return { ...core, resource: "namespaces", namespace: "", name };
    if (kind === "pod") return { ...core, resource: "pods", namespace, name };
  }
  const ref = route.view === "o" ? refOf(route.path) : undefined;
  return ref && ref.name !== "" ? ref : undefined;
}

/** Route for an action; undefined if the kind does not support it. `users`: namespaces that an EgressIP selects. */
export function placeFor(verb: SubjectVerb, of: ObjectRef, users: readonly string[]): Route | undefined {
  const to = (address: string): Route => {
    const { pathname, search } = new URL(address, "http://page");
    return parseRoute(pathname, search);
  };
  const { resource, namespace, name } = of;
  const base = "/egret/ui/";
  if (verb === "explain") return to(`${linkTo(of)}?tab=explain`);
  if (verb === "whatif") {
    const word = WORDS.get(resource);
    if (word === undefined) return undefined;
    const full = [word, namespace, name].filter(Boolean).join("/");
    return to(`${base}whatif?do=${resource === "nodes" ? "notready" : "delete"}:${full}`);
  }
  if (resource === "pods") return to(`${base}trace?from=pod/${namespace}/${name}&to=8.8.8.8:443`);
  const from = resource === "namespaces" ? name : resource === "egressservices" ? namespace : users[0];
  return from === undefined ? undefined : to(`${base}trace?from=ns/${from}`);
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ...([
    ["nodes", "node"],
    ["egressips", "egressip"],
    ["egressservices", "egressservice"],
  ] as const),
  ...([
    ["pods", "pod"],
    ["namespaces", "namespace"],
  ] as const),
]);
