// Plain patches: the live object changed by a patch document. The result is decoded like any other object and passes the
// same update steps.

import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { encodeJson, escapeHtml, sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest, internalServerError } from "../../../apimachinery/meta/status.ts";
import {
  applyJsonPatch,
  applyJsonPatchInTurns,
  canGrow,
  readJsonPatch,
} from "../../../apimachinery/patch/json-patch.ts";
import { applyMergePatch, applyMergePatchInTurns } from "../../../apimachinery/patch/merge-patch.ts";
import { invalidPatch } from "../../../apimachinery/patch/patch-errors.ts";
import {
  type Opened,
  openedByMerge,
  openedByOperations,
  orderOfPatched,
} from "../../../apimachinery/patch/shown-order.ts";
import {
  mergeMeansManagers,
  operationsMeanManagers,
  withoutManagers,
} from "../../../apimachinery/patch/spared-managers.ts";
import {
  mergeStrategically,
  mergeStrategicallyInTurns,
} from "../../../apimachinery/patch/strategic-merge-patch.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { structOrder } from "../../../apimachinery/schema/go/go-struct.ts";
import { conformInTurns, conformObject, reportFindings } from "../codec/object-decoder.ts";
import { notRegistered, readTypeMeta } from "../codec/type-meta.ts";
import type { ObjectResult } from "../codec/versions.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { changeObject, type Write } from "./change.ts";
import { type Endpoint, endpointOf, trackWrite } from "./managed-fields.ts";
import { checkNameMatches, placeInNamespace } from "./prepare.ts";

// Patch documents by their kind: JSON patch, merge patch, strategic merge patch.

export type PatchType = "json" | "merge" | "strategic";

/** A decoded patch document and its findings. */
export interface PatchDocument {
  readonly findings: readonly string[];
  /** The patched object may be large though the document is small. */
  readonly canGrow?: boolean;
  /** The document may hold numbers in their source spelling, see spelled-number.ts. */
  readonly isSpelled?: boolean | undefined;
  /** The document may address managedFields; if not, it is applied to objects without them. */
  readonly meansManagers: boolean;
  /** Must not change its argument. Large changes yield to the event loop. */
  change(document: JsonObject, isLarge: boolean): Promise<PatchedDocument>;
}

export interface PatchedDocument {
  readonly object: JsonObject;
  /** Value that the patch is applied to; left out where errors do not show the result. */
  readonly opened?: () => Opened;
  /**
   * A strategic merge patch changes the object in its typed form: its kind and apiVersion are ignored, and errors show
   * the patch (as this text) instead of the result.
   */
  readonly shownPatch?: () => string;
}

/** Properties of the text that a document was decoded from. */
export interface PatchSource {
  /** Duplicate keys, as dotted paths. */
  readonly duplicates?: readonly string[];
  readonly isSpelled?: boolean | undefined;
}

/** Throws 400 for a value that is not such a document. */
export function readPatchValue(
  view: ResourceView,
  type: PatchType,
  value: unknown,
  source: PatchSource = {},
): PatchDocument {
  const { duplicates = [], isSpelled } = source;
  if (type === "json") {
    const { operations, findings } = readJsonPatch(value, duplicates);
    return {
      findings,
      isSpelled,
      canGrow: canGrow(operations),
      meansManagers: operationsMeanManagers(operations),
      change: async (document, isLarge) => ({
        object: isLarge
          ? await applyJsonPatchInTurns(document, operations)
          : applyJsonPatch(document, operations),
        opened: () => openedByOperations(operations),
      }),
    };
  }
  const findings = duplicates.map((path) => `duplicate field "${path}"`);
  if (type === "strategic") {
    if (!isObject(value) && value !== null) throw badRequest("a strategic merge patch is an object");
    const patch = value ?? {};
    const { node } = view.version;
    return {
      findings,
      meansManagers: mergeMeansManagers(patch),
      change: async (document, isLarge) =>
        isLarge
          ? mergeStrategicallyInTurns(document, patch, node)
          : mergeStrategically(document, patch, node),
    };
  }
  if (!isObject(value)) throw badRequest("Invalid JSON Patch");
  return {
    findings,
    isSpelled,
    meansManagers: mergeMeansManagers(value),
    change: async (document, isLarge) => ({
      object: isLarge ? await applyMergePatchInTurns(document, value) : applyMergePatch(document, value),
      opened: () => openedByMerge(value),
    }),
  };
}

export interface PatchInput extends Write {
  readonly document: PatchDocument;
}

