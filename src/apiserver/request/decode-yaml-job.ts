// Reading YAML in another thread.
import type { Job } from "../../workers/job.ts";
import { type DecodedYaml, decodeYaml, YamlSyntaxError } from "./yaml.ts";

/** The value of a text, or why it cannot be read. */
export type YamlOutcome = DecodedYaml | { readonly problem: string };

export const decodeYamlJob: Job<Uint8Array, YamlOutcome> = {
  name: "decodeYaml",
  run: readYaml,
};

export function readYaml(body: Uint8Array): YamlOutcome {
  try {
    return decodeYaml(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  } catch (error) {
    if (error instanceof YamlSyntaxError) return { problem: error.message };
    throw error;
  }
}
