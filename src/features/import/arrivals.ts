// Objects received by an import, and the reasons for skipped ones. An object received as text is held as text only
// until it is written, since there may be 100,000 of them.
import { getHeapStatistics } from "node:v8";
import { cloneJson, type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import { entityTooLarge } from "../../apimachinery/meta/status.ts";
import { SkipSummary, whyLeftOut } from "./sources/collect.ts";
import { DERIVED, KindTable } from "./sources/kinds.ts";
import { objectsInText } from "./sources/objects-in-text.ts";
import type { FoundObject } from "./sources/source.ts";

export interface Arrived {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" if absent. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The resourceVersion of the source cluster; 0 if absent. */
  readonly version: bigint;
  /** The CRD was derived from objects of its kind, and is not in the source. */
  readonly isDerived: boolean;
  /** Returns a separate copy for each call. */
  read(): KubeObject;
}

export const isDefinition = ({ kind, apiVersion }: Arrived): boolean =>
  kind === "CustomResourceDefinition" && partsOfApiVersion(apiVersion)[0] === "apiextensions.k8s.io";

/** Heap use of one object until it is written, excluding its text. */
const HEAP_BYTES_EACH = 1536;

/** The limit uses at most half of the heap. */
const arrivedMax = (): number => Math.floor(getHeapStatistics().heap_size_limit / 2 / HEAP_BYTES_EACH);

export class Arrivals {
  readonly skips = new SkipSummary();
  /** What the objects reveal about their kinds. */
  readonly kinds = new KindTable();
  readonly #all: Arrived[] = [];
  readonly #max = arrivedMax();

  get all(): readonly Arrived[] {
    return this.#all;
  }

  /** Adds an object; the caller must not change it afterwards. */
  add(object: Readonly<KubeObject>): void {
    const why = whyLeftOut(object);
    if (why !== undefined) {
      this.skips.add({ reason: why, origin: originOf(object) });
      return;
    }
    this.kinds.see({ object });
    this.#push(arrivedAs(object, () => cloneJson(object)));
  }

  /** Adds a line of JSON: an object or a List. */
  addLine(line: Uint8Array, origin: string): void {
    let place = 0;
    for (const item of objectsInText(textOf(line), origin)) {
      if (item.type === "skipped") this.skips.add(item);
      else if (item.type === "kinds") this.kinds.add(item.kinds);
      else if (item.type === "object") this.#take(item, readerOf(line, origin, place));
      place++;
    }
  }

  #take({ object, origin }: FoundObject, read: Arrived["read"]): void {
    const why = whyLeftOut(object);
    if (why !== undefined) this.skips.add({ reason: why, origin });
    else {
      this.kinds.see({ object });
      this.#push(arrivedAs(object, read));
    }
  }

  /** Throws 413 for more objects than the heap can hold. */
  #push(arrived: Arrived): void {
    if (this.#all.length >= this.#max)
      throw entityTooLarge(
        `Request entity too large: more than ${this.#max} objects do not fit into the memory of the server; NODE_OPTIONS=--max-old-space-size=MB gives it more`,
      );
    this.#all.push(arrived);
  }
}

const originOf = ({ kind, metadata }: Readonly<KubeObject>): string =>
  `${String(kind)} ${String(metadata?.name)}`;

export function arrivedAs(object: Readonly<KubeObject>, read: () => KubeObject): Arrived {
  const { apiVersion = "", kind = "" } = object;
  const metadata: Readonly<JsonObject> = { ...object.metadata };
  const [namespace, name, uid] = [
    textAt(metadata, "namespace"),
    textAt(metadata, "name"),
    textAt(metadata, "uid"),
  ];
  const resourceVersion = textAt(metadata, "resourceVersion");
  const version = /^\d{1,20}$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
  const isDerived = objectAt(metadata, "annotations")?.[DERIVED] !== undefined;
  return { apiVersion, kind, namespace, name, uid, version, isDerived, read };
}

const readerOf = (line: Uint8Array, origin: string, place: number) => (): KubeObject => {
  const item = [...objectsInText(textOf(line), origin)][place];
  if (item?.type !== "object") throw new Error(`${origin} does not read as it did`);
  return item.object;
};

const textOf = (line: Uint8Array): string =>
  Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8");