/** Patches an object. Rejects with a StatusError. */
export async function patchObject(
  deps: RegistryDeps,
  { address, subresource, document, context }: PatchInput,
): Promise<ObjectResult> {
  const endpoint = endpointOf(address.view, subresource);
  return changeObject(deps, {
    address,
    subresource,
    context: document.canGrow ? { ...context, isLarge: true } : context,
    next: (live, asked) => patchShown({ address, endpoint, document, context: asked }, live),
  });
}

interface Patch {
  readonly address: Pick<ObjectAddress, "namespace" | "name">;
  readonly endpoint: Endpoint;
  readonly document: PatchDocument;
  readonly context: RequestContext;
}

/**
 * Returns the endpoint's object with the patch applied, managedFields included. Large bodies and large objects yield to
 * the event loop between the steps.
 */
export async function patchShown(patch: Patch, live: Readonly<KubeObject>): Promise<KubeObject> {
  const { isLarge = false } = patch.context;
  const spared = patch.document.meansManagers ? undefined : withoutManagers(live);
  const changed = await patch.document.change(spared?.rest ?? live, isLarge);
  if (isLarge) await ownTurn();
  const next = await decodeChanged(patch, live, spared?.managers, changed);
  return trackWrite({ ...patch, live, next });
}

async function decodeChanged(
  { address, endpoint, document, context }: Patch,
  live: Readonly<KubeObject>,
  managers: ManagedFieldsEntry[] | undefined,
  { object: patched, shownPatch, opened = () => new Map() }: PatchedDocument,
): Promise<KubeObject> {
  const typed = shownPatch !== undefined;
  if (typed) Object.assign(patched, { kind: live.kind, apiVersion: live.apiVersion });
  const shown = shownPatch ?? (() => shownResult(endpoint.view, withManagers(patched, managers), opened()));
  const conform = context.isLarge ? conformLarge : conformObject;
  const decoded = decodePatched(endpoint.view, patched, { shown, conform, isSpelled: document.isSpelled });
  const { object, unknown } = decoded instanceof Promise ? await decoded : decoded;
  const paths = typed ? [...unknown].sort() : unknown;
  const findings = [...document.findings, ...paths.map((path) => `unknown field "${path}"`)];
  const { fieldValidation = "Strict", warn } = context;
  reportFindings(fieldValidation, findings, warn, (strictError) => invalidPatch(shown(), strictError));
  if (managers !== undefined) object.metadata.managedFields = managers;
  placeInNamespace(endpoint.view, object, address.namespace);
  checkNameMatches(object, address.name);
  return object;
}

function withManagers(patched: JsonObject, managedFields: ManagedFieldsEntry[] | undefined): JsonObject {
  const { metadata } = patched;
  return managedFields && isObject(metadata)
    ? { ...patched, metadata: { ...metadata, managedFields } }
    : patched;
}

const shownResult = ({ version }: ResourceView, patched: JsonObject, opened: Opened): string =>
  escapeHtml(encodeJson(patched, orderOfPatched(patched, structOrder(version.node), opened)));

const conformLarge = (...[view, value, options = {}]: Parameters<typeof conformObject>) =>
  conformInTurns(view, value, options, Object.keys);

interface PatchedForm extends Pick<PatchDocument, "isSpelled"> {
  readonly shown: () => string;
  readonly conform: typeof conformObject | typeof conformLarge;
}

/** Decodes the result of a patch as an object of the kind. Throws when it is none. */
function decodePatched(
  view: ResourceView,
  patched: JsonObject,
  { shown, conform, isSpelled }: PatchedForm,
): ReturnType<PatchedForm["conform"]> {
  const refuse = (why: string) => invalidPatch(shown(), why);
  if (view.definition.custom) {
    if (typeof patched["apiVersion"] === "string") return conform(view, patched, { refuse, isSpelled });
    throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  const { apiVersion, kind: said } = readTypeMeta(patched, refuse);
  const kind = said || view.definition.kind;
  const isKnown = kind === view.definition.kind;
  // Without a version it is decoded as the internal type, whose members have other names.
  if (apiVersion === "" && isKnown) return withoutMembers(view, patched);
  if (!isKnown || apiVersion !== apiVersionOf(view)) throw refuse(notRegistered(kind, apiVersion, view));
  return conform(view, Object.assign(patched, { kind }), { refuse, isSpelled });
}

function withoutMembers(view: ResourceView, patched: JsonObject): ReturnType<typeof conformObject> {
  const { object } = conformObject(view, { kind: view.definition.kind, apiVersion: apiVersionOf(view) });
  return { object, unknown: sortedKeys(patched).filter((key) => key !== "kind" && key !== "apiVersion") };
}
