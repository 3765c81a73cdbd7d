// Server-side apply (KEP-555). The manager owns the fields that it applies, and fields that it no longer applies are
// removed. Fields of other managers need force. The merge result passes the same update steps as any other write.

import { equalJson, type JsonObject, objectAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest, conflict, plainError } from "../../../apimachinery/meta/status.ts";
import {
  type ApplyInput as AppliedPatch,
  applyPatch,
  applyPatchInTurns,
  describeKind,
  describeObject,
  pruneInVersions,
} from "../../../apimachinery/patch/apply/apply-patch.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { restoreError } from "../../../apimachinery/schema/go/restore-error.ts";
import { conformInTurns, conformObject } from "../codec/object-decoder.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf, createsOnUpdate } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { changeObject, type Write } from "./change.ts";
import type { WriteResult } from "./create.ts";
import { type Endpoint, endpointOf, nodeByApiVersion } from "./managed-fields.ts";
import { fittingConverter, inOtherVersions } from "./other-versions.ts";
import { checkNameMatches, placeInNamespace } from "./prepare.ts";

export interface ApplyInput extends Write {
  /** The applied configuration as sent; it is not changed. */
  readonly applied: JsonObject;
  readonly force: boolean;
}

/** Applies a configuration to an object, or creates the object from it. Rejects with a StatusError. */
export async function applyObject(deps: RegistryDeps, input: ApplyInput): Promise<WriteResult> {
  const { address, subresource, context } = input;
  const apply = { ...input, endpoint: endpointOf(address.view, subresource) };
  checkKind(apply);
  const make = () => {
    refuseUid(apply);
    return applyTo(apply, undefined);
  };
  return changeObject(deps, {
    address,
    subresource,
    context,
    keepsManagers: true,
    next: (live, asked) => applyTo({ ...apply, context: asked }, live),
    make: subresource === "" || makesMissing(apply) ? make : undefined,
  });
}

const makesMissing = ({ address, subresource, endpoint }: Apply): boolean =>
  endpoint.strategy.createsOnApply === true || createsOnUpdate(address.view, subresource);

interface Apply extends ApplyInput {
  readonly endpoint: Endpoint;
}

/**
 * Returns the live object with the configuration applied, managedFields included. Large applies and large objects yield
 * to the event loop between the steps.
 */
async function applyTo(apply: Apply, live: Readonly<KubeObject> | undefined): Promise<KubeObject> {
  const patch = patchOf(apply, live);
  const ofCustomScale = apply.subresource === "scale" && apply.address.view.definition.custom;
  if (ofCustomScale && live?.metadata.managedFields === undefined) throw plainError(UNOWNED_SCALE);
  const conversion = convertForManagers(apply, live, patch);
  const object = await applyIt(apply, conversion ? { ...patch, ...(await conversion) } : patch);
  if (ofCustomScale) refuseChangedScale(apply, live, object);
  return apply.context.isLarge ? asNextInTurns(apply, object) : asNext(apply, object);
}

// An apply to the Scale of a custom resource fails upstream, which converts the result as if it were a custom resource.
// An apply without changes, or one that is rejected earlier, does not reach this error.
const UNCONVERTED = "proper version: request to convert CR to an invalid group/version: autoscaling/v1";
const UNOWNED_SCALE = `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to ${UNCONVERTED}`;

function refuseChangedScale(
  { applied }: Apply,
  live: Readonly<KubeObject> | undefined,
  next: Readonly<KubeObject>,
): void {
  if (equalJson(next["spec"], live?.["spec"]) && equalJson(identityOf(next), identityOf(live))) return;
  const { namespace = "", name = "" } = objectAt(applied, "metadata") ?? {};
  const shown = `${namespace}/${name}; autoscaling/v1, Kind=Scale`;
  throw plainError(`failed to convert new object (${shown}) to ${UNCONVERTED}`);
}

const identityOf = (object: Readonly<KubeObject> | undefined): object => {
  const { managedFields: _, ...metadata } = object?.metadata ?? {};
  return metadata;
};

const applyIt = ({ context }: Apply, patch: AppliedPatch): Promise<KubeObject> | KubeObject =>
  context.isLarge ? applyPatchInTurns({ ...patch, isLarge: true }) : applyPatch(patch);

