// Bodies of lines, which are taken as they come.
import type { ApiRequest } from "../apiserver/api-request.ts";
import { entityTooLarge } from "../meta/status.ts";
import { LINES_TYPE } from "./control-route.ts";

/** No object is larger that a cluster would have kept. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** All of them are held before anything is written. */
const LINES_BYTES_MAX = 2 * 1024 * 1024 * 1024;

const NEW_LINE = 0x0a;

export const isOfLines = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  (headers["content-type"] ?? "").split(";")[0]?.trim() === LINES_TYPE;

/** Those that hold something. Throws 413 for what is too large. */
export async function* linesOf({
  body,
  streamBody,
}: Pick<ApiRequest, "body" | "streamBody">): AsyncGenerator<Uint8Array, void, undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let all = 0;
  for await (const chunk of body === undefined ? (streamBody?.() ?? []) : [body]) {
    all += chunk.length;
    if (all > LINES_BYTES_MAX) throw tooLarge(LINES_BYTES_MAX);
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      if (!isBlank(line)) yield line;
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LINE_BYTES_MAX) throw tooLarge(LINE_BYTES_MAX);
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield last;
}

const isBlank = (line: Buffer): boolean => line.length < 3 && line.toString("latin1").trim() === "";

const tooLarge = (limit: number) => entityTooLarge(`Request entity too large: limit is ${limit}`);
