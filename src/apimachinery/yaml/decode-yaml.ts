// YAML as sigs.k8s.io/yaml decodes it: the first document, with the scalars of YAML 1.1, text keys, expanded aliases,
// and findings about duplicate keys. Clients mostly send JSON where YAML is accepted; that is decoded as JSON.
import { goQuote, goShortest } from "../go/strconv.ts";
import { isObject } from "../json/json.ts";
import { decodeJson, JsonSyntaxError } from "../json/json-decode.ts";
import { sortedKeys } from "../json/json-encode.ts";
import { Composer } from "./compose/composer.ts";
import { EventSource } from "./compose/event-source.ts";
import { DecodeFailure } from "./compose/go-value.ts";
import { sourceTextOf } from "./scan/source-text.ts";
import { unmarshalErrors, YamlSyntaxError, yamlError } from "./yaml-error.ts";

export interface DecodedYaml {
  readonly value: unknown;
  /** In go-yaml's words: `line 6: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Throws YamlSyntaxError; JsonSyntaxError if valid YAML has no JSON equivalent. */
export function decodeYaml(input: string | Uint8Array): DecodedYaml {
  return decodeJsonInYaml(input) ?? decodeYamlProper(input);
}

/** What JSON and YAML decode differently: some numbers, line breaks, and characters that YAML does not allow. */
const DOUBTFUL = /[:[,]\s*(?:-?0\d|-0|-?\d+[.eE]|-?\d{16})|\\[/u]|[\x7f-\x9f\u2028\u2029\ufffe\uffff]/;

/** undefined: it is no JSON, or YAML has findings about it. */
function decodeJsonInYaml(input: string | Uint8Array): DecodedYaml | undefined {
  const text = typeof input === "string" ? input : textOf(input);
  const json = isLikeJson(text) ? jsonOf(text) : undefined;
  return json?.duplicates.length === 0 ? json : undefined;
}

/** undefined: it is no JSON. */
function jsonOf(text: string): DecodedYaml | undefined {
  try {
    const { value, duplicates } = decodeJson(text);
    return { value, duplicates: duplicates.map((path) => `duplicate field ${goQuote(path)}`) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

const JSON_BEGIN = /^\s*\{\s*["}]/;

/** Whether both notations decode the text alike, if it is JSON: an object without duplicate keys. */
export const isLikeJson = (text: string): boolean => JSON_BEGIN.test(text) && !DOUBTFUL.test(text);

export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

/** The YAML decoder alone, for texts that may be no JSON. */
export function decodeYamlProper(input: string | Uint8Array): DecodedYaml {
  const composer = new Composer(new EventSource(sourceTextOf(input)));
  compose(composer);
  return decodedOf(composer);
}

/** Whether there was a document. Throws YamlSyntaxError. */
function compose(composer: Composer): boolean {
  try {
    return composer.compose();
  } catch (error) {
    throw error instanceof DecodeFailure ? yamlError(error.message) : error;
  }
}

/** Throws YamlSyntaxError and JsonSyntaxError, as above. */
function decodedOf(composer: Composer): DecodedYaml {
  const { value, duplicates, unsupported, tooDeepAt, hasNoNumber } = composer;
  if (unsupported !== undefined) throw new YamlSyntaxError(unsupported);
  if (tooDeepAt !== undefined)
    throw new JsonSyntaxError(`invalid character '${tooDeepAt}' exceeded max depth`);
  const noNumber = hasNoNumber ? firstNoNumber(value) : undefined;
  if (noNumber !== undefined) throw new YamlSyntaxError(`json: unsupported value: ${goShortest(noNumber)}`);
  return { value, duplicates };
}

/** The first one in the order in which JSON is written; none if a later value of its key has replaced it. */
function firstNoNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : value;
  const items = Array.isArray(value)
    ? value
    : isObject(value)
      ? sortedKeys(value).map((key) => value[key])
      : [];
  for (const item of items) {
    const found = firstNoNumber(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Texts that users and programs write for Egret itself, in JSON or YAML: files, and bodies of control calls.

/** Decodes all documents lazily. Throws YamlSyntaxError and JsonSyntaxError when an invalid document is reached. */
export function* decodeDocuments(text: string): Generator<DecodedYaml, void, undefined> {
  const json = decodeAsJson(text);
  if (json !== undefined) return yield json;
  const source = new EventSource(sourceTextOf(text));
  for (;;) {
    const composer = new Composer(source);
    if (!compose(composer)) return;
    yield decodedOf(composer);
  }
}

/** The value of the only document. Throws as above, and YamlSyntaxError for duplicate keys. */
export function decodeValue(text: string): unknown {
  return strictValue(decodeAsJson(text) ?? decodeYaml(text));
}

/** Throws YamlSyntaxError for duplicate keys. */
export function strictValue({ value, duplicates }: DecodedYaml): unknown {
  if (duplicates.length > 0) throw new YamlSyntaxError(unmarshalErrors(duplicates));
  return value;
}

/** Whether the error means that a text is neither valid JSON nor valid YAML. */
export const isUnreadable = (error: unknown): error is Error =>
  error instanceof YamlSyntaxError || error instanceof JsonSyntaxError;

/** Valid JSON is decoded as JSON, whatever its meaning in YAML is. */
const decodeAsJson = (text: string): DecodedYaml | undefined =>
  /^\s*[{[]/.test(text) ? jsonOf(text) : undefined;
