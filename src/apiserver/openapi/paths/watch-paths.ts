// The old form of a watch: paths below /watch/. Deprecated since long, but still described for built-in kinds.

import {
  everywhere,
  operation,
  type Scope,
  WATCH_EVENT_SCHEMA,
  withName,
  withStreams,
} from "../resource-scope.ts";
import type { Operation, PathItem } from "./operation.ts";
import { LIST_PARAMETERS } from "./parameters.ts";

export function watchPaths(scope: Scope, collection: string): readonly PathItem[] {
  const { base, scopeWord, view } = scope;
  const { kind, namespaceScoped, resource } = view.definition;
  const watch = (from: Scope, action: string, rest: string, what: string): Operation =>
    operation(from, {
      method: "get",
      action,
      id: ["watch", rest],
      description: `Watch ${what}. Deprecated: use the watch parameter of a list instead.`,
      parameters: LIST_PARAMETERS,
      responses: { 200: WATCH_EVENT_SCHEMA },
      ...withStreams(from),
    });
  const many = `objects of kind ${kind}`;
  const list = watch(scope, "watchlist", `${scopeWord}${kind}List`, many);
  const single = watch(withName(scope), "watch", scopeWord + kind, `one object of kind ${kind}`);
  const items: PathItem[] = [
    { path: `${base}/watch${collection}`, operations: [list] },
    { path: `${base}/watch${collection}/{name}`, operations: [single] },
  ];
  if (namespaceScoped) {
    const rest = `${kind}ListForAllNamespaces`;
    const all = watch(everywhere(scope), "watchlist", rest, `${many} in all namespaces`);
    items.push({ path: `${base}/watch/${resource}`, operations: [all] });
  }
  return items;
}
