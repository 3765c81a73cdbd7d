// Requests out of the process: POST to webhooks, over TLS only. Errors of the network are passed on as node has them.
import { request as httpsRequest } from "node:https";
import type { Clock } from "../meta/clock.ts";

/** One request; the registry, which has its webhooks asked, knows the same form. */
interface Post {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly servername: string;
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** In the words of a Go client, for people who search for them. */
const TIMED_OUT = "context deadline exceeded";

export function createWebhookClient(clock: Clock): (post: Post) => Promise<Answer> {
  return ({ host, port, path, servername, ca, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const request = httpsRequest(
        {
          host,
          port,
          path,
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, */*",
            "content-length": Buffer.byteLength(body),
          },
          ...(isAddress(servername) ? {} : { servername }),
          ...(ca === undefined ? {} : { ca }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on("data", (chunk: Buffer) => {
            size += chunk.length;
            if (size > ANSWER_BYTES_MAX) request.destroy(new Error("the answer is too large"));
            else chunks.push(chunk);
          });
          response.on("error", reject);
          response.on("end", () => {
            const { statusCode = 0, headers } = response;
            const contentType = headers["content-type"] ?? "";
            resolve({ status: statusCode, contentType, body: Buffer.concat(chunks) });
          });
        },
      );
      const timer = clock.after(timeoutMs, () => request.destroy(new Error(TIMED_OUT)));
      request.on("error", reject);
      request.on("close", () => timer.cancel());
      request.end(body);
    });
}

/** Certificates are checked for addresses without being asked for by name. */
const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);
