// The options of writes, read from the query and checked as a real server checks them (422 with the kind of the options,
// or 400 where a number cannot be read).

import { goQuote } from "../../go/strconv.ts";
import { type FieldError, notSupported } from "../../meta/field-error.ts";
import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { validateFieldManager } from "../../meta/names.ts";
import { badRequest, invalidObject } from "../../meta/status.ts";
import {
  type DeleteOptions,
  dryRunErrors,
  type FieldValidation,
} from "../../registry/definition/request-context.ts";
import { validateDeleteOptions } from "../../registry/write/delete-options.ts";
import { coerceObject, findDecodeError } from "../../schema/coerce.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../schema/go/schema-library.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import { YamlSyntaxError } from "../../yaml/yaml-error.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeProtobuf } from "../protobuf/codec.ts";
import { ProtobufDecodeError, type TypeIdentity } from "../protobuf/value-types.ts";
import { decodeText, jsonParseError, readTypeMeta } from "./decode-body.ts";
import { type BodyFormat, bodyFormat } from "./negotiation.ts";
import type { Query } from "./request-info.ts";

export const META_GROUP = "meta.k8s.io";

/** An int64 of the query; undefined where the key is absent. Nothing after the key is no number. Throws 400. */
export function readInteger(query: Query, key: string): number | undefined {
  if (!query.has(key)) return undefined;
  const text = query.get(key);
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text);
  if (value >= 2n ** 63n || value < -(2n ** 63n)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const FIELD_VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

/** Options of create, update and patch; `kind` names them in refusals ("CreateOptions"). Throws 422. */
export function readWriteOptions(query: Query, kind: string, more: readonly FieldError[] = []): WriteOptions {
  const dryRun = query.all("dryRun");
  const fieldManager = query.get("fieldManager");
  const fieldValidation = query.get("fieldValidation");
  const errors = [...more, ...validateFieldManager(fieldManager, "fieldManager"), ...dryRunErrors(dryRun)];
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    errors.push(notSupported("fieldValidation", fieldValidation, FIELD_VALIDATIONS));
  }
  if (errors.length > 0) throw invalidObject({ group: META_GROUP, kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation), // one of the list above
  };
}

/** metav1.DeleteOptions: from the body if there is one, else from the query. Throws 400, 415 and 422. */
export function readDeleteOptions({ query, body, headers }: ApiRequest): DeleteOptions {
  const options = body?.length ? optionsFromBody(headers["content-type"], body) : optionsFromQuery(query);
  validateDeleteOptions(options);
  return options;
}

function optionsFromQuery(query: Query): DeleteOptions {
  const gracePeriodSeconds = readInteger(query, "gracePeriodSeconds");
  const orphanDependents = query.optionalFlag("orphanDependents");
  const [uid, resourceVersion] = [query.get("uid"), query.get("resourceVersion")];
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return {
    ...(gracePeriodSeconds !== undefined ? { gracePeriodSeconds } : {}),
    ...(orphanDependents !== undefined ? { orphanDependents } : {}),
    ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    dryRun: query.all("dryRun"),
    ...(uid || resourceVersion ? { preconditions } : {}),
  };
}

const META_SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
const OPTIONS = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" };

function optionsFromBody(contentType: string | undefined, body: Uint8Array): DeleteOptions {
  const decoded = decodeOptions(body, bodyFormat(contentType)) ?? {};
  const { value, ...type } = readTypeMeta(decoded, badRequest);
  checkType(type);
  const complaint = findDecodeError(optionsNode(), value);
  if (complaint !== undefined) throw badRequest(complaint);
  coerceObject(optionsNode(), value);
  const { apiVersion: _version, kind: _kind, [IGNORE_READ_ERROR]: _ignore, ...options } = value;
  const seconds = options["gracePeriodSeconds"];
  if (typeof seconds === "bigint") options["gracePeriodSeconds"] = Number(seconds);
  return options; // its types were checked above
}

/** Any group has these options, but what is posted must not be something else. */
function checkType({ apiVersion, kind }: TypeIdentity): void {
  if (kind === "" || kind === OPTIONS.kind) return;
  const version = apiVersion || OPTIONS.apiVersion;
  throw badRequest(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme "${META_SCHEME}"`,
  );
}

function decodeOptions(body: Uint8Array, format: BodyFormat): unknown {
  try {
    return (format === "protobuf" ? decodeProtobuf(body, OPTIONS) : decodeText(body, format)).value;
  } catch (error) {
    if (error instanceof ProtobufDecodeError || error instanceof YamlSyntaxError)
      throw badRequest(error.message);
    throw error instanceof JsonSyntaxError ? badRequest(jsonParseError(error.message)) : error;
  }
}

/** A gate that is closed on a real server: it is read and left alone. */
const IGNORE_READ_ERROR = "ignoreStoreReadErrorWithClusterBreakingPotential";
const TYPE = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

let compiled: SchemaNode | undefined;

function optionsNode(): SchemaNode {
  compiled ??= compileSchema(schemaRef(TYPE), schemaLibrary().resolve);
  return compiled;
}
