// Field ownership: the registry's side of patch/apply. It resolves the schema of an apiVersion and the reset fields of an
// endpoint, and passes both to the tracker.
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../apimachinery/meta/status.ts";
import { isReset, withManagedFields } from "../../../apimachinery/patch/apply/managed-entries.ts";
import {
  trackUpdate,
  trackUpdateInTurns,
  type UpdateInput,
} from "../../../apimachinery/patch/apply/track-update.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import type { SchemaNode } from "../../../apimachinery/schema/schema-node.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView, Strategy } from "../definition/resource-definition.ts";
import { apiVersionOf, strategyFor, strategyOf, versionNamed } from "../definition/view.ts";
import { scaleViewOf } from "../scale.ts";
import { type ConvertedWrites, inOtherVersions } from "./other-versions.ts";

/** Endpoint of a write: the object itself, or a subresource. */
export interface Endpoint {
  /** Kind of the endpoint: the object's own, or Scale. */
  readonly view: ResourceView;
  /** Strategy of the endpoint. */
  readonly strategy: Strategy;
  /** "" for the object itself. */
  readonly subresource: string;
}

export function endpointOf(view: ResourceView, subresource: string): Endpoint {
  if (subresource !== "scale") return { view, strategy: strategyFor(view, subresource), subresource };
  const scaleView = scaleViewOf(view);
  if (scaleView === undefined) throw new Error("objects of this version have no scale");
  return { view: scaleView, strategy: {}, subresource };
}

/** Schema of the kind at any of its versions, by the apiVersion of a managedFields entry. */
export const nodeByApiVersion =
  ({ definition }: ResourceView) =>
  (apiVersion: string): SchemaNode | undefined =>
    versionNamed(definition, apiVersion)?.node;

/** Returns a new object with the field set of its writer, besides the managedFields entries that it brings. */
export const trackCreate = (view: ResourceView, object: KubeObject, context: RequestContext) =>
  trackWrite(creation(view, object, context));

export const trackCreateAtOnce = (view: ResourceView, object: KubeObject, context: RequestContext) =>
  trackWriteAtOnce(creation(view, object, context));

const creation = (view: ResourceView, next: KubeObject, context: RequestContext): TrackedWrite => ({
  endpoint: { view, strategy: strategyOf(view), subresource: "" },
  live: undefined,
  next,
  context,
});

export interface TrackedWrite {
  readonly endpoint: Endpoint;
  readonly live: Readonly<KubeObject> | undefined;
  readonly next: KubeObject;
  readonly context: RequestContext;
}

/**
 * Returns the next object with the ownership after this write (a replace or plain patch). Large writes yield to the event
 * loop between the steps. An object that cannot be converted to a manager's version loses its managedFields, as upstream.
 */
export async function trackWrite(write: TrackedWrite): Promise<KubeObject> {
  let converted: ConvertedWrites | undefined;
  try {
    const conversion = convertForManagers(write);
    if (conversion) converted = await conversion;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return withManagedFields(write.next, undefined);
  }
  const update = { ...updateOf(write), converted };
  if (!write.context.isLarge) return trackUpdate(update);
  await ownTurn();
  return trackUpdateInTurns(update);
}

export const trackWriteAtOnce = (write: TrackedWrite): KubeObject => trackUpdate(updateOf(write));

function convertForManagers({ endpoint, live, next }: TrackedWrite): Promise<ConvertedWrites> | undefined {
  const { view, subresource } = endpoint;
  const stored = live?.metadata.managedFields;
  const given = subresource ? undefined : next.metadata.managedFields;
  if (isReset(given)) return undefined;
  return inOtherVersions({ view, live, managers: given?.length ? given : stored, next: () => next });
}

function updateOf({ endpoint, live, next, context }: TrackedWrite): UpdateInput {
  const { view, strategy, subresource } = endpoint;
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
