// Recorded results of sigs.k8s.io/yaml for small texts, valid and invalid: the JSON or the error of YAMLToJSON, and the
// errors of YAMLToJSONStrict for duplicate keys. The texts were written by hand and combined at random.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeJson } from "../../../../src/apimachinery/json/json-decode.ts";
import { encodeInOrder } from "../../../../src/apimachinery/json/json-encode.ts";
import { decodeYaml, decodeYamlProper } from "../../../../src/apimachinery/yaml/decode-yaml.ts";
import { unmarshalErrors } from "../../../../src/apimachinery/yaml/yaml-error.ts";

interface Recorded {
  readonly yaml: string;
  readonly json?: string;
  readonly error?: string;
  readonly strict?: string;
}

const FILE = new URL("../../../fixtures/facts/go-yaml.json", import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as readonly Recorded[]; // the recorder writes this shape

type Decode = typeof decodeYaml;

function answerOf(decode: Decode, yaml: string): Pick<Recorded, "error" | "strict"> & { value?: unknown } {
  try {
    const { value, duplicates } = decode(yaml);
    const strict = duplicates.length === 0 ? {} : { strict: unmarshalErrors(duplicates) };
    return { value: decodeJson(encodeInOrder(value)).value, ...strict };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function expected({ json, error, strict }: Recorded): ReturnType<typeof answerOf> {
  if (json === undefined) return { ...(error === undefined ? {} : { error }) };
  return { value: decodeJson(json).value, ...(strict === undefined ? {} : { strict }) };
}

test("there are enough of them", () => {
  expect(recorded.length).toBeGreaterThan(500);
  expect(recorded.filter(({ error }) => error !== undefined).length).toBeGreaterThan(300);
});

describe.each<[string, Decode]>([
  ["as YAML", decodeYamlProper],
  ["as JSON where it is JSON", decodeYaml],
])("texts are read %s as go-yaml reads them", (_how, decode) => {
  test.each(recorded.map((item): [string, Recorded] => [item.yaml, item]))("%j", (yaml, item) => {
    expect(answerOf(decode, yaml)).toEqual(expected(item));
  });
});
