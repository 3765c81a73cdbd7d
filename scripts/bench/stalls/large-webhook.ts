// A webhook with large responses. They are prepared as text, so that making them costs little compared with decoding them.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority, createServerCertificate } from "../../../src/apiserver/http/tls/certificate.ts";

const HOST = "127.0.0.1";
const NAME = "webhooks of a bench";
const DAY_MS = 86_400_000;

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects?: readonly object[];
  };
}

export interface ClientConfig {
  readonly url: string;
  readonly caBundle: string;
}

/** The members of the webhook's response besides the uid: the JSON of an object with at least one member. */
export type Respond = (review: Review) => string;

/** Listens until the process ends, without keeping it alive. */
export async function startWebhook(respond: Respond): Promise<ClientConfig> {
  const times = { fromMs: Date.now() - DAY_MS, untilMs: Date.now() + DAY_MS };
  const authority = createAuthority(NAME, times);
  const own = createServerCertificate({ ...authority, name: NAME }, "webhook", [HOST], times);
  const key = own.key.export({ type: "pkcs8", format: "pem" });
  const server = createServer({ cert: own.pem, key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review; // nothing else is sent
    const { apiVersion, kind } = review;
    const answered = `{"uid":${JSON.stringify(review.request.uid)},${respond(review).slice(1)}`;
    response.setHeader("content-type", "application/json");
    response.on("error", () => {}); // the server stops reading an answer that is too large
    response.end(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},"response":${answered}}`);
  });
  server.on("clientError", () => {});
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo; // it listens
  return { url: `https://${HOST}:${port}/`, caBundle: Buffer.from(authority.pem).toString("base64") };
}
