// Writes the chunks of a streamed body to a socket and waits while the client does not read.
import type { ServerResponse } from "node:http";
import type { BodySink } from "../apiserver/api-request.ts";

/** More than this unread by a client is a reason to wait. Node's own mark (16 KiB) would make writers wait too often. */
const UNREAD_BYTES_MAX = 1024 * 1024;

export function createBodySink(response: ServerResponse): BodySink {
  let waiting = 0;
  let closed = false; // an HTTP/2 response does not say so itself
  response.once("close", () => {
    closed = true;
  });
  return {
    write(chunk) {
      if (closed || response.destroyed || response.writableEnded) return undefined;
      response.write(chunk);
      if (response.writableLength <= UNREAD_BYTES_MAX) return undefined;
      waiting++;
      return drained(response).then(() => void waiting--);
    },
    cut() {
      if (waiting > 0) response.destroy();
    },
  };
}

/** Resolves when the client has read on, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
