// Content negotiation: the media type of a response by the Accept header, and whether the object, its metadata or a
// Table is requested. Also the decoder of a body by its Content-Type.
import { memoizeText } from "../../../apimachinery/meta/memoize.ts";
import { notAcceptable, unsupportedMediaType } from "../../../apimachinery/meta/status.ts";
import { JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import { PROTOBUF_TYPE } from "../protobuf/codec.ts";

export type TransformKind = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

export type MediaType = typeof JSON_TYPE | typeof YAML_TYPE | typeof PROTOBUF_TYPE;

/** The encoding of a response. */
export interface AnswerForm {
  readonly mediaType: MediaType;
  /** ";pretty=1": indented JSON, whatever the query requests. */
  readonly pretty?: boolean;
}

export interface Negotiated extends AnswerForm {
  readonly transform: { readonly kind: TransformKind; readonly version: "v1" | "v1beta1" } | undefined;
}

/** Listed in 406 responses for any kind; a wildcard selects the first. */
export const ACCEPTED: readonly MediaType[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
/** Media types of watches. */
export const STREAMS = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];
const TRANSFORMS: readonly string[] = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"];
/** Parameters for group, version and kind of another form; any of them requests one. */
const TRANSFORM_PARAMS = ["as", "g", "v"];
const PLAIN: Negotiated = { mediaType: JSON_TYPE, transform: undefined };

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly params: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header by descending weight; exact types precede wildcards of the same weight. */
export const parseAccept = (header: string): readonly AcceptClause[] =>
  clausesOf(header.length > ACCEPT_CHARACTERS_MAX ? header.slice(0, ACCEPT_CHARACTERS_MAX) : header);

/**
 * The rest of a longer header is ignored: it is parsed for anonymous requests too. kubectl sends some 300
 * characters.
 */
const ACCEPT_CHARACTERS_MAX = 8192;

const clausesOf = memoizeText<readonly AcceptClause[]>(readAccept);

function readAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",")) {
    const [media = "", ...rest] = part.split(";").map((item) => item.trim());
    const [type = "", subtype = type === "*" ? "*" : ""] = media.toLowerCase().split("/");
    if (type === "") continue;
    const params = new Map<string, string>();
    let quality = 1;
    for (const item of rest) {
      const cut = item.indexOf("=");
      if (cut < 0) continue;
      const key = item.slice(0, cut).trim();
      const value = item.slice(cut + 1).trim();
      if (key === "q") quality = Number.parseFloat(value) || 0;
      else params.set(key, value.replace(/^"|"$/g, ""));
    }
    clauses.push({ type, subtype, quality, params });
  }
  const wildcards = ({ type, subtype }: AcceptClause) => (type === "*" ? 1 : 0) + (subtype === "*" ? 1 : 0);
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

/**
 * Throws 406 when no acceptable form exists. `hasProtobuf`: whether the object can be encoded as protobuf; its
 * metadata always can, and a Table never. `allows`: which other forms exist.
 */
export function negotiateAnswer(
  accept: string | undefined,
  hasProtobuf: () => boolean,
  allows: (kind: TransformKind) => boolean = () => true,
): Negotiated {
  if (accept === undefined || accept.trim() === "") return PLAIN;
  for (const clause of parseAccept(accept)) {
    const mediaType = mediaTypeFor(clause);
    if (mediaType === undefined) continue;
    const stream = clause.params.get("stream");
    if (stream !== undefined && stream !== "watch") continue;
    const named = TRANSFORM_PARAMS.some((param) => clause.params.has(param));
    const as = named ? (clause.params.get("as") ?? "") : undefined;
    if (mediaType === PROTOBUF_TYPE && (as === undefined ? !hasProtobuf() : as === "Table")) continue;
    const form = { mediaType, pretty: isPretty(clause) };
    if (as === undefined) return { ...form, transform: undefined };
    const version = clause.params.get("v");
    if (clause.params.get("g") !== "meta.k8s.io" || !TRANSFORMS.includes(as)) continue;
    if (version !== "v1" && version !== "v1beta1") continue;
    const kind = as as TransformKind; // it is one of TRANSFORMS
    if (allows(kind)) return { ...form, transform: { kind, version } };
  }
  throw notAcceptable(ACCEPTED);
}

/** The form of a failure: the requested one if possible, otherwise JSON. Never a Table or metadata. */
export function negotiateError(accept: string | undefined): AnswerForm {
  for (const clause of parseAccept(accept ?? "")) {
    const mediaType = mediaTypeFor(clause);
    if (mediaType !== undefined && !clause.params.has("as")) return { mediaType, pretty: isPretty(clause) };
  }
  return { mediaType: JSON_TYPE };
}

const isPretty = ({ params }: AcceptClause): boolean => params.get("pretty") === "1";

function mediaTypeFor({ type, subtype }: AcceptClause): MediaType | undefined {
  if (subtype === "*") return type === "application" || type === "*" ? JSON_TYPE : undefined;
  return ACCEPTED.find((mediaType) => mediaType === `${type}/${subtype}`);
}

export type BodyFormat = "json" | "yaml" | "protobuf";

const BODY_REFUSED = `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED.join(", ")}`;

/** The decoder of a body; JSON without a Content-Type. Throws 415. */
export function bodyFormat(contentType: string | undefined): BodyFormat {
  const media = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (media === "" || media === JSON_TYPE) return "json";
  if (media === YAML_TYPE) return "yaml";
  if (media === PROTOBUF_TYPE) return "protobuf";
  throw unsupportedMediaType(BODY_REFUSED);
}
