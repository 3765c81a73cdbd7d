// A GET over plain HTTP without a connection pool, for a start that asks one question.
import { get } from "node:http";

/** More than that is no answer to such a question. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Rejects where the connection fails, the answer is too long, or the time is over. */
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
