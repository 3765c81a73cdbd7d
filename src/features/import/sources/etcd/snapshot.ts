// Objects of a copy of etcd: the output of `etcdctl snapshot save`, or a copied member/snap/db. It is read by random
// access, and only the names of its keys are kept in memory.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { objectAt, textAt } from "../../../../apimachinery/json/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../../../apimachinery/meta/object-meta.ts";
import { type Place, SourceError, type SourceItem, skipped } from "../source.ts";
import { PageFile } from "./pages.ts";
import { type LiveKey, liveKeys, revisionOf } from "./revisions.ts";
import { objectInValue } from "./values.ts";

type Items = AsyncGenerator<SourceItem, void, undefined>;

/** Leases by which servers find each other are not imported, although they decode as objects. */
const NO_OBJECT = /(^|\/)(masterleases|peerserverleases)\/[^/]+$/;
/** The Service range of the primary and of the secondary IP family. */
const SERVICE_RANGE = /\/ranges\/(secondary)?serviceips$/;
const NODE_PORTS = /\/ranges\/servicenodeports$/;

/** `origin` is the name of the file. Throws SourceError. */
export async function* readEtcd(file: FileHandle, origin: string): Items {
  const pages = await PageFile.open(file);
  yield { type: "notes", notes: { form: "a copy of etcd", revision: await revisionOf(pages) }, origin };
  const ranges: string[] = [];
  for await (const live of liveKeys(pages)) {
    if (!live.key.includes("/") || NO_OBJECT.test(live.key)) continue;
    const item = itemOf(live, `${origin}:${live.key}`);
    if (item.type === "object" && item.object.kind === "RangeAllocation") {
      const range = textAt(item.object, "range");
      if (NODE_PORTS.test(live.key)) yield { type: "notes", notes: { nodePorts: range }, origin };
      else if (SERVICE_RANGE.test(live.key)) ranges[live.key.includes("secondary") ? 1 : 0] = range;
    } else yield item;
  }
  const serviceSubnets = ranges.filter((range) => range !== undefined && range !== "").join(",");
  if (serviceSubnets !== "") yield { type: "notes", notes: { serviceSubnets }, origin };
  if (!(await isAsItsSumSays(file)))
    yield skipped(origin, "the sum at its end is not that of its content: it is damaged, or was cut");
}

function itemOf({ key, value, modRevision }: LiveKey, origin: string): SourceItem {
  const read = objectInValue(value);
  if ("reason" in read) return skipped(origin, read.reason);
  const metadata = { ...objectAt(read.object, "metadata"), resourceVersion: String(modRevision) };
  const object: KubeObject = { ...read.object, metadata };
  const place = placeOf(key, object);
  return { type: "object", object, origin, ...(place === undefined ? {} : { place }) };
}

/** Only keys of custom resources contain group and plural; keys of built-in kinds have older names. */
function placeOf(key: string, { apiVersion }: KubeObject): Place | undefined {
  const [group] = partsOfApiVersion(apiVersion);
  const parts = key.split("/");
  const at = parts.indexOf(group);
  const resource = at > 0 && group !== "" ? parts[at + 1] : undefined;
  return resource === undefined ? undefined : { group, resource, namespaced: parts.length - at === 4 };
}

const SUM_BYTES = 32;

/** etcdctl appends a SHA-256 checksum to the pages, whose total size is a multiple of 512 bytes. */
async function isAsItsSumSays(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size % 512 !== SUM_BYTES) return true;
  const hash = createHash("sha256");
  const content = file.createReadStream({ start: 0, end: size - SUM_BYTES - 1, autoClose: false });
  for await (const part of content) hash.update(part);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SUM_BYTES), 0, SUM_BYTES, size - SUM_BYTES);
  if (bytesRead < SUM_BYTES) throw new SourceError("the copy of etcd cannot be read to its end");
  return hash.digest().equals(buffer);
}
