// PATCH with application/apply-patch+yaml: reads the YAML (or JSON) and hands it to the registry.
import { goJsonType, isObject, type JsonObject } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";
import { strategyFor } from "../../registry/subresources.ts";
import { applyObject } from "../../registry/write/apply-object.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { decodeYamlBody } from "../request/large-yaml.ts";
import type { WriteOptions } from "../request/options.ts";
import { type DecodedYaml, YamlSyntaxError } from "../request/yaml.ts";
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
    const list = duplicates.map((text) => `\n  ${text}`).join("");
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${list}`,
    );
  }
  if (fieldValidation === "Warn") for (const text of duplicates) warnings.add(text);
  if (isObject(value)) return value;
  if (value === null || value === undefined) return {};
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`,
  );
}

function decode(body: Uint8Array): DecodedYaml {
  try {
    return decodeYamlBody(body);
  } catch (error) {
    throw error instanceof YamlSyntaxError ? badRequest(`error decoding YAML: ${error.message}`) : error;
  }
}
