// The body of a webhook's response: decompressed as by Go's transport, with a size limit.
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AnswerBodyError } from "../../../apimachinery/go/client-errors.ts";

/**
 * client-go has no limit. This limit exceeds a patch of the largest object. It grows with each byte of the request,
 * because a conversion returns as many objects as it receives.
 */
const ANSWER_BYTES = 8 * 1024 * 1024;
const ANSWER_BYTES_PER_BYTE = 4;

export const answerBytesMax = (requestBytes: number): number =>
  ANSWER_BYTES + requestBytes * ANSWER_BYTES_PER_BYTE;

/** Reads the whole body. Rejects with an AnswerBodyError, or with an Error for a body above the limit. */
export function readBody(stream: Readable, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const isZipped = encoding?.toLowerCase() === "gzip";
    const body = isZipped ? stream.pipe(createGunzip()) : stream;
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: Error): void => {
      stream.destroy();
      body.destroy();
      reject(error);
    };
    body.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) fail(new Error(`the answer is larger than ${bytesMax} bytes`));
      else chunks.push(chunk);
    });
    body.on("end", () => resolve(Buffer.concat(chunks)));
    body.on("error", (error: NodeJS.ErrnoException) => fail(bodyError(error)));
    if (isZipped) stream.on("error", (error: NodeJS.ErrnoException) => fail(bodyError(error)));
    stream.on("close", () => {
      if (!stream.readableEnded) fail(new AnswerBodyError(new Error("unexpected EOF")));
    });
  });
}

/** The error of a truncated response, with the text of Go's readers. */
function bodyError({ code = "", message }: NodeJS.ErrnoException): AnswerBodyError {
  if (code === "Z_DATA_ERROR" && message === "incorrect header check")
    return new AnswerBodyError(new Error("gzip: invalid header"));
  if (code.startsWith("ERR_HTTP2")) return new AnswerBodyError(new Error(message), { ofStream: true });
  return new AnswerBodyError(new Error("unexpected EOF"));
}
