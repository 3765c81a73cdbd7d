// Request options from the query, with the validation of a kube-apiserver (422 with the kind of the options, or 400
// for unparsable values): options of writes, lists and watches.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { JsonSyntaxError } from "../../../apimachinery/json/json-decode.ts";
import { type FieldError, forbidden, notSupported } from "../../../apimachinery/meta/field-error.ts";
import { compileFields, parseFieldSelector } from "../../../apimachinery/meta/field-selector.ts";
import { validateFieldManager } from "../../../apimachinery/meta/names.ts";
import { readInteger } from "../../../apimachinery/meta/query.ts";
import { parseShardSelector, type ShardSelector } from "../../../apimachinery/meta/shard-selector.ts";
import { badRequest, invalidObject } from "../../../apimachinery/meta/status.ts";
import { coerceObject, findDecodeError } from "../../../apimachinery/schema/coerce.ts";
import { compileSchema } from "../../../apimachinery/schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../../apimachinery/schema/go/schema-library.ts";
import { settleTyped } from "../../../apimachinery/schema/go/settle-typed.ts";
import { YamlSyntaxError } from "../../../apimachinery/yaml/yaml-error.ts";
import { jsonParseError, readTypeMeta } from "../../registry/codec/type-meta.ts";
import {
  type DeleteOptions,
  dryRunErrors,
  type FieldValidation,
} from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ListRequest, ResourceVersionMatch } from "../../registry/read/list.ts";
import {
  checkFieldsSelectable,
  type Selection,
  selectedName,
  withShard,
} from "../../registry/read/selection.ts";
import type { WatchRequest } from "../../registry/read/watch.ts";
import { validateDeleteOptions } from "../../registry/write/delete.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeProtobuf } from "../protobuf/codec.ts";
import { ProtobufDecodeError, type TypeIdentity } from "../protobuf/value-types.ts";
import { decodeText } from "./decode-body.ts";
import { type BodyFormat, bodyFormat } from "./negotiation.ts";
import { readLabelSelector } from "./read-label-selector.ts";
import type { Query, RequestInfo } from "./request-info.ts";

export const META_GROUP = "meta.k8s.io";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const FIELD_VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

/** Options of create, update and patch; `kind` names them in errors ("CreateOptions"). Throws 422. */
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

/** metav1.DeleteOptions: from the body if present, otherwise from the query. Throws 400, 415 and 422. */
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
  const node = compileSchema(schemaRef(TYPE), schemaLibrary().resolve);
  const complaint = findDecodeError(node, value);
  if (complaint !== undefined) throw badRequest(complaint);
  settleTyped(node, value);
  coerceObject(node, value);
  const { apiVersion: _version, kind: _kind, [IGNORE_READ_ERROR]: _ignore, ...options } = value;
  const seconds = options["gracePeriodSeconds"];
  if (typeof seconds === "bigint") options["gracePeriodSeconds"] = Number(seconds);
  return options; // its types were checked above
}

