// PATCH: reads the document by its content type and hands it to the registry.

import { type FieldError, forbidden, required } from "../../meta/field-error.ts";
import { goJsonType, isObject } from "../../meta/json.ts";
import { type DecodedJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import { lookupTable } from "../../meta/lookup-table.ts";
import { badRequest, type StatusError, unsupportedMediaType } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { strategyFor } from "../../registry/definition/view.ts";
import { type PatchType, readPatchValue } from "../../registry/write/patch-document.ts";
import { type PatchDocument, patchObject } from "../../registry/write/patch-object.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { decodeJsonBody } from "../request/large-json.ts";
import { readWriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";
import { applyVerb } from "./apply.ts";

export const PATCH_TYPES: Readonly<Record<string, PatchType>> = lookupTable({
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
});
export const APPLY_PATCH = "application/apply-patch+yaml";

export async function patchVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const type = PATCH_TYPES[mediaType];
  if (mediaType !== APPLY_PATCH && (type === undefined || (type === "strategic" && view.definition.custom))) {
    throw unknownPatchType(view);
  }
  const options = readWriteOptions(
    request.query,
    "PatchOptions",
    patchOptionErrors(exchange, type === undefined),
  );
  if (type === undefined) return applyVerb(exchange, options);
  const result = await patchObject(resources, {
    address: { view, namespace: info.namespace, name: info.name },
    subresource: info.subresource,
    strategy: strategyFor(view, info.subresource),
    document: readPatch(view, type, request.body ?? new Uint8Array()),
    fieldValidation: options.fieldValidation,
    context: writeContext(exchange, options),
  });
  return respondObject(exchange, 200, result);
}

export function unknownPatchType({ definition }: ResourceView): StatusError {
  const plain = Object.keys(PATCH_TYPES).filter(
    (mediaType) => !definition.custom || PATCH_TYPES[mediaType] !== "strategic",
  );
  const known = [...plain, APPLY_PATCH].join(", ");
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known}`,
  );
}

export function patchOptionErrors({ request }: Exchange, apply: boolean): FieldError[] {
  const { query } = request;
  if (apply) {
    return query.get("fieldManager") === "" ? [required("fieldManager", "is required for apply patch")] : [];
  }
  return query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
}

export function readPatch(view: ResourceView, type: PatchType, body: Uint8Array): PatchDocument {
  const refuse = (why: string) => badRequest(type === "strategic" ? why : `error decoding patch: ${why}`);
  const { value, duplicates } = decode(body, refuse);
  if (type !== "json" && !isObject(value) && value !== null) {
    throw refuse(`json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`);
  }
  return readPatchValue(view, type, value, { duplicates, text: Buffer.from(body).toString("utf8") });
}

function decode(body: Uint8Array, refuse: (why: string) => StatusError): DecodedJson {
  try {
    return decodeJsonBody(body);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refuse(error.message) : error;
  }
}
