// Server-side apply (KEP-555): the fields that are named become the manager's, those it no longer names go, and what
// others own is not taken without force. What comes out of the merge goes through the same update as anything else.
import { formatTime, nextTurn } from "../../meta/clock.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, conflict } from "../../meta/status.ts";
import {
  type ApplyInput as AppliedPatch,
  applyPatch,
  applyPatchInTurns,
} from "../../patch/apply/apply-patch.ts";
import { conformObject, ObjectDecodeError } from "../codec/object-decoder.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../definition/resource-definition.ts";
import type { Strategy } from "../definition/strategy.ts";
import { apiVersionOf, createsOnUpdate } from "../definition/view.ts";
import type { ResourceStore } from "../resource-store.ts";
import { placeInNamespace } from "./before-create.ts";
import { nodeByApiVersion } from "./managed-fields.ts";
import { checkNameMatches } from "./patch-object.ts";
import type { UpdateResult } from "./update.ts";

export interface ApplyInput {
  readonly address: ObjectAddress;
  readonly subresource: string;
  readonly strategy: Strategy;
  /** What the manager wants, as it was sent; it is not changed. */
  readonly applied: JsonObject;
  readonly force: boolean;
  readonly context: RequestContext;
}

export function applyObject(resources: ResourceStore, input: ApplyInput): Promise<UpdateResult> {
  const { address, subresource, strategy, context } = input;
  checkKind(input);
  return resources.update({
    address,
    subresource,
    strategy,
    context,
    keepsManagers: true,
    allowCreate: subresource === "" || createsOnUpdate(address.view, subresource),
    next: (live, isLarge) => {
      if (live === undefined) refuseUid(input);
      return isLarge ? applyInTurns(input, live) : applyToLive(input, live);
    },
  });
}

/** The live object with the configuration applied, and with managedFields as that leaves them. */
export function applyToLive(input: ApplyInput, live: Readonly<KubeObject> | undefined): KubeObject {
  checkKind(input);
  const { object } = applyPatch(patchOf(input, live));
  return asNext(input, object);
}

/** The same where much is applied, or to much; others are answered between its steps. */
async function applyInTurns(input: ApplyInput, live: Readonly<KubeObject> | undefined): Promise<KubeObject> {
  checkKind(input);
  const { object } = await applyPatchInTurns({ ...patchOf(input, live), isLarge: true }, nextTurn);
  return asNext(input, object);
}

function checkKind({ address, applied }: ApplyInput): void {
  const { view } = address;
  const apiVersion = typeof applied["apiVersion"] === "string" ? applied["apiVersion"] : "";
  const kind = typeof applied["kind"] === "string" ? applied["kind"] : "";
  if (apiVersion === apiVersionOf(view) && kind === view.definition.kind) return;
  const shown = apiVersion === "" || apiVersion.includes("/") ? apiVersion || "/" : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${shown}, Kind=${kind}`);
}

/** Who names a uid means an object that was there; a new one would be another. */
function refuseUid({ address, applied }: ApplyInput): void {
  const uid = objectAt(applied, "metadata")?.["uid"];
  if (typeof uid !== "string" || uid === "") return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(address.view.definition, address.name, why);
}

function patchOf(
  { address, subresource, strategy, applied, force, context }: ApplyInput,
  live: Readonly<KubeObject> | undefined,
): AppliedPatch {
  const { view } = address;
  return {
    live,
    applied: applied as Readonly<Partial<KubeObject>>, // applyPatch looks at its form itself
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

/** The outcome as an object of the kind, the one that the URL names. */
function asNext({ address }: ApplyInput, object: KubeObject): KubeObject {
  const { view, namespace, name } = address;
  // Written just now, and half of many an object: it need not be looked through like what a client has sent.
  const { managedFields } = object.metadata;
  delete object.metadata.managedFields;
  const next = conform(view, object);
  if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  placeInNamespace(view, next, namespace);
  checkNameMatches(next, name);
  return next;
}

function conform(view: ResourceView, object: KubeObject): KubeObject {
  try {
    return conformObject(view, object, { dropsNulls: false }).object;
  } catch (error) {
    throw error instanceof ObjectDecodeError ? badRequest(error.message) : error;
  }
}
