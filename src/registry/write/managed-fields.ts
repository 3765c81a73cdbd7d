// Who owns which field: the registry's side of patch/apply. It knows which schema stands behind an apiVersion and
// which fields an endpoint takes back, and hands both to the tracker.
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { ownTurn } from "../../meta/turns.ts";
import { isReset, withManagedFields } from "../../patch/apply/managed-entries.ts";
import { trackUpdate, trackUpdateInTurns, type UpdateInput } from "../../patch/apply/track-update.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView, Strategy } from "../definition/resource-definition.ts";
import { apiVersionOf, strategyFor, strategyOf, versionNamed } from "../definition/view.ts";
import { scaleViewOf } from "../scale.ts";
import { type ConvertedWrites, inOtherVersions } from "./other-versions.ts";

/** Where an object is written: the object itself, or a subresource. */
export interface Endpoint {
  /** The kind that is read and written there: the object's own, or Scale. */
  readonly view: ResourceView;
  /** What a write there may change. */
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

/** The schema of the kind at any of its versions, by the apiVersion that a managedFields entry names. */
export const nodeByApiVersion =
  ({ definition }: ResourceView) =>
  (apiVersion: string): SchemaNode | undefined =>
    versionNamed(definition, apiVersion)?.node;

/** A new object with the fields that its writer owns, beside what it says itself of others. */
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
 * The next object with the ownership that this write (a replace or plain patch) leaves behind. Where much is written, others
 * are answered between its steps. What cannot be seen at the version of a manager leaves no managers, as on a real server.
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
