// YAML as sigs.k8s.io/yaml reads it: the first document, with YAML 1.1's scalars, keys as text, aliases copied out, and
// findings about keys that are given twice. Clients mostly send JSON where YAML is asked for, which is read as such.
import { goQuote, goShortest } from "../go/strconv.ts";
import { isObject } from "../meta/json.ts";
import { decodeJson, JsonSyntaxError } from "../meta/json-decode.ts";
import { sortedKeys } from "../meta/json-encode.ts";
import { Composer } from "./compose/composer.ts";
import { EventSource } from "./compose/event-source.ts";
import { DecodeFailure } from "./compose/go-value.ts";
import { sourceTextOf } from "./scan/source-text.ts";
import { unmarshalErrors, YamlSyntaxError, yamlError } from "./yaml-error.ts";

export interface DecodedYaml {
  readonly value: unknown;
  /** As go-yaml words them: `line 6: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Throws YamlSyntaxError; JsonSyntaxError for what is wrong with the JSON that a text in order comes to. */
export function decodeYaml(input: string | Uint8Array): DecodedYaml {
  return decodeJsonInYaml(input) ?? decodeYamlProper(input);
}

/** What the two notations read differently: some numbers, breaks of lines, and what YAML does not have. */
const DOUBTFUL = /[:[,]\s*(?:-?0\d|-0|-?\d+[.eE]|-?\d{16})|\\[/u]|[\x7f-\x9f\u2028\u2029\ufffe\uffff]/;

/** undefined: it is no JSON, or YAML has more to say of it. */
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

/** Whether both notations read the text alike, if it is JSON: an object without a key that is given twice. */
export const isLikeJson = (text: string): boolean => JSON_BEGIN.test(text) && !DOUBTFUL.test(text);

export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

/** As it is read when it may be no JSON. */
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

/** The first one in the order in which JSON is written; none when another value of its key came later. */
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

// Texts that people and programs write for Egret itself, in JSON or YAML: files, and bodies of control calls.

/** All documents, one after the other. Throws YamlSyntaxError and JsonSyntaxError once one that is wrong is asked for. */
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

/** The value of the only document. Throws as above, and YamlSyntaxError for keys that are given twice. */
export function decodeValue(text: string): unknown {
  return strictValue(decodeAsJson(text) ?? decodeYaml(text));
}

/** Throws YamlSyntaxError for keys that are given twice. */
export function strictValue({ value, duplicates }: DecodedYaml): unknown {
  if (duplicates.length > 0) throw new YamlSyntaxError(unmarshalErrors(duplicates));
  return value;
}

/** Whether it tells that a text is neither JSON nor YAML. */
export const isUnreadable = (error: unknown): error is Error =>
  error instanceof YamlSyntaxError || error instanceof JsonSyntaxError;

/** What is JSON is read as such, whatever YAML would say of it. */
const decodeAsJson = (text: string): DecodedYaml | undefined =>
  /^\s*[{[]/.test(text) ? jsonOf(text) : undefined;
