// YAML decoding in a worker thread. The result is JSON: bytes are transferred without copying, and the main thread
// can decode them with yielding, whereas cloning a value would block it.

import { JsonSyntaxError } from "../../../apimachinery/json/json-decode.ts";
import { encodeInOrder } from "../../../apimachinery/json/json-encode.ts";
import type { Job } from "../../../apimachinery/workers/job.ts";
import { decodeYaml } from "../../../apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../../apimachinery/yaml/yaml-error.ts";

/** The value of a text, or its error. */
export type YamlOutcome =
  | { readonly json: Uint8Array<ArrayBuffer>; readonly duplicates: readonly string[] }
  | { readonly problem: string; readonly isOfJson: boolean };

export const decodeYamlJob: Job<Uint8Array, YamlOutcome> = {
  name: "decodeYaml",
  run: readYaml,
  handOver: (outcome) => ("json" in outcome ? [outcome.json.buffer] : []),
};

function readYaml(body: Uint8Array): YamlOutcome {
  try {
    const { value, duplicates } = decodeYaml(body);
    // A list is rejected in any case, so its items are not transferred.
    const wanted = Array.isArray(value) ? [] : value;
    return { json: new TextEncoder().encode(encodeInOrder(wanted)), duplicates };
  } catch (error) {
    const isOfJson = error instanceof JsonSyntaxError;
    if (isOfJson || error instanceof YamlSyntaxError) return { problem: error.message, isOfJson };
    throw error;
  }
}
