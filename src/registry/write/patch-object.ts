// Plain patches: the live object changed by a document. Whatever the document is, its result is decoded like any other
// object and goes through the same update.
import { nextTurn } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { badRequest, internalServerError } from "../../meta/status.ts";
import { invalidPatch } from "../../patch/patch-errors.ts";
import { withoutManagers } from "../../patch/spared-managers.ts";
import { conformObject, ObjectDecodeError } from "../codec/object-decoder.ts";
import type { FieldValidation, RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../definition/resource-definition.ts";
import type { Strategy } from "../definition/strategy.ts";
import { apiVersionOf } from "../definition/view.ts";
import type { ResourceStore } from "../resource-store.ts";
import { placeInNamespace } from "./before-create.ts";
import { reportFindings } from "./field-validation.ts";
import { type TrackedWrite, trackWrite, trackWriteInTurns } from "./managed-fields.ts";
import type { UpdateResult } from "./update.ts";

/** A patch that has been read: how it changes an object, and what is odd about it. */
export interface PatchDocument {
  readonly findings: readonly string[];
  /** What it makes of a small object may be large. */
  readonly canGrow?: boolean;
  /** It may say something of managedFields; if not, it is given objects without them. */
  readonly meansManagers: boolean;
  /** Must not change its argument. */
  change(document: JsonObject): PatchedDocument;
  /** The same where much is changed; others are answered meanwhile. */
  changeInTurns(document: JsonObject): Promise<PatchedDocument>;
}

export interface PatchedDocument {
  readonly object: JsonObject;
  /**
   * A strategic patch changes the object in its typed form: kind and apiVersion in it mean nothing, and refusals show
   * the patch (as this text) instead of its result.
   */
  readonly shownPatch?: () => string;
}

export interface PatchInput {
  readonly address: ObjectAddress;
  readonly subresource: string;
  readonly strategy: Strategy;
  readonly document: PatchDocument;
  readonly fieldValidation: FieldValidation;
  readonly context: RequestContext;
}

export function patchObject(resources: ResourceStore, input: PatchInput): Promise<UpdateResult> {
  const { address, subresource, strategy, document } = input;
  const context = document.canGrow ? { ...input.context, isLarge: true } : input.context;
  return resources.update({
    address,
    subresource,
    strategy,
    context,
    allowCreate: false,
    next: (live, isLarge) => {
      if (live === undefined) throw new Error("a plain patch never makes an object");
      return isLarge ? patchInTurns(input, live) : patchLive(input, live);
    },
  });
}

/** The live object with the patch applied, and with managedFields as that leaves them. */
export function patchLive(input: PatchInput, live: Readonly<KubeObject>): KubeObject {
  const { document, managers } = documentOf(input, live);
  const next = decodeChanged(input, { live, managers }, input.document.change(document));
  return trackWrite(input.address.view, writeOf(input, live, next));
}

/** The same where much has come, or is changed; others are answered between its steps. */
async function patchInTurns(input: PatchInput, live: Readonly<KubeObject>): Promise<KubeObject> {
  const { document, managers } = documentOf(input, live);
  const changed = await input.document.changeInTurns(document);
  await nextTurn();
  const next = decodeChanged(input, { live, managers }, changed);
  await nextTurn();
  return trackWriteInTurns(input.address.view, writeOf(input, live, next));
}

/** What the patch changes, and managedFields that it is not given. */
function documentOf({ document }: PatchInput, live: Readonly<KubeObject>): Spared {
  if (document.meansManagers) return { document: live, managers: undefined };
  const { rest, managers } = withoutManagers(live);
  return { document: rest, managers };
}

interface Spared {
  readonly document: Readonly<KubeObject>;
  readonly managers: ManagedFieldsEntry[] | undefined;
}

function writeOf(input: PatchInput, live: Readonly<KubeObject>, next: KubeObject): TrackedWrite {
  const { address, subresource, strategy, context } = input;
  placeInNamespace(address.view, next, address.namespace);
  checkNameMatches(next, address.name);
  return { live, next, context, strategy, subresource };
}

function decodeChanged(
  { address, document, fieldValidation, context }: PatchInput,
  { live, managers }: { readonly live: Readonly<KubeObject>; readonly managers: Spared["managers"] },
  { object: patched, shownPatch }: PatchedDocument,
): KubeObject {
  const typed = shownPatch !== undefined;
  if (typed) Object.assign(patched, { kind: live.kind, apiVersion: live.apiVersion });
  const shown = shownPatch ?? (() => encodeJson(withManagers(patched, managers)));
  const { object, unknown } = decodePatched(address.view, patched, shown);
  const paths = typed ? [...unknown].sort() : unknown;
  const findings = [...document.findings, ...paths.map((path) => `unknown field "${path}"`)];
  reportFindings(fieldValidation, findings, context.warn, (strictError) =>
    invalidPatch(shown(), strictError),
  );
  if (managers !== undefined) object.metadata.managedFields = managers;
  return object;
}

function withManagers(patched: JsonObject, managedFields: Spared["managers"]): JsonObject {
  const { metadata } = patched;
  return managedFields && isObject(metadata)
    ? { ...patched, metadata: { ...metadata, managedFields } }
    : patched;
}

/** The result of a patch as an object of the kind; it must still be one. */
function decodePatched(
  view: ResourceView,
  patched: JsonObject,
  shown: () => string,
): ReturnType<typeof conformObject> {
  const { definition } = view;
  const { kind, apiVersion } = patched;
  if (definition.custom && typeof apiVersion !== "string") {
    throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  if (!definition.custom && (kind !== definition.kind || apiVersion !== apiVersionOf(view))) {
    throw invalidPatch(
      shown(),
      `no kind ${encodeJson(kind)} is registered for version ${encodeJson(apiVersion)}`,
    );
  }
  try {
    return conformObject(view, patched);
  } catch (error) {
    if (error instanceof ObjectDecodeError) throw invalidPatch(shown(), error.message);
    throw error;
  }
}

/** Throws 400 when the object is not the one that the URL names. */
export function checkNameMatches(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}
