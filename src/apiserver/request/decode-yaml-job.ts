// Reading YAML in another thread. What comes back is JSON: a text goes from thread to thread at no cost, and the server's
// own can read it in turns, while a copy of the value would be made in one.

import { JsonSyntaxError } from "../../meta/json-decode.ts";
import { encodeInOrder } from "../../meta/json-encode.ts";
import type { Job } from "../../workers/job.ts";
import { decodeYaml } from "../../yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../yaml/yaml-error.ts";

/** The value of a text, or why it cannot be read. */
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
    // A list is refused for what it is, and a million of items would only be carried about.
    const wanted = Array.isArray(value) ? [] : value;
    return { json: new TextEncoder().encode(encodeInOrder(wanted)), duplicates };
  } catch (error) {
    const isOfJson = error instanceof JsonSyntaxError;
    if (isOfJson || error instanceof YamlSyntaxError) return { problem: error.message, isOfJson };
    throw error;
  }
}
