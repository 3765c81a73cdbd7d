// A serving certificate for a test's server, such as a webhook: admission and conversion webhooks are called over TLS
// only.

import { systemClock } from "../apimachinery/meta/clock.ts";
import { createAuthority, createServerCertificate } from "../apiserver/http/tls/certificate.ts";

const CA_NAME = "egret-testing-ca";
const DAY_MS = 24 * 3600 * 1000;

export interface ServingCertificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** The signing CA in base64, for `caBundle` of a webhook configuration or a CustomResourceDefinition. */
  readonly caBundle: string;
}

/**
 * Creates a certificate for host names and addresses, signed by a new CA and valid for one day.
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
