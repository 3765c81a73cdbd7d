// Plain patches: the live object changed by a document. Whatever the document is, its result is decoded like any other
// object and goes through the same update.
import { nextTurn } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { internalServerError, notFound } from "../../meta/status.ts";
import { invalidPatch } from "../../patch/patch-errors.ts";
import { withoutManagers } from "../../patch/spared-managers.ts";
import { conformObject, ObjectDecodeError } from "../codec/object-decoder.ts";
import type { ObjectResult } from "../codec/versions.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf } from "../definition/view.ts";
import type { RegistryDeps } from "../registry-deps.ts";
import { commitChange, readLive, startOver } from "./change.ts";
import { reportFindings } from "./field-validation.ts";
import { type Endpoint, endpointOf, trackWrite } from "./managed-fields.ts";
import type { PatchDocument, PatchedDocument } from "./patch-document.ts";
import { checkNameMatches, placeInNamespace } from "./prepare.ts";

export interface PatchInput {
  readonly address: ObjectAddress;
  readonly subresource: string;
  readonly document: PatchDocument;
  readonly context: RequestContext;
}

/** Changes an object by a document. Rejects with a StatusError. */
export async function patchObject(
  deps: RegistryDeps,
  { address, subresource, document, context: given }: PatchInput,
): Promise<ObjectResult> {
  const { definition } = address.view;
  const endpoint = endpointOf(address.view, subresource);
  const context = document.canGrow ? { ...given, isLarge: true } : given;
  for (;;) {
    try {
      const live = await readLive(deps, address, { subresource, context });
      if (live === undefined) throw notFound(definition, address.name);
      const next = await patchShown({ address, endpoint, document, context: live.context }, live.shown);
      return await commitChange(deps, { address, subresource, live, next });
    } catch (error) {
      startOver(error, address);
    }
  }
}

interface Patch {
  readonly address: Pick<ObjectAddress, "namespace" | "name">;
  readonly endpoint: Endpoint;
  readonly document: PatchDocument;
  readonly context: RequestContext;
}

/**
 * What an endpoint shows with the patch applied, and with managedFields as that leaves them. Where much has come, or is
 * changed, others are answered between the steps.
 */
export async function patchShown(patch: Patch, live: Readonly<KubeObject>): Promise<KubeObject> {
  const { isLarge = false } = patch.context;
  const { document, managers } = documentOf(patch, live);
  const changed = await patch.document.change(document, isLarge);
  if (isLarge) await nextTurn();
  const next = decodeChanged(patch, { live, managers }, changed);
  return trackWrite({ ...patch, live, next });
}

/** What the patch changes, and managedFields that it is not given. */
function documentOf({ document }: Patch, live: Readonly<KubeObject>): Spared {
  if (document.meansManagers) return { document: live, managers: undefined };
  const { rest, managers } = withoutManagers(live);
  return { document: rest, managers };
}

interface Spared {
  readonly document: Readonly<KubeObject>;
  readonly managers: ManagedFieldsEntry[] | undefined;
}

function decodeChanged(
  { address, endpoint, document, context }: Patch,
  { live, managers }: { readonly live: Readonly<KubeObject>; readonly managers: Spared["managers"] },
  { object: patched, shownPatch }: PatchedDocument,
): KubeObject {
  const typed = shownPatch !== undefined;
  if (typed) Object.assign(patched, { kind: live.kind, apiVersion: live.apiVersion });
  const shown = shownPatch ?? (() => encodeJson(withManagers(patched, managers)));
  const { object, unknown } = decodePatched(endpoint.view, patched, shown);
  const paths = typed ? [...unknown].sort() : unknown;
  const findings = [...document.findings, ...paths.map((path) => `unknown field "${path}"`)];
  const { fieldValidation = "Strict", warn } = context;
  reportFindings(fieldValidation, findings, warn, (strictError) => invalidPatch(shown(), strictError));
  if (managers !== undefined) object.metadata.managedFields = managers;
  placeInNamespace(endpoint.view, object, address.namespace);
  checkNameMatches(object, address.name);
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
