// DELETE of one object and of a collection.
import { isObject, type JsonObject } from "../../meta/json.ts";
import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { badRequest, deleted, StatusError } from "../../meta/status.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { listReady } from "../../registry/read/list-ready.ts";
import { type DeleteOptions, validateDeleteOptions } from "../../registry/write/delete-options.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { decodeProtobuf, ProtobufDecodeError } from "../protobuf/codec.ts";
import { decodeText, goTypeName } from "../request/decode-body.ts";
import { type BodyFormat, bodyFormat } from "../request/negotiation.ts";
import { readInteger, readListOptions } from "../request/options.ts";
import { respondObject, respondStatus } from "../response/respond.ts";
import { respondList } from "../response/respond-list.ts";

export async function deleteVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readDeleteOptions(exchange);
  const context = deleteContext(exchange, options);
  const outcome = await resources.delete(
    { view, namespace: info.namespace, name: info.name },
    options,
    context,
  );
  if (outcome.type === "marked") {
    // Who asks for dependents to go too, in the old way, is told that this takes its time.
    return respondObject(exchange, options.orphanDependents === false ? 202 : 200, outcome.result);
  }
  if (view.definition.returnsDeletedObject)
    return respondObject(exchange, 200, { type: "bare", object: outcome.last });
  const { uid = "", resourceVersion } = outcome.last.metadata;
  const answer = respondStatus(exchange, deleted(view.definition, info.name, uid));
  return { ...answer, revision: resourceVersion === undefined ? undefined : Number(resourceVersion) };
}

/** Deletes what the selectors take in, one by one, and answers with the list as it was. */
export async function deleteCollectionVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const options = readDeleteOptions(exchange);
  const selection = readListOptions(view, request.query, false);
  const list = await listReady(resources.deps.store, view, { ...selection, namespace: info.namespace });
  const context = deleteContext(exchange, options);
  for (const kv of list.items) {
    const { name = "", namespace = "" } = decodeStored(kv).metadata;
    try {
      await resources.delete({ view, namespace, name }, options, context);
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }
  return respondList(exchange, list);
}

function deleteContext(exchange: Exchange, options: DeleteOptions) {
  const dryRun = (options.dryRun ?? []).length > 0;
  return writeContext(exchange, { dryRun, fieldManager: "", fieldValidation: "Warn" });
}

/** From the body if there is one, else from the query. Throws 400, 415 and 422. */
function readDeleteOptions({ request }: Exchange): DeleteOptions {
  const { query, body } = request;
  const options =
    body !== undefined && body.length > 0
      ? optionsFromBody(request.headers["content-type"], body)
      : optionsFromQuery();
  validateDeleteOptions(options);
  return options;

  function optionsFromQuery(): DeleteOptions {
    const gracePeriodSeconds = readInteger(query, "gracePeriodSeconds");
    const orphanDependents = query.optionalFlag("orphanDependents");
    return {
      ...(gracePeriodSeconds !== undefined ? { gracePeriodSeconds } : {}),
      ...(orphanDependents !== undefined ? { orphanDependents } : {}),
      ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
      dryRun: query.all("dryRun"),
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
