// A certificate for a server of a test, such as a webhook: admission and conversion webhooks are called over TLS only.
import { createAuthority, createServerCertificate } from "../http/tls/certificate.ts";
import { systemClock } from "../meta/clock.ts";

const CA_NAME = "egret-testing-ca";
const DAY_MS = 24 * 3600 * 1000;

export interface ServingCertificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** The CA that has signed it, in base64, as `caBundle` of a webhook configuration and of a CustomResourceDefinition takes it. */
  readonly caBundle: string;
}

/**
 * A new certificate for these names and addresses, of a CA of its own, valid for a day.
 *
 * @example
 * const { cert, key, caBundle } = createServingCertificate();
 * https.createServer({ cert, key }, webhook).listen(9443, "127.0.0.1");
 */
export function createServingCertificate(
  hosts: readonly string[] = ["127.0.0.1", "localhost"],
): ServingCertificate {
  const nowMs = systemClock.now();
  const times = { fromMs: nowMs - DAY_MS, untilMs: nowMs + DAY_MS };
  const authority = createAuthority(CA_NAME, times);
  const server = createServerCertificate({ ...authority, name: CA_NAME }, "webhook", hosts, times);
  return {
    cert: server.pem,
    key: server.key.export({ type: "pkcs8", format: "pem" }).toString(),
    caBundle: Buffer.from(authority.pem).toString("base64"),
  };
}
