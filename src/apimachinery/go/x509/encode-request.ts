// Creates certificate signing requests (PKCS #10, RFC 2986), signed with ECDSA over P-256.
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { bits, integer, objectIdentifier, sequence, tagged } from "../der.ts";
import { pemText } from "../pem.ts";
import { encodeName, userSubject } from "./distinguished-name.ts";

const ECDSA_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));

/** A request for a Kubernetes user, in PEM. */
export function encodeCertificateRequest(name: string, groups: readonly string[], key: KeyObject): string {
  const publicKey = createPublicKey(key.export({ type: "pkcs8", format: "pem" }));
  const info = sequence(
    integer(Buffer.from([0])),
    encodeName(userSubject(name, groups)),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0),
  );
  return pemText("CERTIFICATE REQUEST", sequence(info, ECDSA_SHA256, bits(sign("sha256", info, key))));
}
