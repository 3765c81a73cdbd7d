// Decodes JSON whose duplicate keys are of no interest. V8's parser is used where it loses nothing, because it is
// faster.

import { LEVELS_OF_ANY_STACK } from "../meta/max-nesting-depth.ts";
import { decodeJson } from "./json-decode.ts";

/**
 * What V8 may lose or change: long integers, numbers that exceed a double or underflow to zero, negative zero, unpaired
 * surrogates.
 */
const DOUBTFUL = /\d{16}|[eE][+-]?\d{3}|-0|\\u[dD]/;
const OPENING = /[[{]/g;

/** Returns the value that decodeJson gives. Throws JsonSyntaxError. */
export function decodeJsonValue(text: Uint8Array, { depthMax = LEVELS_OF_ANY_STACK } = {}): unknown {
  const json = Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
  const isFlat = json.length <= 2 * depthMax || (json.match(OPENING)?.length ?? 0) <= depthMax;
  if (isFlat && !DOUBTFUL.test(json)) {
    try {
      return JSON.parse(json);
    } catch {
      // decodeJson below reports the error as Go does.
    }
  }
  return decodeJson(text, { depthMax }).value;
}
