// The key behind the tokens of ServiceAccounts. It is kept, so that tokens outlive a restart, and it is not looked for
// before the first such token is made or shown.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "sa.key";

/** folder undefined: the key lasts as long as the process. The result throws when the file cannot be used. */
export function openSigningKey(folder: string | undefined): () => KeyObject {
  let key: KeyObject | undefined;
  return () => {
    key ??= folder === undefined ? newKey() : keptKey(folder);
    return key;
  };
}

const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

function keptKey(folder: string): KeyObject {
  const path = join(folder, FILE);
  const text = readIfThere(path);
  if (text !== undefined) return createPrivateKey(text);
  const made = newKey();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, made.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  return made;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
