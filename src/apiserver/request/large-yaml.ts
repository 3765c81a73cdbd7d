// Bodies in YAML: small ones are read where they are needed. A large one would hold the server's thread for too long, so
// another thread reads it before the request goes on, and what came out is found by the body later.
import type { Workers } from "../../workers/job.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeYamlJob, readYaml, type YamlOutcome } from "./decode-yaml-job.ts";
import { type DecodedYaml, decodeJsonInYaml, YamlSyntaxError } from "./yaml.ts";

/** A text of this size takes about 10 ms to read. */
const SMALL_BYTES_MAX = 32 * 1024;
const YAML_MEDIA_TYPE = /^\s*application\/(?:yaml|apply-patch\+yaml)\s*(?:;|$)/i;

const outcomes = new WeakMap<Uint8Array, YamlOutcome>();

/** Has a large body in YAML read; undefined: there is none, as with most requests. Rejects with 413, 429 and 504. */
export function readLargeYaml(
  { headers, body }: Pick<ApiRequest, "headers" | "body">,
  workers: Workers | undefined,
): Promise<void> | undefined {
  if (workers === undefined || body === undefined || body.length <= SMALL_BYTES_MAX) return undefined;
  if (!YAML_MEDIA_TYPE.test(headers["content-type"] ?? "") || outcomes.has(body)) return undefined;
  return readAside(body, workers);
}

async function readAside(body: Uint8Array, workers: Workers): Promise<void> {
  // Clients send JSON where YAML is asked for, and that is read fast.
  const json = decodeJsonInYaml(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  outcomes.set(body, json ?? (await workers.run(decodeYamlJob, body)));
}

/** Throws YamlSyntaxError. */
export function decodeYamlBody(body: Uint8Array): DecodedYaml {
  const outcome = outcomes.get(body) ?? readYaml(body);
  if ("problem" in outcome) throw new YamlSyntaxError(outcome.problem);
  return outcome;
}
