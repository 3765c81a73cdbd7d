// The hashes that identify templates and revisions. The sum is 32-bit FNV-1 or FNV-1a, encoded in the letters of
// generated names, as in kube-controller-manager. For templates the input differs: upstream hashes a dump of Go
// structs, Egret hashes the template as JSON with sorted keys. Equal templates thus get equal hashes, but not those of
// an upstream cluster. Existing objects are matched by their template and never by hash.
import { isObject, type JsonObject } from "../../apimachinery/json/json.ts";

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** The hash of a pod template. The collision count changes it if the former one was taken. */
export function templateHash(template: JsonObject, collisions: number | undefined): string {
  const bytes: Uint8Array[] = [new TextEncoder().encode(sortedJson(template))];
  if (collisions !== undefined) bytes.push(littleEndian(collisions));
  return safeText(bytes.reduce<number>((hash, part) => fnv1a(part, hash), OFFSET));
}

/** The hash of a ControllerRevision, over its data as bytes. */
export function revisionHash(data: JsonObject, collisions: number | undefined): string {
  const text = sortedJson(data) + (collisions === undefined ? "" : String(collisions));
  return safeText(fnv1(new TextEncoder().encode(text)));
}

/** JSON with sorted keys, as Go marshals a map. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return Number(item);
    if (!isObject(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const littleEndian = (number: number): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, number, true);
  return bytes;
};

function fnv1a(bytes: Uint8Array, from: number): number {
  let hash = from;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

function fnv1(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

/** The digits in an alphabet without vowels: rand.SafeEncodeString of apimachinery. */
const safeText = (sum: number): string =>
  [...String(sum)].map((digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length]).join("");
