// POST, PUT and PATCH. A POST sends a new object, named by its body or by generateName; a review, for kinds that are
// not stored; or a subresource action with a kind of its own.

import {
  goJsonType,
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
} from "../../../apimachinery/json/json.ts";
import { type DecodedJson, JsonSyntaxError } from "../../../apimachinery/json/json-decode.ts";
import { type FieldError, forbidden, required } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  badRequest,
  pathNotFound,
  type Status,
  StatusError,
  unsupportedMediaType,
} from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { unmarshalErrors, YamlSyntaxError } from "../../../apimachinery/yaml/yaml-error.ts";
import { acceptObject, type DecodedObject } from "../../registry/codec/object-decoder.ts";
import { resultInVersion } from "../../registry/codec/versions.ts";
import type { ActionAnswer, ResourceView } from "../../registry/definition/resource-definition.ts";
import { postAction, postedTo } from "../../registry/post-action.ts";
import { readScale, scaleAfter, scaleViewOf } from "../../registry/scale.ts";
import type { WriteResult } from "../../registry/write/create.ts";
import { trackCreateAtOnce } from "../../registry/write/managed-fields.ts";
import { type PatchDocument, type PatchType, readPatchValue } from "../../registry/write/patch.ts";
import { dropSystemFields, placeInNamespace } from "../../registry/write/prepare.ts";
import type { ApiResponse } from "../api-request.ts";
import {
  type DecodedText,
  decodeJsonBody,
  decodeSpelledBody,
  decodeYamlBody,
} from "../request/decode-body.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { namespaceIn, readWriteOptions, type WriteOptions } from "../request/options.ts";
import { addressOf, type RequestScope, readBody, writeContext } from "../request-scope.ts";
import { respondObject, respondValue } from "../response/respond.ts";
import { readStored } from "./read-delete.ts";

export async function createVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readPostOptions(exchange);
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const context = writeContext(exchange, options);
  const result = await resources.create({ view, namespace: namespaceIn(view, info), decoded, context });
  return respondObject(exchange, 201, result);
}

/** Options of a POST. An unknown content type is rejected first. Throws 415 and 422. */
export function readPostOptions({ request }: RequestScope): WriteOptions {
  bodyFormat(request.headers["content-type"]);
  return readWriteOptions(request.query, "CreateOptions");
}

export async function reviewVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { view, info, access, resources } = exchange;
  const { review } = view.definition;
  if (review === undefined) throw pathNotFound();
  const options = readPostOptions(exchange);
  const decoded = await readBody(exchange, view);
  const context = writeContext(exchange, options);
  const object = acceptObject(view, decoded, context);
  if (context.isLarge) await ownTurn();
  const namespace = namespaceIn(view, info);
  placeInNamespace(view, object, namespace);
  dropSystemFields(object);
  const asked = { ...context, ...access, namespace };
  const tracked = trackCreateAtOnce(view, object, context);
  if (view.version.node.properties.has("spec")) tracked["spec"] ??= {};
  tracked["status"] = { ...review.emptyStatus, ...objectAt(tracked, "status") };
  const name = object.metadata.name ?? "";
  const about = { view, subresource: "", namespace, name, object: tracked, oldObject: undefined, context };
  await resources.admitUnstored({ operation: "CREATE", ...about }, () => review.check?.(tracked, asked));
  return respondObject(exchange, 201, { type: "bare", object: review.answer(tracked, asked) });
}

export async function actionVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { info, view, resources, access } = exchange;
  const { subresource } = info;
  const asked = postedTo(view, subresource);
  if (asked === undefined) throw pathNotFound();
  const { posted } = asked;
  const options = readPostOptions(exchange);
  const decoded = await readBody(exchange, posted);
  const context = writeContext(exchange, options);
  const target = addressOf(exchange);
  const { tokenIssuer } = access;
  const answer = await postAction(resources, asked, { target, subresource, decoded, context, tokenIssuer });
  if (isStatus(answer)) return respondValue(exchange, 201, answer);
  return respondObject({ ...exchange, view: posted }, 201, { type: "bare", object: answer });
}

const isStatus = (answer: ActionAnswer): answer is Status => answer.kind === "Status";

// PUT: replaces the stored object, or one of its subresources. PATCH: a patch document, or with
// application/apply-patch+yaml an applied configuration in YAML or JSON, selected by content type.

export async function updateVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const context = writeContext(exchange, options);
  const { subresource } = info;
  const result = await resources.update({ address: addressOf(exchange), subresource, decoded, context });
  return respondObject(exchange, result.created ? 201 : 200, result);
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = lookupTable({
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
});
const APPLY_PATCH = "application/apply-patch+yaml";
/** Content types of a PATCH of a built-in kind. */
export const PATCH_BODIES: readonly string[] = [...Object.keys(PATCH_TYPES), APPLY_PATCH];

export async function patchVerb(exchange: RequestScope): Promise<ApiResponse> {
  const result = await writePatch(exchange, exchange.view);
  return respondObject(exchange, result.created ? 201 : 200, result);
}

