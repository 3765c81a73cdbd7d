// Sessions of pages that outlive a restart. What a session stands for is sealed with a key that is made of the cookie's secret, of
// which the file holds only a hash: whoever reads the file can use nothing of it, and whoever shows the cookie is asked for anew what
// he may, by the credentials that were sealed.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { dirname } from "node:path";
import { writePrivateFileSync } from "../../meta/files/private-file.ts";
import { systemRandom } from "../../meta/ids.ts";
import { isObject, numberAt, objectsAt, parsedObject, textAt } from "../../meta/json.ts";
import { makeKeyFolder, readKeyFile } from "./key-folder.ts";
import type { UserInfo } from "./token-file.ts";

/** By what somebody has logged in: the header that he has shown, or whom his certificate named. */
export type Credential = { readonly authorization: string } | { readonly user: UserInfo };

export interface KeptSession {
  /** Of the secret of its cookie. */
  readonly hash: string;
  readonly sealed: string;
  readonly usedMs: number;
  readonly endMs: number;
  /** A hash of the name of its user; "" in a file of an older version. */
  readonly owner: string;
}

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "session of a page";

const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES));

/** base64 of the initial value, the tag, and the text that nobody reads without the secret. */
export function seal(credential: Credential, secret: string): string {
  const iv = Buffer.alloc(IV_BYTES);
  systemRandom(iv);
  const cipher = createCipheriv(CIPHER, keyOf(secret), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(credential)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
}

/** undefined: it was not sealed with this secret, or is no more what it was. */
export function unseal(sealed: string, secret: string): Credential | undefined {
  const bytes = Buffer.from(sealed, "base64");
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(secret), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString("utf8")) as Credential; // nobody but this process can have sealed it
  } catch {
    return undefined;
  }
}

export interface SessionFile {
  read(): readonly KeptSession[];
  write(sessions: readonly KeptSession[]): void;
}

/** A file that cannot be read or written costs a login after a restart, and nothing else. */
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
        // as said above
      }
    },
  };
}
