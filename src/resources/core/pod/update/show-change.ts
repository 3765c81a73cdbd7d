// What an update would have changed in the spec of a pod, as a refusal shows it: at once, or in another thread where the
// spec is large.
import { nextTurn } from "../../../../meta/clock.ts";
import { type JsonObject, objectAt } from "../../../../meta/json.ts";
import { decodeJson } from "../../../../meta/json-decode.ts";
import { encodeJson, escapeHtml } from "../../../../meta/json-encode.ts";
import type { Job, Workers } from "../../../../workers/job.ts";
import { OF_HOST, POD_SPEC, structOf, UnknownStruct } from "../../internal-struct.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface SpecChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** "" where something in it cannot be shown. */
export function showChange(change: SpecChange): string {
  const [before, after] = [specLines(change.before), specLines(change.after)];
  return before && after ? `\n${unifiedDiff(before, after)}` : "";
}

/** Specs as JSON. */
interface ChangeText {
  readonly before: string;
  readonly after: string;
}

export const showChangeJob: Job<ChangeText, string> = {
  name: "showPodChange",
  run: ({ before, after }) => showChange({ before: specOf(before), after: specOf(after) }),
};

const specOf = (text: string): JsonObject => decodeJson(text).value as JsonObject; // it was one when it was encoded

/** Rejects with 413, 429 and 504. */
export async function showChangeElsewhere(change: SpecChange, workers: Workers): Promise<string> {
  await nextTurn();
  const before = encodeJson(change.before);
  await nextTurn();
  const after = encodeJson(change.after);
  return workers.run(showChangeJob, { before, after });
}

/** JSON of the struct, each member in a line, with all that is not set; undefined where something in it cannot be shown. */
export function specLines(spec: JsonObject): string[] | undefined {
  try {
    const shown = JSON.stringify(structOf(POD_SPEC, withHostContext(spec)), null, 1);
    return shown.split("\n").map(escapeHtml);
  } catch (error) {
    if (error instanceof UnknownStruct) return undefined;
    throw error;
  }
}

function withHostContext(spec: JsonObject): JsonObject {
  const host = Object.fromEntries(
    OF_HOST.filter((key) => spec[key] !== undefined).map((key) => [key, spec[key]]),
  );
  const context = objectAt(spec, "securityContext");
  if (context === undefined && Object.keys(host).length === 0) return spec;
  return { ...spec, securityContext: { ...context, ...host } };
}
