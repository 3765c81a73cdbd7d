// JSON of which nobody asks what was given twice: read by V8, which is faster, where that loses nothing.
import { decodeJson } from "./json-decode.ts";
import { LEVELS_OF_ANY_STACK } from "./levels.ts";

/**
 * What V8 may lose, or read as something else: long integers, numbers that no double can hold, or only as zero, a zero with
 * a sign, halves of letters.
 */
const DOUBTFUL = /\d{16}|[eE][+-]?\d{3}|-0|\\u[dD]/;
const OPENING = /[[{]/g;

/** The value that decodeJson gives. Throws JsonSyntaxError. */
export function decodeJsonValue(text: Uint8Array, { depthMax = LEVELS_OF_ANY_STACK } = {}): unknown {
  const json = Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
  const isFlat = json.length <= 2 * depthMax || (json.match(OPENING)?.length ?? 0) <= depthMax;
  if (isFlat && !DOUBTFUL.test(json)) {
    try {
      return JSON.parse(json);
    } catch {
      // The other reader says why, as Go does.
    }
  }
  return decodeJson(text, { depthMax }).value;
}
