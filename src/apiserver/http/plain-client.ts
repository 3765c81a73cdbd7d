// A GET over plain HTTP without a connection pool, for a single request at a start.
import { get } from "node:http";

/** Longer responses are rejected. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Rejects when the connection fails, the response is too long, or the time limit is exceeded. */
export function getPlainly(url: URL, timeoutMs: number): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("error", reject);
      response.on("data", (part: string) => {
        text += part;
        if (text.length > ANSWER_BYTES_MAX) request.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve({ code: response.statusCode ?? 0, text }));
    });
    request.on("timeout", () => request.destroy(new Error("no answer in time")));
    request.on("error", reject);
  });
}
