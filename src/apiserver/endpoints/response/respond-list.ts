// List responses. Stored items are joined into large chunks and streamed unchanged. Forms that require decoding
// stream long or large lists item by item. Neither a long list nor its text is held in memory as a whole, and
// writing yields to other requests.
import { type MemberOrder, orderWithin } from "../../../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { notAcceptable } from "../../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { listItemLength, writeListItem } from "../../registry/codec/object-codec.ts";
import { decodeInVersion, isShownAsStored } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ListResult } from "../../registry/read/list.ts";
import { type ApiResponse, type BodySink, JSON_TYPE, type StreamBody } from "../api-request.ts";
import { listEnvelope, listItemsMessage, PROTOBUF_TYPE } from "../protobuf/codec.ts";
import { shardOf } from "../request/options.ts";
import type { RequestScope } from "../request-scope.ts";
import {
  answerJson,
  listOrder,
  machineryOrder,
  prettyJson,
  prettyParts,
  streamedText,
} from "./answer-text.ts";
import { type ListFrame, type ListMeta, otherForm } from "./other-form.ts";
import { headersOf, isIndented, respondValue } from "./respond.ts";
import { toYaml, yamlParts } from "./to-yaml.ts";

const CHUNK_BYTES = 256 * 1024;
/** Up to this size a list is encoded and sent in one piece. */
const WHOLE_BYTES_MAX = 1024 * 1024;
/**
 * Lists with fewer small items are encoded before the response starts, so that a failing item yields an error
 * response.
 */
export const STREAMED_ITEMS_MIN = 100;

type Stored = ListResult["items"][number];

/** A list, or its transformation, as parts that are encoded one item at a time. */
interface ListParts {
  /** The list around the items, which are its last array. */
  frame(items: readonly unknown[]): ListFrame;
  /** Member order of the list, where its kind does not determine it. */
  readonly order?: MemberOrder | undefined;
  /** The name of the items array. */
  readonly member: string;
  item(kv: Stored): unknown;
}

export function respondList(exchange: RequestScope, list: ListResult): ApiResponse {
  const { view, negotiated, request } = exchange;
  const { mediaType, transform } = negotiated;
  const { revision } = list;
  const items = transform?.kind === "Table" ? inRowOrder(view, list.items) : list.items;
  const isText = mediaType !== PROTOBUF_TYPE;
  const indented = isText && isIndented(negotiated, request);
  const parts = partsOf(exchange, list);
  if (transform === undefined && mediaType === JSON_TYPE && !indented) {
    const asStored = view.version.storage && items.every((kv) => isShownAsStored(view, kv));
    if (asStored) return respondStored(exchange, list, parts);
  }
  if (isShort(items) || (transform !== undefined && !isText)) {
    const value = parts.frame(items.map(parts.item));
    return { ...respondValue(exchange, 200, value, parts.order), revision };
  }
  const form = mediaType !== JSON_TYPE ? "yaml" : indented ? "indented" : "json";
  const body = isText ? streamedText(listText(parts, items, form)) : streamProtobuf(parts, items);
  return { status: 200, headers: headersOf(exchange), body, heldBytes: heldBytes(items, isText), revision };
}

/** A decoded object takes at most this multiple of its JSON bytes: members with short keys and values. */
const DECODED_FACTOR = 8;

/** Memory for encoding: text forms decode one item at a time; protobuf holds the whole response. */
function heldBytes(items: readonly Stored[], isText: boolean): number {
  let [all, largest] = [0, 0];
  for (const { value } of items) {
    all += value.length;
    largest = Math.max(largest, value.length);
  }
  return largest * DECODED_FACTOR + (isText ? 0 : all);
}

/** Sorts the rows of kinds with a row order, within one page. */
function inRowOrder(view: ResourceView, items: readonly Stored[]): readonly Stored[] {
  const { rowOrder } = view.definition;
  if (rowOrder === undefined) return items;
  const ranked = items.map((kv) => ({ kv, rank: rowOrder(decodeInVersion(view, kv)) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ kv }) => kv);
}

