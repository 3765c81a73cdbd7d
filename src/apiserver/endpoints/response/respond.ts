// Responses: an object, a list or a Status in the negotiated form. Stored bytes are sent unchanged where the form
// allows it; only Tables, metadata, YAML and protobuf require decoding.
import { parseGoBool } from "../../../apimachinery/go/strconv.ts";
import type { MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { failure, type Status } from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { encodeObject, memberOrder } from "../../registry/codec/object-codec.ts";
import { jsonLine, type ObjectResult, resultInVersion } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE, type StreamBody, YAML_TYPE } from "../api-request.ts";
import { PROTOBUF_TYPE, toProtobuf } from "../protobuf/codec.ts";
import type { AnswerForm } from "../request/negotiation.ts";
import type { RequestScope } from "../request-scope.ts";
import { answerJson, answerJsonInTurns, prettyParts, textBody } from "./answer-text.ts";
import { otherForm } from "./other-form.ts";
import { yamlParts } from "./to-yaml.ts";
import type { Warnings } from "./warnings.ts";

const NEWLINE = "\n";
const INDENTING_AGENTS = ["curl", "Wget", "Mozilla/5.0"];

/** One object as a result of a verb. */
export function respondObject(exchange: RequestScope, status: number, result: ObjectResult): ApiResponse {
  const revision = result.type === "stored" ? result.kv.modRevision : undefined;
  const { view, negotiated, request } = exchange;
  const { transform, mediaType } = negotiated;
  if (transform === undefined && mediaType === JSON_TYPE) {
    const json =
      result.type === "stored" && result.shown === undefined
        ? jsonLine(view, result.kv)
        : Buffer.from(`${encodeObject(objectOf(view, result), memberOrder(view))}\n`);
    return { status, headers: headersOf(exchange), body: finishLine(json, negotiated, request), revision };
  }
  const object = objectOf(view, result);
  if (transform?.kind === "PartialObjectMetadataList")
    throw failure({ code: 500, message: "content is not a list" });
  const shown = otherForm(exchange)?.single(object) ?? object;
  return { ...respondValue(exchange, status, shown), revision };
}

const objectOf = (view: ResourceView, result: ObjectResult): Readonly<KubeObject> =>
  result.type === "stored" ? resultInVersion(view, result) : inVersion(view, result.object);

const inVersion = (view: ResourceView, object: Readonly<KubeObject>): Readonly<KubeObject> => ({
  ...object,
  apiVersion: apiVersionOf(view),
});

/** An API value without a stored form. */
export function respondValue(
  exchange: RequestScope,
  status: number,
  value: unknown,
  order?: MemberOrder,
): ApiResponse {
  return {
    status,
    headers: headersOf(exchange),
    body: finishValue(value, exchange.negotiated, exchange.request, order),
  };
}

/** A Status that is not a failure (a completed DELETE). It is never converted to a Table. */
export function respondStatus(exchange: RequestScope, status: Status): ApiResponse {
  return respondValue(exchange, status.code ?? 200, status);
}

export function headersOf({
  negotiated,
  warnings,
}: {
  readonly negotiated: AnswerForm;
  readonly warnings: Warnings;
}): ApiResponse["headers"] {
  const headers: Record<string, string | string[]> = { "content-type": negotiated.mediaType };
  const texts = warnings.headers();
  if (texts.length > 0) headers["warning"] = texts;
  return headers;
}

/** The encoded value. For protobuf it must have a kind. */
export function finishValue(
  value: unknown,
  form: AnswerForm,
  request: ApiRequest,
  order?: MemberOrder,
): Body {
  switch (form.mediaType) {
    case PROTOBUF_TYPE:
      return toProtobuf(value);
    case YAML_TYPE:
      return textBody(yamlParts(value));
    default:
      return finishLine(Buffer.from(answerJson(value, order) + NEWLINE), form, request);
  }
}

/** The encoded large value, encoded with yielding. */
export async function finishLargeValue(value: unknown, form: AnswerForm, request: ApiRequest): Promise<Body> {
  await ownTurn();
  if (form.mediaType !== JSON_TYPE) return finishValue(value, form, request);
  return finishLine(await answerJsonInTurns(value, NEWLINE), form, request);
}

/** A line of JSON, indented if requested. */
export function finishLine(line: Buffer, form: AnswerForm, request: ApiRequest): Body {
  if (!isIndented(form, request)) return line;
  return textBody(indentedLines(line.toString("utf8", 0, line.length - NEWLINE.length)));
}

function* indentedLines(json: string): Generator<string, void> {
  yield* prettyParts(json);
  yield "\n";
}

type Body = Uint8Array | StreamBody;

/** Indented if the Accept header requests it, else by the query, else for browsers, curl and wget. */
export const isIndented = ({ pretty }: AnswerForm, request: ApiRequest): boolean =>
  pretty === true || wantsIndent(request);

function wantsIndent({ query, headers }: ApiRequest): boolean {
  const pretty = query.get("pretty");
  if (pretty !== "") return parseGoBool(pretty) === true;
  const agent = headers["user-agent"] ?? "";
  return INDENTING_AGENTS.some((prefix) => agent.startsWith(prefix));
}
