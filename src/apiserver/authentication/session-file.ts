// Persistence of web UI sessions over a restart. The credential of a session is sealed with a key derived from the
// cookie's secret; the file holds only a hash of the secret. A reader of the file cannot use it. The credential is
// unsealed when the cookie is presented, and a token is then authenticated again.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { dirname } from "node:path";
import { isObject, numberAt, objectsAt, parsedObject, textAt } from "../../apimachinery/json/json.ts";
import { writePrivateFileSync } from "../../apimachinery/meta/files/private-file.ts";
import { systemRandom } from "../../apimachinery/meta/ids.ts";
import { makeKeyFolder, readKeyFile } from "./key-folder.ts";
import type { UserInfo } from "./token-file.ts";

/** The credential of a login: an Authorization header, or the user of a client certificate. */
export type Credential = { readonly authorization: string } | { readonly user: UserInfo };

export interface KeptSession {
  /** Hash of the cookie's secret. */
  readonly hash: string;
  readonly sealed: string;
  readonly usedMs: number;
  readonly endMs: number;
  /** A hash of the user name; "" in a file of an older version. */
  readonly owner: string;
}

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "session of a page";

const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES));

/** base64 of the initialization vector, the tag, and the ciphertext. */
export function seal(credential: Credential, secret: string): string {
  const iv = Buffer.alloc(IV_BYTES);
  systemRandom(iv);
  const cipher = createCipheriv(CIPHER, keyOf(secret), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(credential)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
}

/** undefined: sealed with another secret, or modified. */
export function unseal(sealed: string, secret: string): Credential | undefined {
  const bytes = Buffer.from(sealed, "base64");
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(secret), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString("utf8")) as Credential; // authenticated encryption: only this server can have sealed it
  } catch {
    return undefined;
  }
}

export interface SessionFile {
  read(): readonly KeptSession[];
  write(sessions: readonly KeptSession[]): void;
}

/** An unreadable or unwritable file only costs a login after a restart. */
export function sessionFileAt(path: string): SessionFile {
  return {
    read() {
      try {
        const items = objectsAt(parsedObject(readKeyFile(path)), "sessions");
        return items.filter(isObject).map((item) => ({
          ...{ hash: textAt(item, "hash"), sealed: textAt(item, "sealed") },
          ...{ usedMs: numberAt(item, "usedMs") ?? 0, endMs: numberAt(item, "endMs") ?? 0 },
          owner: textAt(item, "owner"),
        }));
      } catch {
        return [];
      }
    },
    write(sessions) {
      try {
        makeKeyFolder(dirname(path));
        writePrivateFileSync(path, JSON.stringify({ sessions }));
      } catch {
        // see above
      }
    },
  };
}
