// Decoding of request bodies: JSON, YAML and protobuf to plain values, and plain values to objects of the URL's
// kind. Error texts equal those of a kube-apiserver, because users search for them.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import type { JsonObject } from "../../../apimachinery/json/json.ts";
import {
  type DecodedJson,
  decodeJson,
  decodeJsonInTurns,
  JsonSyntaxError,
} from "../../../apimachinery/json/json-decode.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import {
  isSpelled,
  numberSpelled,
  settleNumbers,
  tooGreatForDouble,
} from "../../../apimachinery/json/spelled-number.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest, type StatusError } from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { jobOwner, type Workers } from "../../../apimachinery/workers/job.ts";
import { type DecodedYaml, decodeYaml, isLikeJson, textOf } from "../../../apimachinery/yaml/decode-yaml.ts";
import { unmarshalErrors, YamlSyntaxError } from "../../../apimachinery/yaml/yaml-error.ts";
import {
  type ConformedObject,
  type ConformOptions,
  cannotBeHandled,
  conformInTurns,
  conformObject,
  type DecodedObject,
  unknownFields,
} from "../../registry/codec/object-decoder.ts";
import { notRegistered, readTypeMeta, type SaidType } from "../../registry/codec/type-meta.ts";
import { isLargeBody } from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeProtobuf, openEnvelope } from "../protobuf/codec.ts";
import { ProtobufDecodeError, type TypeIdentity } from "../protobuf/value-types.ts";
import { decodeYamlJob } from "./decode-yaml-job.ts";
import type { BodyFormat } from "./negotiation.ts";

const SUMMARY_BYTES = 30;

export interface DecodedBody {
  readonly value: unknown;
  /** Messages about duplicate keys. */
  readonly findings: string[];
  /** Numbers keep their spelling, see src/apimachinery/json/spelled-number.ts. */
  readonly isSpelled?: boolean | undefined;
}

/**
 * Throws JsonSyntaxError, and YamlSyntaxError for YAML. Typed decoding keeps the spelling of JSON numbers; untyped
 * decoding, as for custom resources, returns their values.
 */
export function decodeText(
  body: Uint8Array,
  format: Exclude<BodyFormat, "protobuf">,
  { isTyped = false } = {},
): DecodedBody {
  if (format === "json") {
    const read = isTyped ? decodeSpelledBody(body) : decodeJsonBody(body);
    const findings = read.duplicates.map((path) => `duplicate field ${goQuote(path)}`);
    return { value: read.value, findings, isSpelled: read.isSpelled };
  }
  const { value, duplicates } = decodeYamlBody(body);
  return { value, findings: duplicates.length === 0 ? [] : [unmarshalErrors(duplicates)] };
}

/**
 * Decodes a body to an object of the kind; a large one with yielding. Throws 400 with the text of a kube-apiserver,
 * whose text depends on whether field validation is requested.
 */
export function decodeObject(
  view: ResourceView,
  body: Uint8Array,
  format: BodyFormat,
  isKnown: KnowsType,
  asksFindings = true,
): DecodedObject | Promise<DecodedObject> {
  const read = format === "protobuf" ? readMessage(view, body) : readText(view, body, format, asksFindings);
  if (!view.definition.custom) checkType(view, read, isKnown);
  const refuse = (why: string) => cannotBeHandled(view, read, why);
  const options = { refuse, isSpelled: read.isSpelled };
  if (isLargeBody(body)) return decodeInTurns(view, read, options);
  return withFindings(view, read, conformObject(view, read.value, options));
}

async function decodeInTurns(
  view: ResourceView,
  read: ReadBody,
  options: ConformOptions,
): Promise<DecodedObject> {
  const decoded = withFindings(view, read, await conformInTurns(view, read.value, options));
  await ownTurn();
  return decoded;
}

function withFindings(
  view: ResourceView,
  { findings }: ReadBody,
  { object, unknown }: ConformedObject,
): DecodedObject {
  append(findings, unknownFields(view, unknown));
  return { object, findings };
}

/** Whether a built-in type has this name. */
export type KnowsType = (type: TypeIdentity) => boolean;

/** Kinds of several groups with one internal type. */
const SHARED_BY_GROUPS = new Set(["Event", "Scale"]);