/** DeleteOptions of any group are accepted, but no other kind. */
function checkType({ apiVersion, kind }: TypeIdentity): void {
  if (kind === "" || kind === OPTIONS.kind) return;
  const version = apiVersion || OPTIONS.apiVersion;
  throw badRequest(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme "${META_SCHEME}"`,
  );
}

function decodeOptions(body: Uint8Array, format: BodyFormat): unknown {
  try {
    return (
      format === "protobuf" ? decodeProtobuf(body, OPTIONS) : decodeText(body, format, { isTyped: true })
    ).value;
  } catch (error) {
    if (error instanceof ProtobufDecodeError || error instanceof YamlSyntaxError)
      throw badRequest(error.message);
    throw error instanceof JsonSyntaxError ? badRequest(jsonParseError(error.message)) : error;
  }
}

/** An option behind a feature gate that is off in a kube-apiserver: it is parsed and ignored. */
const IGNORE_READ_ERROR = "ignoreStoreReadErrorWithClusterBreakingPotential";
const TYPE = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/** Options of a client's watch. */
export interface ClientWatch extends WatchRequest {
  readonly sendInitialEvents: boolean;
  /** The watch ends after this time. */
  readonly timeoutMs: number;
  readonly allowWatchBookmarks: boolean;
}

/** Server options for lists and watches. */
export interface ReadSettings {
  /** Duration of a watch without timeoutSeconds. */
  readonly watchSeconds: number;
  /** Whether shardSelector is evaluated (ShardedListAndWatch); otherwise it is ignored. */
  readonly isSharded: boolean;
}

export const READ_SETTINGS: ReadSettings = { watchSeconds: 1800, isSharded: false };
const MATCH = "resourceVersionMatch";

type Asked = Pick<ApiRequest, "query" | "info">;

/** The namespace in which the objects are stored; "" for Namespaces, which are cluster-scoped. */
export const namespaceIn = ({ definition }: ResourceView, { namespace }: RequestInfo): string =>
  definition.namespaceScoped ? namespace : "";

/** Options of list and deletecollection. Throws 400 and 422. */
export function readListRequest(
  view: ResourceView,
  { query, info }: Asked,
  settings: ReadSettings = READ_SETTINGS,
): ListRequest {
  const { selection, limit, resourceVersion } = readOptions(view, query, settings);
  const match = query.get(MATCH);
  const continueToken = query.get("continue");
  refuseFor(listErrors(query));
  return {
    namespace: namespaceIn(view, info),
    selection: narrowToName(selection, info.name),
    resourceVersion,
    resourceVersionMatch: match as ResourceVersionMatch, // listErrors rejects any other value
    limit: Math.max(limit, 0),
    continueToken,
  };
}

/** Options of a watch. Throws 400 and 422. */
export function readWatchRequest(
  view: ResourceView,
  { query, info }: Asked,
  settings: ReadSettings = READ_SETTINGS,
): ClientWatch {
  const { selection, resourceVersion, timeoutSeconds } = readOptions(view, query, settings);
  let match = query.get(MATCH);
  let initial = query.optionalFlag("sendInitialEvents");
  if (initial === undefined && match === "" && (resourceVersion === "" || resourceVersion === "0")) {
    initial = true; // a watch without a resourceVersion begins with the present objects, as if they were requested
    match = "NotOlderThan";
  }
  refuseFor(watchErrors(match, initial, query.get("continue")));
  return {
    namespace: namespaceIn(view, info),
    selection: narrowToName(selection, info.name),
    resourceVersion,
    sendInitialEvents: initial ?? false,
    mayExpire: true,
    timeoutMs: (timeoutSeconds || settings.watchSeconds) * 1000,
    allowWatchBookmarks: query.flag("allowWatchBookmarks"),
  };
}

/** Options of both, in the order of the fields of ListOptions: the error names the first invalid one. */
function readOptions(view: ResourceView, query: Query, settings: ReadSettings) {
  const timeoutSeconds = readInteger(query, "timeoutSeconds") ?? 0;
  const limit = readInteger(query, "limit") ?? 0;
  const labels = readLabelSelector(query);
  const fields = parseFieldSelector(query.get("fieldSelector"));
  checkFieldsSelectable(view, fields);
  const selection: Selection = {
    labels: labels.isEmpty ? undefined : labels,
    fields: withShard(compileFields(fields), shardOf(query, settings)),
  };
  return { timeoutSeconds, limit, selection, resourceVersion: query.get("resourceVersion") };
}

/** The shard of a list or watch. Throws 400. */
export function shardOf(query: Query, { isSharded }: ReadSettings): ShardSelector | undefined {
  const text = isSharded ? query.get("shardSelector") : "";
  return text === "" ? undefined : parseShardSelector(text);
}

/** A request with a name is authorized for that object only: a field selector must select the same. Throws 400. */
function narrowToName(selection: Selection, name: string): Selection {
  if (name === "") return selection;
  if (selection.fields === undefined)
    return { ...selection, fields: compileFields([{ field: "metadata.name", operator: "=", value: name }]) };
  if (selectedName(selection) === name) return selection;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

function refuseFor(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: META_GROUP, kind: "ListOptions" }, "", errors);
}

function listErrors(query: Query): FieldError[] {
  const match = query.get(MATCH);
  const version = query.get("resourceVersion");
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "")
      errors.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (query.get("continue") !== "") errors.push(WITH_TOKEN);
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0")
      errors.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  if (query.has("sendInitialEvents"))
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

const WITH_TOKEN = forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);

function watchErrors(match: string, initial: boolean | undefined, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== "NotOlderThan")
    errors.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  if (match !== "") {
    if (initial === undefined)
      errors.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    if (match !== "NotOlderThan") errors.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (token !== "") errors.push(WITH_TOKEN);
  }
  return errors;
}
