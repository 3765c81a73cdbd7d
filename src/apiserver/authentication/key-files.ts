// --service-account-key-file and --service-account-signing-key-file: keys in PEM, as a kube-apiserver reads them.
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { pemBlocks, pemText } from "../../apimachinery/go/pem.ts";
import { systemReason } from "../../apimachinery/meta/system-reason.ts";
import { isTokenKey } from "./signing-key.ts";
import { CredentialsError } from "./token-file.ts";

type Block = ReturnType<typeof pemBlocks>[number];

/** The first private key of the file. Throws CredentialsError. */
export function readSigningKeyFile(path: string): KeyObject {
  const flag = "--service-account-signing-key-file";
  const [key] = keysIn(path, flag, (block) =>
    isPrivate(block) ? createPrivateKey(pemText(block.type, block.bytes)) : undefined,
  );
  if (key !== undefined) return key;
  throw new CredentialsError(`${flag}: ${path}: data does not contain a valid RSA or ECDSA private key`);
}

/** The public keys of all files. Throws CredentialsError for a file without any. */
export const readKeyFiles = (paths: readonly string[]): readonly KeyObject[] =>
  paths.flatMap((path) => {
    const flag = "--service-account-key-file";
    const keys = keysIn(path, flag, publicKeyOf);
    if (keys.length > 0) return keys;
    throw new CredentialsError(`${flag}: ${path}: data does not contain any valid RSA or ECDSA public keys`);
  });

const isPrivate = ({ type }: Block): boolean => /^(?:RSA |EC )?PRIVATE KEY$/.test(type);

/** Of a private key the public one. */
function publicKeyOf(block: Block): KeyObject | undefined {
  if (isPrivate(block)) return createPublicKey(pemText(block.type, block.bytes));
  if (block.type === "CERTIFICATE") return new X509Certificate(block.bytes).publicKey;
  return /^(?:RSA )?PUBLIC KEY$/.test(block.type)
    ? createPublicKey(pemText(block.type, block.bytes))
    : undefined;
}

/** Blocks that are no keys, and keys of other types, are skipped. */
function keysIn(path: string, flag: string, read: (block: Block) => KeyObject | undefined): KeyObject[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CredentialsError(`${flag}: ${path} cannot be read${systemReason(error)}`, { cause: error });
  }
  return pemBlocks(text).flatMap((block) => {
    try {
      const key = read(block);
      return key !== undefined && isTokenKey(key) ? key : [];
    } catch {
      return [];
    }
  });
}
