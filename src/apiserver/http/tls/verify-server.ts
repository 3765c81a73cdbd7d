// Verification of a server certificate as in Go's crypto/x509, with its errors. OpenSSL, which has additional rules
// (keyUsage of servers) and other messages, still verifies that the server holds the leaf's key.
import { hostComplaint } from "./host-names.ts";
import { areConstrained, type CertificateChain, validityComplaint, verifyChain } from "./verify-chain.ts";

export interface ServerChain extends CertificateChain {
  readonly host: string;
}

export type ChainVerdict =
  /** `constrained`: an issuer has name or policy constraints, which are not verified here. */
  { readonly constrained: boolean } | { readonly error: string };

export function verifyServerChain(chain: ServerChain): ChainVerdict {
  const { leaf, host, nowMs } = chain;
  const error = validityComplaint(leaf, nowMs) ?? hostComplaint(leaf, host);
  if (error !== undefined) return { error };
  const verdict = verifyChain(chain, "server");
  return "error" in verdict ? verdict : { constrained: areConstrained(verdict.chains) };
}
