// What may be done below an object: /status, /scale, and what a built-in kind names itself.
import type { ResourceView } from "./resource-definition.ts";
import { strategyOf } from "./resource-registry.ts";
import type { Strategy } from "./strategy.ts";
import type { SubresourceAction } from "./subresource-action.ts";

const READ_WRITE = ["get", "update", "patch"];

/** The strategy of an endpoint: the kind's own, or that of the subresource. */
export function strategyFor(view: ResourceView, subresource: string): Strategy {
  if (subresource === "") return strategyOf(view);
  if (subresource === "status" && view.version.status) return view.version.status;
  return namedSubresource(view, subresource)?.strategy ?? strategyOf(view);
}

/**
 * Whether a PUT at the endpoint makes an object that is not there. The status endpoint of a kind takes that over from the
 * kind itself, as it does in a real server.
 */
export function createsOnUpdate(view: ResourceView, subresource: string): boolean {
  return (subresource === "" || subresource === "status") && strategyOf(view).allowCreateOnUpdate === true;
}

/** Whether the kind has this subresource at this version, even if nothing of it is served. */
export function hasSubresource(view: ResourceView, subresource: string): boolean {
  if (subresource === "status") return view.version.status !== undefined;
  if (subresource === "scale") return view.version.scale !== undefined;
  return namedSubresource(view, subresource) !== undefined;
}

/** The verbs of the API that are served on a subresource. */
export function subresourceVerbs(view: ResourceView, subresource: string): readonly string[] {
  if (subresource === "status" || subresource === "scale")
    return hasSubresource(view, subresource) ? READ_WRITE : [];
  const named = namedSubresource(view, subresource);
  return named?.strategy || named?.action ? named.verbs : [];
}

/** What comes of a POST to the subresource, or ("") to the collection, if it makes no object there. */
export function actionOf(view: ResourceView, subresource: string): SubresourceAction | undefined {
  const { definition } = view;
  if (subresource === "") return definition.action && { ...definition.action, posted: definition };
  return namedSubresource(view, subresource)?.action;
}

function namedSubresource({ definition }: ResourceView, name: string) {
  return definition.subresources?.find((item) => item.name === name);
}
