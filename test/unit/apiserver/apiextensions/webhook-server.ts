// A local conversion webhook: it serves TLS and records the reviews it receives.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { createAuthority, createServerCertificate } from "../../../../src/apiserver/http/tls/certificate.ts";

const HOST = "127.0.0.1";
const NAME = "webhooks for tests";
const DAY_MS = 86_400_000;

export interface Review extends JsonObject {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: JsonObject[];
  };
}

export interface WebhookAnswer {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: unknown;
}

export class WebhookServer implements AsyncDisposable {
  readonly caBundle: string;
  /** The received reviews, the newest last. */
  readonly reviews: Review[] = [];
  answer: (review: Review) => WebhookAnswer = ({ request }) => ({
    body: converted(request.uid, request.objects),
  });
  readonly #server: Server;

  private constructor() {
    const times = { fromMs: Date.now() - DAY_MS, untilMs: Date.now() + DAY_MS };
    const authority = createAuthority(NAME, times);
    const own = createServerCertificate({ ...authority, name: NAME }, "webhook", [HOST], times);
    this.caBundle = Buffer.from(authority.pem).toString("base64");
    const key = own.key.export({ type: "pkcs8", format: "pem" });
    this.#server = createServer({ cert: own.pem, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Review; // nothing else is sent
        this.reviews.push(review);
        const { status = 200, contentType = "application/json", body } = this.answer(review);
        response.writeHead(status, { "content-type": contentType, connection: "close" });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      });
    });
  }

  static async open(): Promise<WebhookServer> {
    const webhook = new WebhookServer();
    await new Promise<void>((resolve) => webhook.#server.listen(0, HOST, resolve));
    return webhook;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens
    return `https://${HOST}:${port}/convert`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A ConversionReview response with status Success. */
export function converted(uid: string, convertedObjects: readonly unknown[]): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid, convertedObjects, result: { status: "Success" } },
  };
}
