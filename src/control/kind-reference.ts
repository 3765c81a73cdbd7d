// How our own surface names a kind in one text: group, version and kind as objects name them, "k8s.ovn.org/v1/EgressIP"
// or "v1/ConfigMap".
import { badRequest } from "../meta/status.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Throws a 400 for a text in another form. */
export function parseKindReference(text: string): KindReference {
  const cut = text.lastIndexOf("/");
  const apiVersion = text.slice(0, Math.max(cut, 0));
  const kind = text.slice(cut + 1);
  if (apiVersion === "" || kind === "") {
    throw badRequest(`${text} names no kind; write it as "v1/ConfigMap" or "k8s.ovn.org/v1/EgressIP"`);
  }
  return { apiVersion, kind };
}

/** Throws a 400 for a kind that is not served now. */
export function viewOfKind(registry: ResourceRegistry, text: string): ResourceView {
  const { apiVersion, kind } = parseKindReference(text);
  const view = registry.findByKind(apiVersion, kind);
  if (view === undefined) throw badRequest(`no kind ${kind} of ${apiVersion} is served`);
  return view;
}
