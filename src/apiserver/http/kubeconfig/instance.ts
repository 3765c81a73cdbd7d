// The identity of a running server. A server stores a record with a secret key in a folder that only its user can
// read. The kubeconfig of the working directory names the record. A kubeconfig that was copied there names no record
// of this user. Another process that reuses the port of a stopped server does not know the key.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsedObject, textAt } from "../../../apimachinery/json/json.ts";
import { OWNER_ONLY_FILE, readTrustedFile } from "../../../apimachinery/meta/files/private-file.ts";
import { makeStateFolder, stateSubfolders } from "../../../apimachinery/meta/files/user-folders.ts";
import { systemRandom } from "../../../apimachinery/meta/ids.ts";

/** The extension of a cluster entry with the record's ID. */
export const INSTANCE_EXTENSION = "egret.dev/instance";
/** Below the prefix of the control API; served without authentication. */
export const INSTANCE_PATH = "/egret/v1/instance";
/** A nonce of the client, in hexadecimal digits. */
export const CHALLENGE = /^[0-9a-f]{64}$/;

const FOLDER = "servers";
const SUFFIX = ".json";
const ID = /^[0-9a-f]{32}$/;
const ID_BYTES = 16;
const KEY_BYTES = 32;
const RECORD_BYTES_MAX = 4096;
/** Limit of records. They are kept when servers stop, like their kubeconfigs; the oldest are removed. */
const RECORDS_MAX = 256;

/** The server and the user in a kubeconfig. */
export interface InstanceFacts {
  readonly url: string;
  /** PEM. */
  readonly authority?: string | undefined;
  readonly token?: string | undefined;
}

export interface Instance {
  readonly id: string;
  readonly url: string;
  /** Digest of the facts of the record. */
  readonly digest: string;
  /** Base64. */
  readonly key: string;
}

export interface KeptInstance extends Instance {
  /** Removes the record. Never throws. */
  remove(): void;
}

/** Creates a record for a starting server, or returns why none can be stored. `folders` as stateFolders() lists them. */
export function keepInstance(
  facts: InstanceFacts,
  folders: readonly string[],
): KeptInstance | { readonly problems: readonly string[] } {
  const made = makeStateFolder(FOLDER, folders);
  if ("problems" in made) return made;
  const instance: Instance = {
    id: freshBytes(ID_BYTES).toString("hex"),
    url: facts.url,
    digest: digestOf(facts),
    key: freshBytes(KEY_BYTES).toString("base64"),
  };
  const path = join(made.folder, `${instance.id}${SUFFIX}`);
  try {
    removeOldest(made.folder);
    writeFileSync(path, JSON.stringify(instance), { mode: OWNER_ONLY_FILE, flag: "wx" });
  } catch (error) {
    return { problems: [`${made.folder}: ${error instanceof Error ? error.message : String(error)}`] };
  }
  return { ...instance, remove: () => removeQuietly(path) };
}

/** Removes the record: the kubeconfig that named it has been replaced. Never throws. */
export function forgetInstance(id: string | undefined, folders: readonly string[]): void {
  if (id === undefined || !ID.test(id)) return;
  for (const folder of stateSubfolders(FOLDER, folders)) removeQuietly(join(folder, `${id}${SUFFIX}`));
}

/** The record of that ID, if this user has one. */
export function findInstance(id: string, folders: readonly string[]): Instance | undefined {
  if (!ID.test(id)) return undefined;
  for (const folder of stateSubfolders(FOLDER, folders)) {
    const text = readTrustedFile(join(folder, `${id}${SUFFIX}`), RECORD_BYTES_MAX)?.text;
    const record = text === undefined ? undefined : parsedObject(text);
    if (record === undefined || textAt(record, "id") !== id) continue;
    const [url, digest, key] = [textAt(record, "url"), textAt(record, "digest"), textAt(record, "key")];
    if (url !== "" && digest !== "" && Buffer.from(key, "base64").length === KEY_BYTES)
      return { id, url, digest, key };
  }
  return undefined;
}

/** Digest of the facts that determine the server and the user. */
export function digestOf({ url, authority = "", token = "" }: InstanceFacts): string {
  return createHash("sha256")
    .update(JSON.stringify([url, authority, token]))
    .digest("hex");
}

export const newChallenge = (): string => freshBytes(32).toString("hex");

/** The proof for a challenge, in hexadecimal digits. It contains the server's URL, so that it cannot be relayed. */
export function proofOf({ id, url, key }: Pick<Instance, "id" | "url" | "key">, challenge: string): string {
  const text = JSON.stringify(["egret instance", id, url, challenge]);
  return createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("hex");
}

export function isProof(instance: Instance, challenge: string, proof: string): boolean {
  const [expected, given] = [Buffer.from(proofOf(instance, challenge)), Buffer.from(proof)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function freshBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  systemRandom(bytes);
  return bytes;
}

function removeOldest(folder: string): void {
  const records = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { path } of records.slice(RECORDS_MAX - 1)) rmSync(path, { force: true });
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the record belongs to a stopped server
  }
}
