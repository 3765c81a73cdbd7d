// The time that a request has, from its arrival until its answer has been read. What is late is answered with a 504, and
// what is answered but not read by then is cut off, as a real server does with all but long-running requests.
import type { ServerResponse } from "node:http";
import { type ApiRequest, type ApiResponse, discardBody } from "../../apiserver/api-request.ts";
import { respondFailure } from "../../apiserver/pipeline.ts";
import { Warnings } from "../../apiserver/response/warnings.ts";
import { durationMs } from "../../go/duration.ts";
import type { Clock } from "../../meta/clock.ts";
import { notInTime } from "./request-bodies.ts";

/** A client may ask for less time, but not for more; what cannot be read is refused elsewhere. */
export function timeFor({ query }: ApiRequest, requestMs: number): number {
  const asked = durationMs(query.get("timeout")) ?? 0;
  return asked > 0 ? Math.min(asked, requestMs) : requestMs;
}

/** The answer, or a 504 after so long. The work goes on then, and its outcome is thrown away. */
export function answerInTime(
  request: ApiRequest,
  answer: Promise<ApiResponse>,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = clock.after(ms, () => {
      late = true;
      resolve(respondFailure(request, new Warnings(), notInTime()));
    });
    answer.then(async (response) => {
      timer.cancel();
      if (late) await discardBody(response);
      else resolve(response);
    }, reject);
  });
}

/** Breaks the connection, or the stream of HTTP/2, if the answer has not been read after so long. */
export function cutWhenUnread(response: ServerResponse, clock: Clock, ms: number): void {
  const timer = clock.after(ms, () => response.destroy());
  response.once("close", () => timer.cancel());
}
