// How documents of discovery and OpenAPI are told apart: in ETags and in the hash of an OpenAPI URL.
import { createHash } from "node:crypto";

/** SHA-512 in upper-case hex. */
export function contentHash(content: string | Uint8Array): string {
  const hash = startContentHash();
  hash.update(content);
  return hash.hex();
}

/** That of a content that comes in pieces. */
export function startContentHash() {
  const hash = createHash("sha512");
  return {
    update: (piece: string | Uint8Array): void => void hash.update(piece),
    hex: (): string => hash.digest("hex").toUpperCase(),
  };
}
