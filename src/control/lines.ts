// Bodies of lines, which are taken as they come.
import type { ApiRequest } from "../apiserver/api-request.ts";
import { entityTooLarge } from "../meta/status.ts";
import { LINES_TYPE } from "./control-route.ts";

/** A line is one object, parsed in one piece: in JSON it can be somewhat longer than as it is stored. */
const LINE_BYTES_LEAST = 4 * 1024 * 1024;
const JSON_PER_STORED = 4 / 3;
/** How long a line may be where a request may have so many bytes. */
export const lineBytesMax = (requestBytesMax: number): number =>
  Math.max(LINE_BYTES_LEAST, Math.ceil(requestBytesMax * JSON_PER_STORED));
/** All of them are held before anything is written. */
const LINES_BYTES_MAX = 2 * 1024 * 1024 * 1024;

const NEW_LINE = 0x0a;

export const isOfLines = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  (headers["content-type"] ?? "").split(";")[0]?.trim() === LINES_TYPE;

/** Those that are not blank. Throws 413 for what is too large. */
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

/** A List on one line is a file, and can be sent as one. */
const tooLong = (limit: number) =>
  entityTooLarge(
    `Request entity too large: a line has more than ${limit} bytes; send a larger List as a file`,
  );

const tooLarge = (limit: number) => entityTooLarge(`Request entity too large: limit is ${limit}`);