/** The result of the PATCH. `shown` is the view of the endpoint: the kind itself, or its Scale. */
export async function writePatch(exchange: RequestScope, shown: ResourceView): Promise<WriteResult> {
  const { request, info, view, resources } = exchange;
  const { subresource } = info;
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const type = PATCH_TYPES[mediaType];
  if (mediaType !== APPLY_PATCH && (type === undefined || (type === "strategic" && view.definition.custom))) {
    throw unknownPatchType(view);
  }
  const more = patchOptionErrors(exchange, type === undefined);
  const options = readWriteOptions(request.query, "PatchOptions", more);
  const address = addressOf(exchange);
  const context = writeContext(exchange, options);
  if (type === undefined) {
    const applied = readApplied(exchange, options);
    return resources.apply({ address, subresource, applied, force: request.query.flag("force"), context });
  }
  const document = await readPatchOfStored(exchange, shown, type);
  return resources.patch({ address, subresource, document, context });
}

function unknownPatchType({ definition }: ResourceView): StatusError {
  const plain = Object.keys(PATCH_TYPES).filter(
    (mediaType) => !definition.custom || PATCH_TYPES[mediaType] !== "strategic",
  );
  const known = [...plain, APPLY_PATCH].join(", ");
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known}`,
  );
}

function patchOptionErrors({ request }: RequestScope, apply: boolean): FieldError[] {
  const { query } = request;
  if (apply) {
    return query.get("fieldManager") === "" ? [required("fieldManager", "is required for apply patch")] : [];
  }
  return query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
}

/** A missing object is reported before an invalid patch document. Throws 400 and 404. */
async function readPatchOfStored(
  exchange: RequestScope,
  shown: ResourceView,
  type: PatchType,
): Promise<PatchDocument> {
  try {
    return readPatch(shown, type, exchange.request.body ?? new Uint8Array());
  } catch (error) {
    await exchange.resources.ready(exchange.view, "");
    await readStored(exchange);
    throw error;
  }
}

/**
 * Numbers of JSON patches and merge patches keep their spelling for typed decoding; a strategic merge patch has
 * their values.
 */
function readPatch(view: ResourceView, type: PatchType, body: Uint8Array): PatchDocument {
  const refuse = (why: string) => badRequest(type === "strategic" ? why : `error decoding patch: ${why}`);
  const { value, duplicates, isSpelled, tooGreat } = decode(body, type, refuse);
  if (tooGreat !== undefined) throw refuse(refusalOfNumber(type, tooGreat));
  if (type !== "json" && !isObject(value) && value !== null) {
    throw refuse(`json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`);
  }
  return readPatchValue(view, type, value, { duplicates, isSpelled });
}

function refusalOfNumber(type: PatchType, literal: string): string {
  const into = type === "json" ? "struct field jsonPatchOp.value" : "value";
  return `json: cannot unmarshal number ${literal} into Go ${into} of type float64`;
}

function decode(body: Uint8Array, type: PatchType, refuse: (why: string) => StatusError): DecodedJson {
  try {
    return type === "strategic" ? decodeJsonBody(body) : decodeSpelledBody(body);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refuse(error.message) : error;
  }
}

/** Throws 400. Duplicate keys cause a warning, or a rejection with fieldValidation=Strict. */
function readApplied({ request, warnings }: RequestScope, { fieldValidation }: WriteOptions): JsonObject {
  const { value, duplicates } = decodeYaml(request.body ?? new Uint8Array());
  if (duplicates.length > 0 && fieldValidation === "Strict") {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${unmarshalErrors(duplicates)}`,
    );
  }
  if (fieldValidation === "Warn") for (const text of duplicates) warnings.add(text);
  if (isObject(value)) return value;
  if (value === null || value === undefined) return {};
  throw noObject(`json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`);
}

function decodeYaml(body: Uint8Array): DecodedText {
  try {
    return decodeYamlBody(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw noObject(error.message);
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

const noObject = (why: string): StatusError =>
  badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);

// GET, PUT and PATCH of /scale: the replica count of an object, as an autoscaling/v1 Scale.

export async function getScaleVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { view } = exchange;
  return respondScale(exchange, readScale(view, await readStored(exchange)));
}

export async function updateScaleVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { request, resources, view } = exchange;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const decoded = await readScaleBody(exchange);
  if (decoded.findings.length > 0 && options.fieldValidation === "Strict" && view.definition.custom)
    throw unknownType();
  const context = writeContext(exchange, options);
  const address = addressOf(exchange);
  const written = await resources.update({ address, subresource: "scale", decoded, context });
  return respondWritten(exchange, written);
}

export async function patchScaleVerb(exchange: RequestScope): Promise<ApiResponse> {
  return respondWritten(exchange, await writePatch(exchange, viewOf(exchange)));
}

function viewOf({ view }: RequestScope): ResourceView {
  const scaleView = scaleViewOf(view);
  if (scaleView === undefined) throw new Error("the route leads to a scale that is not there");
  return scaleView;
}

const respondWritten = (exchange: RequestScope, result: WriteResult): ApiResponse =>
  respondScale(exchange, scaleAfter(exchange.view, resultInVersion(exchange.view, result)));

function respondScale(exchange: RequestScope, object: KubeObject): ApiResponse {
  return respondObject({ ...exchange, view: viewOf(exchange) }, 200, { type: "bare", object });
}

async function readScaleBody(exchange: RequestScope): Promise<DecodedObject> {
  bodyFormat(exchange.request.headers["content-type"]);
  try {
    return await readBody(exchange, viewOf(exchange));
  } catch (error) {
    throw error instanceof StatusError && exchange.view.definition.custom ? unknownType() : error;
  }
}

/** The apiextensions-apiserver does not know the type of a Scale when it reports an error about one. */
const unknownType = (): StatusError =>
  badRequest(
    'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go"',
  );
