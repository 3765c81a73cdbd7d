// One HTTP request with exactly the given headers: fetch would set Host and Origin by itself.
import { request } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export function httpGet(url: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}