/** Converts the merge result for each manager, without regard to conflicts. */
function convertForManagers(
  apply: Apply,
  live: Readonly<KubeObject> | undefined,
  patch: AppliedPatch,
): Promise<Pick<AppliedPatch, "converted" | "pruned">> | undefined {
  const { view } = apply.endpoint;
  let pruned: AppliedPatch["pruned"];
  const next = async () => {
    pruned = await pruneInVersions(patch, fittingConverter(view));
    return applyIt(apply, { ...patch, pruned, force: true });
  };
  const writes = inOtherVersions({ view, live, managers: live?.metadata.managedFields, next });
  return writes?.then((converted) => ({ converted, pruned }));
}

function checkKind({ endpoint: { view }, applied }: Apply): void {
  const apiVersion = typeof applied["apiVersion"] === "string" ? applied["apiVersion"] : "";
  const kind = typeof applied["kind"] === "string" ? applied["kind"] : "";
  if (apiVersion === apiVersionOf(view) && kind === view.definition.kind) return;
  const shown = apiVersion === "" || apiVersion.includes("/") ? apiVersion || "/" : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${shown}, Kind=${kind}`);
}

/** A uid in the configuration refers to an existing object, so a create is rejected. */
function refuseUid({ address, applied }: Apply): void {
  const uid = objectAt(applied, "metadata")?.["uid"];
  if (typeof uid !== "string" || uid === "") return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(address.view.definition, address.name, why);
}

function patchOf(
  { endpoint: { view, strategy, subresource }, applied, force, context }: Apply,
  live: Readonly<KubeObject> | undefined,
): AppliedPatch {
  return {
    live,
    applied: applied as Readonly<Partial<KubeObject>>, // applyPatch validates its form
    node: view.version.node,
    nodeFor: nodeByApiVersion(view),
    apiVersion: apiVersionOf(view),
    kind: view.definition.kind,
    manager: context.fieldManager,
    force,
    nowText: formatTime(context.clock.now()),
    ...(subresource ? { subresource } : {}),
    ...(strategy.resetFields ? { resetFields: strategy.resetFields } : {}),
  };
}

/** Decoding options of the merge result, an object of the kind that the URL names. */
const MERGED = { dropsNulls: false, refuse: badRequest };

function asNext(apply: Apply, object: KubeObject): KubeObject {
  const { view } = apply.endpoint;
  if (!view.definition.custom) refuseUnreadable(view, apply.applied, object);
  const managedFields = takeManagedFields(object);
  return placed(apply, conformObject(view, object, MERGED).object, managedFields);
}

async function asNextInTurns(apply: Apply, object: KubeObject): Promise<KubeObject> {
  const { view } = apply.endpoint;
  await ownTurn();
  if (!view.definition.custom) refuseUnreadable(view, apply.applied, object);
  await ownTurn();
  const managedFields = takeManagedFields(object);
  const { object: next } = await conformInTurns(view, object, MERGED, Object.keys);
  return placed(apply, next, managedFields);
}

/** managedFields were computed by this server and can be half of an object, so the decoder skips them. */
function takeManagedFields({ metadata }: KubeObject): KubeObject["metadata"]["managedFields"] {
  const { managedFields } = metadata;
  delete metadata.managedFields;
  return managedFields;
}

function placed(
  { endpoint: { view }, address }: Apply,
  next: KubeObject,
  managedFields: KubeObject["metadata"]["managedFields"],
): KubeObject {
  const { namespace, name } = address;
  if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  placeInNamespace(view, next, namespace);
  checkNameMatches(next, name);
  return next;
}

/** Decodes the merge result as the Go type of the kind. Throws 500, as upstream. */
function refuseUnreadable(view: ResourceView, applied: JsonObject, merged: KubeObject): void {
  const error = restoreError(view.version.node, merged);
  if (error === undefined) return;
  const type = describeKind({ apiVersion: apiVersionOf(view), kind: view.definition.kind });
  throw plainError(
    `failed to convert new object (${describeObject(applied)}) to proper version: unable to convert unstructured object to ${type}: ${error}`,
  );
}
