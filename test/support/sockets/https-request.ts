// One request over TLS on a connection of its own, with a client certificate where one is given. The server is not verified.
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";

export interface HttpsOptions {
  readonly method?: string;
  readonly token?: string;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
  readonly type?: string;
  readonly body?: unknown;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function sendOverTls(url: string, options: HttpsOptions = {}): Promise<HttpsAnswer> {
  const { method = "GET", token, cert, key, type = "application/json", body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        rejectUnauthorized: false,
        ...(cert === undefined ? {} : { cert, key }),
        headers: {
          "content-type": type,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
