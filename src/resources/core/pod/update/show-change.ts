// What an update would have changed in the spec of a pod, as a refusal shows it: at once, or in another thread where the
// spec is large.
import { nextTurn } from "../../../../meta/clock.ts";
import type { JsonObject } from "../../../../meta/json.ts";
import { decodeJson } from "../../../../meta/json-decode.ts";
import { encodeJson } from "../../../../meta/json-encode.ts";
import type { Job, Workers } from "../../../../workers/job.ts";
import { specLines } from "./spec-lines.ts";
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
