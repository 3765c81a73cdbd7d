// What configurations say of webhooks, and what is asked of whoever sends requests to them, over TLS.

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

const BLOCK = /-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g;
/** What every certificate begins with: an ASN.1 sequence. */
const SEQUENCE = 0x30;

/** The bundle as PEM. */
export const decodeCaBundle = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/** What keeps a bundle from being used; undefined if nothing does, or there is none. */
export function caBundleError(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const blocks = [...decodeCaBundle(base64).matchAll(BLOCK)];
  if (blocks.length === 0) return "data does not contain any valid RSA or ECDSA certificates";
  const malformed = blocks.some(([, body = ""]) => Buffer.from(body, "base64")[0] !== SEQUENCE);
  return malformed ? "x509: malformed certificate" : undefined;
}