const isShort = (items: readonly Stored[]): boolean =>
  items.length < STREAMED_ITEMS_MIN &&
  items.reduce((bytes, { value }) => bytes + value.length, 0) <= WHOLE_BYTES_MAX;

/** Throws 400 and 406. */
function partsOf(exchange: RequestScope, list: ListResult): ListParts {
  const { view, negotiated } = exchange;
  const { custom, listKind } = view.definition;
  const form = otherForm(exchange);
  const shard = shardOf(exchange.request.query, exchange.reading);
  const meta: ListMeta = {
    resourceVersion: String(list.revision),
    ...(list.continueToken ? { continue: list.continueToken } : {}),
    ...(list.remaining !== undefined ? { remainingItemCount: list.remaining } : {}),
    ...(shard === undefined ? {} : { shardInfo: { selector: shard.text } }),
  };
  if (form === undefined) {
    const head = { kind: listKind, apiVersion: apiVersionOf(view) };
    const metadata = custom ? { continue: "", ...meta } : meta;
    return {
      frame: (items) => ({ ...head, metadata, items }),
      order: listOrder(view),
      member: "items",
      item: (kv) => itemValue(view, decodeInVersion(view, kv)),
    };
  }
  if (negotiated.transform?.kind === "PartialObjectMetadata") throw isList(view);
  return {
    frame: (items) => form.list(items, meta),
    member: form.member,
    item: (kv) => form.item(decodeInVersion(view, kv)),
  };
}

