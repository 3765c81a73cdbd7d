// Large bodies are read before the request goes on: JSON with pauses for others, YAML by another thread. What came out is
// found by the body. Small ones are read where they are needed.
import { type DecodedJson, decodeJson, decodeJsonInTurns, JsonSyntaxError } from "../../meta/json-decode.ts";
import { isLargeBody } from "../../registry/definition/request-context.ts";
import type { Workers } from "../../workers/job.ts";
import { type DecodedYaml, decodeYaml, isLikeJson, textOf } from "../../yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../yaml/yaml-error.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeYamlJob } from "./decode-yaml-job.ts";

/** Of objects and of patches of any kind. */
const JSON_MEDIA_TYPE = /^\s*(?:application\/(?:[\w-]+\+)?json\s*)?(?:;|$)/i;

const outcomes = new WeakMap<Uint8Array, DecodedJson | JsonSyntaxError>();

/** Has a large body in JSON read; undefined: there is none, as with most requests. */
export function readLargeJson({
  headers,
  body,
}: Pick<ApiRequest, "headers" | "body">): Promise<void> | undefined {
  if (body === undefined || !isLargeBody(body)) return undefined;
  return JSON_MEDIA_TYPE.test(headers["content-type"] ?? "") ? readWithPauses(body) : undefined;
}

async function readWithPauses(body: Uint8Array): Promise<void> {
  try {
    outcomes.set(body, await decodeJsonInTurns(body));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    outcomes.set(body, error);
  }
}

/** What was read belongs to who asks first, for it will be changed. Throws JsonSyntaxError. */
export function decodeJsonBody(body: Uint8Array): DecodedJson {
  const outcome = outcomes.get(body) ?? decodeJson(body);
  outcomes.delete(body);
  if (outcome instanceof JsonSyntaxError) throw outcome;
  return outcome;
}

/** A text of this size takes about 10 ms to read. */
const SMALL_BYTES_MAX = 32 * 1024;
const YAML_MEDIA_TYPE = /^\s*application\/(?:yaml|apply-patch\+yaml)\s*(?:;|$)/i;

const yamlOutcomes = new WeakMap<Uint8Array, DecodedYaml | YamlSyntaxError | JsonSyntaxError>();

/** Has a large body in YAML read; undefined: there is none, as with most requests. Rejects with 413, 429 and 504. */
export function readLargeYaml(
  { headers, body }: Pick<ApiRequest, "headers" | "body">,
  workers: Workers | undefined,
): Promise<void> | undefined {
  if (workers === undefined || body === undefined || body.length <= SMALL_BYTES_MAX) return undefined;
  if (!YAML_MEDIA_TYPE.test(headers["content-type"] ?? "") || yamlOutcomes.has(body)) return undefined;
  return readAside(body, workers);
}

async function readAside(body: Uint8Array, workers: Workers): Promise<void> {
  yamlOutcomes.set(body, (await readAsJson(body)) ?? (await readElsewhere(body, workers)));
}

/** Clients send JSON where YAML is asked for, and that is read fast. undefined: YAML has more to say of it. */
async function readAsJson(body: Uint8Array): Promise<DecodedYaml | undefined> {
  if (!isLikeJson(textOf(body))) return undefined;
  try {
    const decoded = await decodeJsonInTurns(body);
    return decoded.duplicates.length === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

async function readElsewhere(
  body: Uint8Array,
  workers: Workers,
): Promise<DecodedYaml | YamlSyntaxError | JsonSyntaxError> {
  const outcome = await workers.run(decodeYamlJob, body);
  if ("problem" in outcome) {
    const { problem, isOfJson } = outcome;
    return isOfJson ? new JsonSyntaxError(problem) : new YamlSyntaxError(problem);
  }
  const { value } = await decodeJsonInTurns(outcome.json);
  return { value, duplicates: outcome.duplicates };
}

/** What was read belongs to who asks first, for it will be changed. Throws YamlSyntaxError and JsonSyntaxError. */
export function decodeYamlBody(body: Uint8Array): DecodedYaml {
  const outcome = yamlOutcomes.get(body) ?? decodeYaml(body);
  yamlOutcomes.delete(body);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}
