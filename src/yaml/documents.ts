// Texts that people and programs write for Egret itself, in JSON or YAML: files, and bodies of control calls. What is JSON
// is read as such, whatever YAML would say of it.
import { goQuote } from "../go/strconv.ts";
import { decodeJson, JsonSyntaxError } from "../meta/json-decode.ts";
import { Composer } from "./compose/composer.ts";
import { EventSource } from "./compose/event-source.ts";
import { compose, type DecodedYaml, decodedOf, decodeYaml } from "./decode-yaml.ts";
import { sourceTextOf } from "./scan/source-text.ts";
import { unmarshalErrors, YamlSyntaxError } from "./yaml-error.ts";

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

function decodeAsJson(text: string): DecodedYaml | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const { value, duplicates } = decodeJson(text);
    return { value, duplicates: duplicates.map((path) => `duplicate field ${goQuote(path)}`) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