/** A known type other than the URL's kind cannot be converted. Another version of the kind is rejected later. */
function checkType(view: ResourceView, read: TypeIdentity, isKnown: KnowsType): void {
  const { group, kind } = view.definition;
  if (read.kind === kind && read.apiVersion === apiVersionOf(view)) return;
  if (!isKnown(read)) {
    throw cannotBeHandled(view, read, notRegistered(read.kind, read.apiVersion, view));
  }
  const [givenGroup, givenVersion] = partsOfApiVersion(read.apiVersion);
  if (read.kind === kind && (givenGroup === group || SHARED_BY_GROUPS.has(kind))) return;
  const from = `${givenVersion}.${read.kind}`;
  const to = `${internalPackage(view)}.${kind}`;
  throw cannotBeHandled(view, read, `converting (${from}) to (${to}): unknown conversion`);
}

const expectedType = (view: ResourceView): TypeIdentity => ({
  apiVersion: apiVersionOf(view),
  kind: view.definition.kind,
});

/** A body with its type, before conversion to its kind. */
interface ReadBody extends TypeIdentity {
  readonly value: JsonObject;
  readonly findings: string[];
  readonly isSpelled?: boolean | undefined;
}

function readText(
  view: ResourceView,
  body: Uint8Array,
  format: Exclude<BodyFormat, "protobuf">,
  asksFindings: boolean,
): ReadBody {
  let decoded: DecodedBody;
  try {
    decoded = decodeText(body, format, { isTyped: !view.definition.custom });
  } catch (error) {
    throw unreadable(view, body, error);
  }
  const { value, findings } = decoded;
  const withoutKind = (): StatusError => {
    const missing = (text: string) => `Object 'Kind' is missing in '${text}'`;
    const text = textOf(body);
    if (asksFindings) return unrecognised(view.definition.kind, body, missing(text));
    const json = format === "json" ? text.trim() : encodeJson(value);
    return cannotBeHandled(view, expectedType(view), missing(json));
  };
  return { ...identify(view, value, body, withoutKind), findings, isSpelled: decoded.isSpelled };
}

/** Custom resources have no protobuf message: a kube-apiserver opens the envelope, and then fails. */
function readMessage(view: ResourceView, body: Uint8Array): ReadBody {
  const { kind, custom } = view.definition;
  const expected = expectedType(view);
  try {
    if (!custom) return { ...decodeProtobuf(body, expected), findings: [] };
    const { identity } = openEnvelope(body, expected);
    throw new ProtobufDecodeError("Object 'Kind' is missing in 'object has no kind field '", identity);
  } catch (error) {
    if (!(error instanceof ProtobufDecodeError)) throw error;
    if (error.identity !== undefined) throw cannotBeHandled(view, error.identity, error.message);
    throw unrecognised(kind, body, error.message);
  }
}

function unrecognised(kind: string, body: Uint8Array, why: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summarise(body)})`,
  );
}

/** Built-in kinds may omit apiVersion and kind, which the URL determines; custom resources require both. */
function identify(
  view: ResourceView,
  decoded: unknown,
  body: Uint8Array,
  withoutKind: () => StatusError,
): SaidType {
  const { kind, custom } = view.definition;
  const said = readTypeMeta(decoded, (why) => unrecognised(kind, body, why));
  if (!custom) {
    const known = { apiVersion: said.apiVersion || apiVersionOf(view), kind: said.kind || kind };
    return { ...known, value: Object.assign(said.value, known) };
  }
  if (said.kind === "") throw withoutKind();
  return said;
}

function unreadable(view: ResourceView, body: Uint8Array, error: unknown): unknown {
  const { definition } = view;
  if (error instanceof YamlSyntaxError) return unrecognised(definition.kind, body, error.message);
  if (!(error instanceof JsonSyntaxError)) return error;
  if (/^json: cannot unmarshal number/.test(error.message)) {
    return cannotBeHandled(view, expectedType(view), error.message);
  }
  return unrecognised(definition.kind, body, `couldn't get version/kind; json parse error: ${error.message}`);
}

/** The start of a body, as error messages quote it. */
function summarise(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const short = bytes.subarray(0, SUMMARY_BYTES);
  const text = bytes[0] === 0x7b ? short.toString("utf8") : short.toString("hex");
  return bytes.length > SUMMARY_BYTES ? `${text} ...` : text;
}

