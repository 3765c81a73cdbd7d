// How documents of discovery and OpenAPI are told apart: in ETags and in the hash of an OpenAPI URL.
import { createHash } from "node:crypto";

/** SHA-512 in upper-case hex. */
export function contentHash(content: string | Uint8Array): string {
  return createHash("sha512").update(content).digest("hex").toUpperCase();
}
