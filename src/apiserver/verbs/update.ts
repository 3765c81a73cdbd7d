// PUT: the whole object, or one of its subresources, in the place of the stored one. PATCH: a document, or with
// application/apply-patch+yaml a configuration in YAML or JSON, read by its content type.
import { type FieldError, forbidden, required } from "../../meta/field-error.ts";
import { goJsonType, isObject, type JsonObject, lookupTable } from "../../meta/json.ts";
import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { badRequest, type StatusError, unsupportedMediaType } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { WriteResult } from "../../registry/write/create.ts";
import { type PatchDocument, type PatchType, readPatchValue } from "../../registry/write/patch.ts";
import { unmarshalErrors, YamlSyntaxError } from "../../yaml/yaml-error.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { type DecodedText, decodeJsonBody, decodeYamlBody } from "../request/decode-body.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { respondObject } from "../response/respond.ts";

export async function updateVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const { namespace, name, subresource } = info;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const address = { view, namespace, name };
  const context = writeContext(exchange, options);
  const result = await resources.update({ address, subresource, decoded, context });
  return respondObject(exchange, result.created ? 201 : 200, result);
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = lookupTable({
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
});
const APPLY_PATCH = "application/apply-patch+yaml";

export async function patchVerb(exchange: Exchange): Promise<ApiResponse> {
  const result = await writePatch(exchange, exchange.view);
  return respondObject(exchange, result.created ? 201 : 200, result);
}

/** What the PATCH leaves behind. The view is of what its endpoint shows: the kind itself, or its Scale. */
export function writePatch(exchange: Exchange, shown: ResourceView): Promise<WriteResult> {
  const { request, info, view, resources } = exchange;
  const { namespace, name, subresource } = info;
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const type = PATCH_TYPES[mediaType];
  if (mediaType !== APPLY_PATCH && (type === undefined || (type === "strategic" && view.definition.custom))) {
    throw unknownPatchType(view);
  }
  const more = patchOptionErrors(exchange, type === undefined);
  const options = readWriteOptions(request.query, "PatchOptions", more);
  const address = { view, namespace, name };
  const context = writeContext(exchange, options);
  if (type === undefined) {
    const applied = readApplied(exchange, options);
    return resources.apply({ address, subresource, applied, force: request.query.flag("force"), context });
  }
  const document = readPatch(shown, type, request.body ?? new Uint8Array());
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

function patchOptionErrors({ request }: Exchange, apply: boolean): FieldError[] {
  const { query } = request;
  if (apply) {
    return query.get("fieldManager") === "" ? [required("fieldManager", "is required for apply patch")] : [];
  }
  return query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
}

function readPatch(view: ResourceView, type: PatchType, body: Uint8Array): PatchDocument {
  const refuse = (why: string) => badRequest(type === "strategic" ? why : `error decoding patch: ${why}`);
  const { value, duplicates } = decode(body, refuse);
  if (type !== "json" && !isObject(value) && value !== null) {
    throw refuse(`json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`);
  }
  return readPatchValue(view, type, value, { duplicates, text: Buffer.from(body).toString("utf8") });
}

function decode(body: Uint8Array, refuse: (why: string) => StatusError): DecodedText {
  try {
    return decodeJsonBody(body);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refuse(error.message) : error;
  }
}

/** Throws 400. Keys that are given twice are warned about, or refused by fieldValidation=Strict. */
function readApplied({ request, warnings }: Exchange, { fieldValidation }: WriteOptions): JsonObject {
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
