// One request over TLS on a new connection, with a client certificate if one is given. The server's certificate is
// verified if its CA is given.
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import type { TLSSocket } from "node:tls";

export interface HttpsOptions {
  readonly method?: string;
  readonly token?: string;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: unknown;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** SHA-256 of the certificate that the server presented. */
  readonly fingerprint: string;
}

export function sendOverTls(url: string, options: HttpsOptions = {}): Promise<HttpsAnswer> {
  const { method = "GET", token, cert, key, ca, type = "application/json", body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
        ...(cert === undefined ? {} : { cert, key }),
        headers: {
          "content-type": type,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...options.headers,
        },
      },
      async (response) => {
        const socket = response.socket as TLSSocket; // of an https request
        const { fingerprint256: fingerprint } = socket.getPeerCertificate();
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, fingerprint });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
