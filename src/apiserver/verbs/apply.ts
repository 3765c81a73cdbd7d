// PATCH with application/apply-patch+yaml: reads the YAML (or JSON) and hands it to the registry.
import { goJsonType, isObject, type JsonObject } from "../../meta/json.ts";
import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { badRequest, type StatusError } from "../../meta/status.ts";
import { strategyFor } from "../../registry/definition/view.ts";
import { applyObject } from "../../registry/write/apply-object.ts";
import type { DecodedYaml } from "../../yaml/decode-yaml.ts";
import { unmarshalErrors, YamlSyntaxError } from "../../yaml/yaml-error.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { decodeYamlBody } from "../request/large-yaml.ts";
import type { WriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";

export async function applyVerb(exchange: Exchange, options: WriteOptions): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const result = await applyObject(resources, {
    address: { view, namespace: info.namespace, name: info.name },
    subresource: info.subresource,
    strategy: strategyFor(view, info.subresource),
    applied: readApplied(exchange, options),
    force: request.query.flag("force"),
    context: writeContext(exchange, options),
  });
  return respondObject(exchange, result.created ? 201 : 200, result);
}

/** Throws 400. Keys that are given twice are warned about, or refused by fieldValidation=Strict. */
export function readApplied({ request, warnings }: Exchange, { fieldValidation }: WriteOptions): JsonObject {
  const { value, duplicates } = decode(request.body ?? new Uint8Array());
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

function decode(body: Uint8Array): DecodedYaml {
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
