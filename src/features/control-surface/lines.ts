// Newline-delimited bodies, decoded while they arrive.

import { entityTooLarge } from "../../apimachinery/meta/status.ts";
import type { ApiRequest } from "../../apiserver/endpoints/api-request.ts";
import { LINES_TYPE } from "./control-route.ts";

/** A line is one object, parsed in one piece. Its JSON can be somewhat longer than its stored form. */
const LINE_BYTES_LEAST = 4 * 1024 * 1024;
const JSON_PER_STORED = 4 / 3;
/** The maximum length of a line, from the maximum size of a request. */
export const lineBytesMax = (requestBytesMax: number): number =>
  Math.max(LINE_BYTES_LEAST, Math.ceil(requestBytesMax * JSON_PER_STORED));
/** Limit of the whole body: all lines are held in memory before the first write. */
const LINES_BYTES_MAX = 2 * 1024 * 1024 * 1024;

const NEW_LINE = 0x0a;

export const isOfLines = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  (headers["content-type"] ?? "").split(";")[0]?.trim() === LINES_TYPE;

/** Yields the lines that are not blank. Throws 413 for a line or a body over its limit. */
export async function* linesOf(
  { body, streamBody }: Pick<ApiRequest, "body" | "streamBody">,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let all = 0;
  for await (const chunk of body === undefined ? (streamBody?.() ?? []) : [body]) {
    all += chunk.length;
    if (all > LINES_BYTES_MAX) throw tooLarge(LINES_BYTES_MAX);
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      if (length + end - from > bytesMax) throw tooLong(bytesMax);
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      if (!isBlank(line)) yield line;
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > bytesMax) throw tooLong(bytesMax);
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield last;
}

const isBlank = (line: Buffer): boolean => line.length < 3 && line.toString("latin1").trim() === "";

/** A List on one line is an ordinary file and can be sent as one. */
const tooLong = (limit: number) =>
  entityTooLarge(
    `Request entity too large: a line has more than ${limit} bytes; send a larger List as a file`,
  );

const tooLarge = (limit: number) => entityTooLarge(`Request entity too large: limit is ${limit}`);