/** Items of a built-in kind have no kind and apiVersion. */
export function itemValue(view: ResourceView, object: Readonly<KubeObject>): object {
  if (view.definition.custom) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

/** 406 for a list that was requested as PartialObjectMetadata. */
export function isList({ definition }: ResourceView): Error {
  const { custom, group, listKind } = definition;
  const goPackage = group === "" ? "core" : group.split(".")[0];
  const goType = custom ? "*unstructured.UnstructuredList" : `*${goPackage}.${listKind}`;
  const error = notAcceptable([]);
  error.status.message = `you requested PartialObjectMetadata, but the requested object is a list (${goType})`;
  return error;
}

/** Joins the stored items unchanged. */
function respondStored(exchange: RequestScope, list: ListResult, parts: ListParts): ApiResponse {
  const { head, tail } = jsonAround(parts);
  const { items, revision } = list;
  let length = Buffer.byteLength(head) + Buffer.byteLength(tail) + Math.max(items.length - 1, 0);
  for (const kv of items) length += listItemLength(kv);
  const headers = headersOf(exchange);
  if (length <= WHOLE_BYTES_MAX)
    return { status: 200, headers, body: joinWhole(head, list, tail, length), revision };
  headers["content-length"] = String(length);
  const body: StreamBody = (sink, signal) => joinInChunks(head, list, tail, sink, signal);
  return { status: 200, headers, body, heldBytes: 2 * CHUNK_BYTES, revision };
}

function joinWhole(head: string, list: ListResult, tail: string, length: number): Buffer {
  const out = Buffer.allocUnsafe(length);
  let at = out.write(head, 0);
  for (const [index, kv] of list.items.entries()) {
    if (index > 0) out[at++] = 0x2c;
    at = writeListItem(kv, out, at);
  }
  at += out.write(tail, at);
  return out.subarray(0, at);
}

async function joinInChunks(
  head: string,
  list: ListResult,
  tail: string,
  sink: BodySink,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return; // the response is not sent
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = chunk.write(head, 0);
  for (const [index, kv] of list.items.entries()) {
    const needed = listItemLength(kv) + 1;
    if (at + needed > chunk.length) {
      await sink.write(chunk.subarray(0, at));
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      at = 0;
    }
    if (index > 0) chunk[at++] = 0x2c;
    at = writeListItem(kv, chunk, at);
  }
  await sink.write(Buffer.concat([chunk.subarray(0, at), Buffer.from(tail)]));
}

/** Replaces the items while the frame of the list is encoded. No list contains it after its items. */
const PLACEHOLDER = "egret.placeholder";

type TextForm = "json" | "indented" | "yaml";

/** Equals the text of the whole list in that form. */
function* listText(list: ListParts, items: readonly Stored[], form: TextForm): Generator<string, void> {
  const { head, separator, tail, write } = textParts(form, list);
  yield head;
  for (const [index, kv] of items.entries()) {
    if (index > 0) yield separator;
    yield* write(list.item(kv));
  }
  yield tail;
}

interface TextParts {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly write: (item: unknown) => Iterable<string>;
}

/** Nesting depth of items in an indented list. */
const ITEM_DEPTH = 2;

function textParts(form: TextForm, list: ListParts): TextParts {
  const frame = list.frame([PLACEHOLDER]);
  const order = list.order ?? machineryOrder(frame);
  const json = answerJson(frame, order);
  const itemOrder = orderWithin(order, list.member)?.items;
  switch (form) {
    case "json": {
      const write = (item: unknown) => [answerJson(item, itemOrder)];
      return { ...jsonAround(list), separator: ",", write };
    }
    case "indented": {
      const write = (item: unknown) => prettyParts(answerJson(item, itemOrder), ITEM_DEPTH);
      const separator = `,\n${"  ".repeat(ITEM_DEPTH)}`;
      return { ...around(`${prettyJson(json)}\n`, `"${PLACEHOLDER}"`), separator, write };
    }
    case "yaml": {
      const write = (item: unknown) => yamlParts([item]);
      return { ...around(toYaml(json), `- ${PLACEHOLDER}\n`), separator: "", write };
    }
  }
}

/** The JSON before and after the items. */
function jsonAround({ frame, order }: ListParts): Pick<TextParts, "head" | "tail"> {
  return around(`${answerJson(frame([PLACEHOLDER]), order)}\n`, `"${PLACEHOLDER}"`);
}

function around(text: string, placeholder: string): Pick<TextParts, "head" | "tail"> {
  const at = text.lastIndexOf(placeholder);
  return { head: text.slice(0, at), tail: text.slice(at + placeholder.length) };
}

/** Protobuf messages begin with their length, so all items are encoded before the first byte is sent. */
function streamProtobuf(list: ListParts, items: readonly Stored[]): StreamBody {
  const { kind, apiVersion, metadata } = list.frame([]);
  const type = { kind, apiVersion };
  return async (sink, signal) => {
    const chunks = new JoinedChunks();
    for (const kv of items) {
      if (signal.aborted) return;
      chunks.add(listItemsMessage(type, [list.item(kv)]));
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    }
    const [head, tail] = listEnvelope(type, metadata, chunks.length);
    await sink.write(head);
    for (const chunk of chunks.list()) {
      if (signal.aborted) return;
      const full = sink.write(chunk);
      if (full !== undefined) await full;
    }
    await sink.write(tail);
  };
}

/** Joins items into chunks: one write per item would yield to other requests after each. */
class JoinedChunks {
  readonly #full: Buffer[] = [];
  #open: Buffer[] = [];
  #openBytes = 0;
  #bytes = 0;

  get length(): number {
    return this.#bytes;
  }

  add(bytes: Buffer): void {
    this.#open.push(bytes);
    this.#openBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#openBytes >= CHUNK_BYTES) this.#join();
  }

  list(): readonly Buffer[] {
    if (this.#open.length > 0) this.#join();
    return this.#full;
  }

  #join(): void {
    this.#full.push(Buffer.concat(this.#open, this.#openBytes));
    this.#open = [];
    this.#openBytes = 0;
  }
}