/** The Go package of the internal type, as conversion errors name it. */
function internalPackage({ definition }: ResourceView): string {
  return definition.group === "" ? "core" : (definition.group.split(".")[0] ?? "");
}

/** Media types of objects and patches of any kind. */
const JSON_MEDIA_TYPE = /^\s*(?:application\/(?:[\w-]+\+)?json\s*)?(?:;|$)/i;
const YAML_MEDIA_TYPE = /^\s*application\/(?:yaml|apply-patch\+yaml)\s*(?:;|$)/i;
/** Decoding YAML of this size takes about 10 ms. */
const SMALL_YAML_BYTES_MAX = 32 * 1024;

export type DecodedText = DecodedJson | DecodedYaml;

/** Results of large bodies, which are decoded in advance, by body. */
const outcomes = new WeakMap<Uint8Array, DecodedText | JsonSyntaxError | YamlSyntaxError>();

/**
 * Decodes a large body: JSON with yielding, YAML in a worker thread. undefined: the body is small, as in most
 * requests. Rejects with 413, 429 and 504.
 */
export function readLargeBody(
  request: Pick<ApiRequest, "headers" | "body" | "user" | "gone">,
  workers?: Workers | undefined,
): Promise<void> | undefined {
  const { headers, body } = request;
  if (body === undefined || body.length <= SMALL_YAML_BYTES_MAX || outcomes.has(body)) return undefined;
  const contentType = headers["content-type"] ?? "";
  if (JSON_MEDIA_TYPE.test(contentType))
    return isLargeBody(body) ? keepOutcome(body, decodeJsonInTurns(body, { keepsNumbers: true })) : undefined;
  if (workers === undefined || !YAML_MEDIA_TYPE.test(contentType)) return undefined;
  const owner = jobOwner(request.user, request.gone?.());
  return keepOutcome(body, readYamlAside(body, workers.of(owner)));
}

async function keepOutcome(body: Uint8Array, reading: Promise<DecodedText>): Promise<void> {
  try {
    outcomes.set(body, await reading);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof YamlSyntaxError)) throw error;
    outcomes.set(body, error);
  }
}

/**
 * Clients send JSON with a YAML content type. JSON is decoded first, because it is faster, unless it has duplicate
 * keys.
 */
async function readYamlAside(body: Uint8Array, workers: Workers): Promise<DecodedText> {
  if (isLikeJson(textOf(body))) {
    const decoded = await decodeJsonInTurns(body).catch(unlessSyntax);
    if (decoded?.duplicates.length === 0) return decoded;
  }
  const outcome = await workers.run(decodeYamlJob, body);
  if ("problem" in outcome) throw new (outcome.isOfJson ? JsonSyntaxError : YamlSyntaxError)(outcome.problem);
  const { value } = await decodeJsonInTurns(outcome.json);
  return { value, duplicates: outcome.duplicates };
}

function unlessSyntax(error: unknown): undefined {
  if (!(error instanceof JsonSyntaxError)) throw error;
}

/** Returns a decoded body. The first caller owns the result and may change it. Throws JsonSyntaxError. */
export function decodeJsonBody(body: Uint8Array): DecodedJson {
  const read = outcomeOf<DecodedJson>(body, decodeJson);
  if (read.isSpelled !== true) return read;
  const { value, duplicates, tooGreat } = read;
  if (tooGreat !== undefined) throw new JsonSyntaxError(tooGreatForDouble(tooGreat));
  if (isSpelled(value)) return { value: numberSpelled(value), duplicates };
  settleNumbers(value);
  return { value, duplicates };
}

/** The same with the spelling of numbers. */
export const decodeSpelledBody = (body: Uint8Array): DecodedJson =>
  outcomeOf<DecodedJson>(body, (bytes) => decodeJson(bytes, { keepsNumbers: true }));

/** Like decodeJsonBody; also throws YamlSyntaxError. */
export const decodeYamlBody = (body: Uint8Array): DecodedText => outcomeOf(body, decodeYaml);

function outcomeOf<Decoded extends DecodedText>(
  body: Uint8Array,
  decode: (body: Uint8Array) => Decoded,
): Decoded {
  const outcome = outcomes.get(body) ?? decode(body);
  outcomes.delete(body);
  if (outcome instanceof Error) throw outcome;
  return outcome as Decoded; // a body has one format
}
