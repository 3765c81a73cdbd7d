// Decodes the body of a control request: a value, or Kubernetes objects, in JSON or YAML. A large body is decoded in a
// worker thread, because it would block the event loop.

import { isObject } from "../../apimachinery/json/json.ts";
import { decodeJsonInTurns, JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import { encodeInOrder } from "../../apimachinery/json/json-encode.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest, StatusError } from "../../apimachinery/meta/status.ts";
import type { Job, Workers } from "../../apimachinery/workers/job.ts";
import {
  decodeDocuments,
  decodeValue,
  isUnreadable,
  strictValue,
} from "../../apimachinery/yaml/decode-yaml.ts";

/** "value" and "json": one value; "objects": the objects of all documents. */
type BodyForm = "value" | "objects" | "json";

interface ReadOrder {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;
}

/** JSON bytes move between threads without a copy, and the server can decode them with yielding. */
type ReadOutcome = { readonly json: Uint8Array<ArrayBuffer> } | { readonly refused: string };

/** Text of this size decodes in about 10 ms. */
const SMALL_BYTES_MAX = 32 * 1024;

/** Rejects with 400 for a body that cannot be decoded, and with 413, 429 and 504. */
export async function readControlBody(bytes: Uint8Array, form: BodyForm, workers: Workers): Promise<unknown> {
  const order = { bytes, form };
  if (form === "json") return readJson(bytes);
  if (bytes.length <= SMALL_BYTES_MAX) return read(order);
  const outcome = await workers.run(readControlBodyJob, order);
  if ("refused" in outcome) throw badRequest(outcome.refused);
  return (await decodeJsonInTurns(outcome.json)).value;
}

/** Throws 400. */
async function readJson(bytes: Uint8Array): Promise<unknown> {
  try {
    return (await decodeJsonInTurns(bytes)).value;
  } catch (error) {
    throw error instanceof JsonSyntaxError ? badRequest(`the body is no JSON: ${error.message}`) : error;
  }
}

export const readControlBodyJob: Job<ReadOrder, ReadOutcome> = {
  name: "readControlBody",
  run: (order) => {
    try {
      return { json: new TextEncoder().encode(encodeInOrder(read(order))) };
    } catch (error) {
      if (error instanceof StatusError) return { refused: error.message };
      throw error;
    }
  },
  handOver: (outcome) => ("json" in outcome ? [outcome.json.buffer] : []),
};

/** Throws 400. */
function read({ bytes, form }: ReadOrder): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (form === "objects") return readDocuments(text);
  try {
    return decodeValue(text);
  } catch (error) {
    throw isUnreadable(error) ? badRequest(`the body is neither JSON nor YAML: ${error.message}`) : error;
  }
}

// Kubernetes objects as text: a stream of YAML documents, or JSON. Lists and arrays are split into their items.

/**
 * Decodes strictly as kubectl apply does: a duplicate key is an error. Throws a 400 that names the document; no object
 * of the text is used then. Collected cluster dumps are decoded leniently in `features/import/sources/`, which skips undecodable
 * documents.
 */
export function readDocuments(text: string): KubeObject[] {
  const objects: KubeObject[] = [];
  let number = 1;
  try {
    for (const document of decodeDocuments(text)) {
      append(objects, objectsIn(strictValue(document), number));
      number++;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw badRequest(`document ${number} cannot be read: ${error.message}`);
  }
  return objects;
}

/** A document of comments only holds no object. */
function objectsIn(value: unknown, number: number): KubeObject[] {
  if (value === null || value === undefined) return [];
  const items = isObject(value) && Array.isArray(value["items"]) ? value["items"] : value;
  return (Array.isArray(items) ? items : [items]).map((item: unknown) => checked(item, number));
}

function checked(value: unknown, number: number): KubeObject {
  const isNamed =
    isObject(value) &&
    isText(value["apiVersion"]) &&
    isText(value["kind"]) &&
    isObject(value["metadata"]) &&
    isText(value["metadata"]["name"]);
  if (isNamed) return value as KubeObject; // checked above
  throw badRequest(`document ${number} is no object: it needs apiVersion, kind and metadata.name`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
