// Who owns which field: the registry's side of patch/apply. It knows which schema stands behind an apiVersion and
// which fields an endpoint takes back, and hands both to the tracker.
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { trackUpdate, trackUpdateInTurns, type UpdateInput } from "../../patch/apply/managed-fields.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import type { Strategy } from "../definition/strategy.ts";
import { apiVersionOf, strategyOf } from "../definition/view.ts";

/** The schema of the kind at any of its versions, by the apiVersion that a managedFields entry names. */
export function nodeByApiVersion(view: ResourceView): (apiVersion: string) => SchemaNode | undefined {
  const { definition } = view;
  return (apiVersion) =>
    definition.versions.find((version) => apiVersionOf({ definition, version }) === apiVersion)?.node;
}

/** A new object with the fields that its writer owns. */
export function trackCreate(view: ResourceView, object: KubeObject, context: RequestContext): KubeObject {
  delete object.metadata.managedFields;
  return trackWrite(view, {
    live: undefined,
    next: object,
    context,
    strategy: strategyOf(view),
    subresource: "",
  });
}

export interface TrackedWrite {
  readonly live: Readonly<KubeObject> | undefined;
  readonly next: KubeObject;
  readonly context: RequestContext;
  readonly strategy: Strategy;
  readonly subresource: string;
}

/** The next object with the ownership that this write (a create, replace or plain patch) leaves behind. */
export const trackWrite = (view: ResourceView, write: TrackedWrite): KubeObject =>
  trackUpdate(updateOf(view, write));

/** The same where much is written; others are answered between its steps. */
export const trackWriteInTurns = (view: ResourceView, write: TrackedWrite): Promise<KubeObject> =>
  trackUpdateInTurns({ ...updateOf(view, write), isLarge: true });

function updateOf(view: ResourceView, write: TrackedWrite): UpdateInput {
  const { live, next, context, strategy, subresource } = write;
  return {
    live,
    next,
    node: view.version.node,
    nodeFor: nodeByApiVersion(view),
    apiVersion: apiVersionOf(view),
    manager: context.fieldManager,
    nowText: formatTime(context.clock.now()),
    isLarge: context.isLarge,
    ...(subresource ? { subresource } : {}),
    ...(strategy.resetFields ? { resetFields: strategy.resetFields } : {}),
  };
}
