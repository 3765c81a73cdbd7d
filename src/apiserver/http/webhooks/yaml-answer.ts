// Responses in YAML. A worker thread decodes long ones, as with request bodies.

import { decodeJsonInTurns } from "../../../apimachinery/json/json-decode.ts";
import type { JobOwner, Workers } from "../../../apimachinery/workers/job.ts";
import { decodeYaml } from "../../../apimachinery/yaml/decode-yaml.ts";
import { decodeYamlJob } from "../../endpoints/request/decode-yaml-job.ts";

/** Decoding a text of this size takes about 10 ms. */
const SMALL_BYTES_MAX = 32 * 1024;
const OWNER: JobOwner = { user: "system:apiserver", rank: "usual" };

/** Rejects with an Error with the text of go-yaml. Without workers each text is decoded in one event-loop turn. */
export async function readYamlAnswer(body: Buffer, workers: Workers | undefined): Promise<unknown> {
  if (workers === undefined || body.length <= SMALL_BYTES_MAX) return decodeYaml(body).value;
  const outcome = await workers.of(OWNER).run(decodeYamlJob, new Uint8Array(body));
  if ("problem" in outcome) throw new Error(outcome.problem);
  return (await decodeJsonInTurns(outcome.json)).value;
}
