// metav1.DeleteOptions as a DELETE brings them: in the body, or in the query.
import { isObject, type JsonObject } from "../../meta/json.ts";
import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { badRequest } from "../../meta/status.ts";
import { type DeleteOptions, validateDeleteOptions } from "../../registry/write/delete-options.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeProtobuf, ProtobufDecodeError } from "../protobuf/codec.ts";
import { decodeText, goTypeName } from "./decode-body.ts";
import { type BodyFormat, bodyFormat } from "./negotiation.ts";
import { readInteger } from "./options.ts";

/** From the body if there is one, else from the query. Throws 400, 415 and 422. */
export function readDeleteOptions({ query, body, headers }: ApiRequest): DeleteOptions {
  const options =
    body !== undefined && body.length > 0
      ? optionsFromBody(headers["content-type"], body)
      : optionsFromQuery();
  validateDeleteOptions(options);
  return options;

  function optionsFromQuery(): DeleteOptions {
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
}

const META_SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
const OPTIONS = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" };
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function optionsFromBody(contentType: string | undefined, body: Uint8Array): DeleteOptions {
  const value = readOptions(body, bodyFormat(contentType));
  const { kind } = value;
  if (typeof kind === "string" && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(value["apiVersion"] ?? "")} in scheme "${META_SCHEME}"`,
    );
  }
  return {
    ...optional("gracePeriodSeconds", typed(value, "gracePeriodSeconds", "number", "int64")),
    ...optional("orphanDependents", typed(value, "orphanDependents", "boolean", "bool")),
    ...optional("propagationPolicy", typed(value, "propagationPolicy", "string", "v1.DeletionPropagation")),
    ...optional("dryRun", stringList(value["dryRun"])),
    ...optional("preconditions", preconditions(value["preconditions"])),
  };
}

function readOptions(body: Uint8Array, format: BodyFormat): JsonObject {
  const parseError = (why: string) => badRequest(`couldn't get version/kind; json parse error: ${why}`);
  let value: unknown;
  try {
    ({ value } = format === "protobuf" ? decodeProtobuf(body, OPTIONS) : decodeText(body, format));
  } catch (error) {
    if (error instanceof ProtobufDecodeError) throw badRequest(error.message);
    throw error instanceof JsonSyntaxError ? parseError(error.message) : error;
  }
  if (!isObject(value))
    throw parseError(`json: cannot unmarshal ${goTypeName(value)} into Go value of type ${TYPE_META}`);
  for (const key of ["apiVersion", "kind"]) {
    const item = value[key];
    if (item === undefined || item === null || typeof item === "string") continue;
    throw parseError(
      `json: cannot unmarshal ${goTypeName(item)} into Go struct field .${key} of type string`,
    );
  }
  return value;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: V }); // the one key that the type names
}

interface JsonTypes {
  number: number;
  boolean: boolean;
  string: string;
}

function typed<T extends keyof JsonTypes>(
  object: Record<string, unknown>,
  field: string,
  type: T,
  goType: string,
): JsonTypes[T] | undefined {
  const value = object[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) {
    throw badRequest(
      `json: cannot unmarshal ${goTypeName(value)} into Go struct field DeleteOptions.${field} of type ${goType}`,
    );
  }
  return value as JsonTypes[T]; // typeof was compared above
}

function stringList(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw badRequest(
    `json: cannot unmarshal ${goTypeName(value)} into Go struct field DeleteOptions.dryRun of type []string`,
  );
}

function preconditions(value: unknown): DeleteOptions["preconditions"] {
  if (!isObject(value)) return undefined;
  const uid = typed(value, "uid", "string", "types.UID");
  const resourceVersion = typed(value, "resourceVersion", "string", "string");
  return { ...optional("uid", uid), ...optional("resourceVersion", resourceVersion) };
}
