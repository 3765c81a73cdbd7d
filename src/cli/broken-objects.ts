// Finds broken objects in a store whose records are intact: undecodable values, CRDs that cannot be served, and custom
// objects in a version that their CRD lacks.
import { objectAt, objectsAt, textAt } from "../apimachinery/json/json.ts";
import { encodeJson } from "../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import { unservableReason } from "../apiserver/apiextensions/validation/servable.ts";
import { parseWithoutRevision, peekStored } from "../apiserver/registry/codec/object-codec.ts";
import type { HeldKeys } from "../storage/level/check-store.ts";
import { type KeyValue, prefixRange } from "../storage/store.ts";

export interface BrokenObject {
  readonly key: string;
  readonly modRevision: Revision;
  readonly reason: string;
  /** undefined: another process holds the bytes. */
  readonly kv: KeyValue | undefined;
}

const DEFINITIONS = "/registry/apiextensions.k8s.io/customresourcedefinitions/";

/** In the order of their keys. */
export function brokenObjects(state: HeldKeys): readonly BrokenObject[] {
  const broken: BrokenObject[] = [...state.unreadable.all()].map(({ kv, ...one }) => ({ ...one, kv }));
  for (const kv of state.list(prefixRange(DEFINITIONS)).items) {
    const crd = peekStored(kv);
    const reason = unservableReason(crd);
    if (reason !== undefined)
      broken.push({ ...kv, reason: `the definition cannot be served: ${reason}`, kv });
    for (const object of state.list(prefixRange(prefixOf(crd))).items) {
      const why = reason === undefined ? versionComplaint(crd, peekStored(object)) : UNSERVED;
      if (why !== undefined) broken.push({ ...object, reason: why, kv: object });
    }
  }
  return broken.sort((a, b) => (a.key < b.key ? -1 : 1));
}

const UNSERVED = "the definition of the kind cannot be served";

function prefixOf(crd: Readonly<KubeObject>): string {
  const spec = objectAt(crd, "spec");
  return `/registry/${textAt(spec, "group")}/${textAt(objectAt(spec, "names"), "plural")}/`;
}

function versionComplaint(
  crd: Readonly<KubeObject>,
  { apiVersion = "" }: Readonly<KubeObject>,
): string | undefined {
  const spec = objectAt(crd, "spec");
  const versions = objectsAt(spec, "versions").map(
    (one) => `${textAt(spec, "group")}/${textAt(one, "name")}`,
  );
  return versions.includes(apiVersion)
    ? undefined
    : `the definition of the kind has no version ${apiVersion}`;
}

/** One line of JSON: the stored bytes, and the object if they are decodable. */
export function exportedLine(
  { key, modRevision, reason }: BrokenObject,
  value: Uint8Array | undefined,
): string {
  const bytes = value === undefined ? null : Buffer.from(value).toString("base64");
  const object = value === undefined ? undefined : objectIn(key, value);
  return `${encodeJson({ key, modRevision, reason, value: bytes, ...(object ? { object } : {}) })}\n`;
}

function objectIn(key: string, value: Uint8Array): KubeObject | undefined {
  try {
    return parseWithoutRevision({ key, value });
  } catch {
    return undefined;
  }
}
