// Decoding of webhook responses as client-go does it (rest/request.go of v0.36): an HTTP error, or a review that is
// decoded into its Go types without strict decoding.
import { describeStatus } from "../../apimachinery/go/client-errors.ts";
import { mediaTypeError } from "../../apimachinery/go/media-type.ts";
import type { JsonObject } from "../../apimachinery/json/json.ts";
import { decodeJsonInTurns, JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { keysAsRead } from "../../apimachinery/json/json-words.ts";
import { partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import { Sequence } from "../../apimachinery/meta/sequence.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { coerceInTurns } from "../../apimachinery/schema/coerce.ts";
import { compileSchema } from "../../apimachinery/schema/compile-schema.ts";
import { decodeError } from "../../apimachinery/schema/go/decode-error.ts";
import { schemaLibrary, schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import { settleTyped } from "../../apimachinery/schema/go/settle-typed.ts";
import type { JsonSchema, SchemaNode } from "../../apimachinery/schema/schema-node.ts";
import { jsonParseError, readTypeMeta } from "./codec/type-meta.ts";
import type { WebhookAnswer } from "./webhook.ts";

/** Review kind of a webhook API. */
export interface ReviewType {
  readonly group: string;
  readonly kind: string;
  /** Schema of its Go types in a version. */
  readonly nodeIn: (version: string) => SchemaNode;
}

const VERSIONS = ["v1", "v1beta1"];
const JSON_TYPE = "application/json";
const STATUS = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
/** Kinds that have no version, and kinds that every group has (meta/v1/register.go). */
const UNVERSIONED = ["Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"];
const OF_EVERY_GROUP = [
  ...["WatchEvent", "ListOptions", "GetOptions", "DeleteOptions"],
  ...["CreateOptions", "UpdateOptions", "PatchOptions"],
];
/** Source line of the scheme of upstream's webhook clients, which errors name. */
const SCHEME = "k8s.io/apiserver/pkg/util/webhook/client.go:71";

/** Builds a review kind. `types` has the schemas of its Go types by their name in the package, or by their full name. */
export function reviewType(
  group: string,
  kind: string,
  packagePath: string,
  types: (refTo: (name: string) => JsonSchema, version: string) => Readonly<Record<string, JsonSchema>>,
): ReviewType {
  const nodes = new Map<string, SchemaNode>();
  const compile = (version: string): SchemaNode => {
    const prefix = `${packagePath}.${version}.`;
    const own = types((name) => schemaRef(prefix + name), version);
    const resolve = (ref: string): JsonSchema => {
      const name = ref.slice(ref.lastIndexOf("/") + 1);
      return own[name.startsWith(prefix) ? name.slice(prefix.length) : name] ?? schemaLibrary().resolve(ref);
    };
    return compileSchema(schemaRef(prefix + kind), resolve);
  };
  const nodeIn = (version: string): SchemaNode => {
    const node = nodes.get(version) ?? compile(version);
    nodes.set(version, node);
    return node;
  };
  return { group, kind, nodeIn };
}

/** Decodes the review of a response in this version. Rejects with an Error in the words of client-go. */
export async function decodeReview(
  answer: WebhookAnswer,
  type: ReviewType,
  version: string,
): Promise<JsonObject> {
  const { status, body } = answer;
  const contentType = answer.contentType || JSON_TYPE;
  const malformed = mediaTypeError(contentType);
  if (malformed !== undefined) throw new Error(`Internal error occurred: ${malformed}`);
  if (status < 200 || status > 206)
    throw new Error((await statusMessage(answer)) ?? describeStatus(status, answer.contentType, body));
  if (body.length === 0)
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  return await decodeInto(answer, type, version);
}

const toError = (why: string): Error => new Error(why);

async function decodeInto(answer: WebhookAnswer, type: ReviewType, version: string): Promise<JsonObject> {
  const { decoded, sorted, isSpelled } = await readText(answer);
  const said = readTypeMeta(decoded, toError);
  const { value } = said;
  const found = identify(said, type, version);
  if (found.node !== undefined) {
    await yieldIfDue();
    const misfit = decodeError(found.node, value, { sorted, keysOf: keysAsRead, isSpelled });
    if (misfit !== undefined) throw new Error(misfit);
  }
  if (found.version !== version || found.kind !== type.kind)
    throw new Error(
      `converting (${found.version}.${found.kind}) to (${version}.${type.kind}): unknown conversion`,
    );
  if (isSpelled) settleTyped(type.nodeIn(version), value);
  await coerceInTurns(type.nodeIn(version), value);
  return value;
}

interface ReadAnswer {
  readonly decoded: unknown;
  readonly sorted: boolean;
  /** Numbers keep their source spelling. */
  readonly isSpelled: boolean;
}

/** JSON begins with a brace; any other text is decoded as YAML. */
async function readText(answer: WebhookAnswer): Promise<ReadAnswer> {
  const isJson =
    answer.readYaml === undefined || JSON_BEGIN.test(answer.body.toString("utf8", 0, PREFIX_BYTES));
  if (!isJson) return { decoded: await answer.readYaml?.(), sorted: true, isSpelled: false };
  try {
    const decode = () => decodeJsonInTurns(answer.body, { keepsNumbers: true });
    const { value, isSpelled = false } =
      answer.body.length > LARGE_BYTES ? await largeOnes.next(decode) : await decode();
    return { decoded: value, sorted: false, isSpelled };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Error(jsonParseError(error.message));
  }
}

/**
 * A decoded response takes up to fifteen times its bytes: 110 MB at the limit of 8 MiB. Large ones are decoded one after
 * the other, so that concurrent ones do not exhaust the heap.
 */
const LARGE_BYTES = 256 * 1024;
const largeOnes = new Sequence();

/** Enough to detect the format of a response. A byte order mark is no space to Go. */
const PREFIX_BYTES = 64 * 1024;
const JSON_BEGIN = /^[^\S\ufeff]*\{/;

interface SaidKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
}

interface FoundType {
  readonly kind: string;
  readonly version: string;
  /** undefined: its members are not decoded. */
  readonly node: SchemaNode | undefined;
}

/**
 * Type of a response by its kind and apiVersion, which default to those of the review. Throws an Error for an unknown
 * type.
 */
function identify(said: SaidKind, type: ReviewType, wanted: string): FoundType {
  const kind = said.kind || type.kind;
  const parts = said.apiVersion === "/" ? ["", ""] : partsOfApiVersion(said.apiVersion);
  const [group = "", version = ""] = parts.every((part) => part === "") ? [type.group, wanted] : parts;
  const named = version === "" && group === type.group ? wanted : version;
  if (named === "") throw new Error(`Object 'apiVersion' is missing in '${encodeJson(said.value)}'`);
  if (kind === "Status") return { kind, version: "v1", node: statusNode() };
  if (UNVERSIONED.includes(kind)) return { kind, version: "v1", node: undefined };
  if (group === type.group && VERSIONS.includes(named)) {
    if (kind === type.kind) return { kind, version: named, node: type.nodeIn(named) };
    if (OF_EVERY_GROUP.includes(kind)) return { kind, version: "v1", node: undefined };
  }
  const internal = named === "__internal" ? `the internal version of group "${group}"` : undefined;
  const shown = internal ?? `version "${group === "" ? named : `${group}/${named}`}"`;
  throw new Error(`no kind "${kind}" is registered for ${shown} in scheme "${SCHEME}"`);
}

const statusNode = (): SchemaNode => compileSchema(schemaRef(STATUS), schemaLibrary().resolve);

/** The message of a Status in the response to a failed request; undefined: it has none. */
async function statusMessage(answer: WebhookAnswer): Promise<string | undefined> {
  if (answer.body.length === 0) return undefined;
  try {
    const { decoded, sorted } = await readText(answer);
    const { kind, value } = readTypeMeta(decoded, toError);
    if (kind !== "Status" || decodeError(statusNode(), value, { sorted }) !== undefined) return undefined;
    return value["status"] === "Failure" ? String(value["message"] ?? "") : undefined;
  } catch {
    return undefined; // the response's body is irrelevant then
  }
}
