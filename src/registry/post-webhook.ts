// What is asked of whoever sends requests to webhooks, over TLS.

export interface WebhookPost {
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
  /** Whose certificate is expected. */
  readonly servername: string;
  /** PEM; undefined: the roots of the system. */
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What an Error says when the time is up. */
export const DEADLINE_EXCEEDED = "context deadline exceeded";

/** Rejects with node's error of the network, or with an Error whose message says what went wrong. */
export type PostWebhook = (post: WebhookPost) => Promise<WebhookAnswer>;
