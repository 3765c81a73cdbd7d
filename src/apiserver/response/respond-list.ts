// Lists as they leave: stored items are joined into large chunks and streamed, so that a list of any length is
// neither decoded nor held twice.
import { pauseForOthers } from "../../meta/clock.ts";
import { notAcceptable } from "../../meta/status.ts";
import { listItemLength, writeListItem } from "../../registry/codec/object-codec.ts";
import { decodeInVersion, isShownAsStored } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ListResult } from "../../registry/read/list.ts";
import { type ListMeta, makeTable, toPartialMetadataList } from "../../registry/table/table.ts";
import { type ApiResponse, type BodySink, JSON_TYPE } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { PROTOBUF_TYPE } from "../protobuf/codec.ts";
import { listOrder } from "./answer-json.ts";
import { headersOf, isIndented, metaApiVersion, respondValue, tableOptions } from "./respond.ts";
import { jsonAround, type ListParts, STREAMED_ITEMS_MIN, streamProtobuf, streamText } from "./stream-list.ts";

const CHUNK_BYTES = 256 * 1024;
/** Up to this size a list is made, and sent, in one piece. */
const WHOLE_BYTES_MAX = 1024 * 1024;

export function respondList(exchange: Exchange, list: ListResult): ApiResponse {
  const { view, negotiated, request } = exchange;
  const { mediaType, transform } = negotiated;
  const { items, revision } = list;
  const asStored = view.version.storage && items.every((kv) => isShownAsStored(view, kv));
  const isText = mediaType !== PROTOBUF_TYPE;
  const indented = isText && isIndented(negotiated, request);
  if (transform === undefined && mediaType === JSON_TYPE && !indented && asStored) {
    return respondStored(exchange, list);
  }
  if (isShort(items) || (transform !== undefined && !isText)) {
    const isList = transform === undefined;
    const value = isList ? listValue(view, list) : transformList(exchange, list);
    return { ...respondValue(exchange, 200, value, isList ? listOrder(view) : undefined), revision };
  }
  const form = mediaType !== JSON_TYPE ? "yaml" : indented ? "indented" : "json";
  const body = isText
    ? streamText(partsOf(exchange, list), form)
    : streamProtobuf({ kind: view.definition.listKind, apiVersion: apiVersionOf(view) }, listMeta(list), {
        count: items.length,
        item: (index) => items.slice(index, index + 1).map((kv) => decodeInVersion(view, kv))[0],
      });
  return { status: 200, headers: headersOf(exchange), body, revision };
}

const isShort = (items: ListResult["items"]): boolean =>
  items.length < STREAMED_ITEMS_MIN &&
  items.reduce((bytes, { value }) => bytes + value.length, 0) <= WHOLE_BYTES_MAX;

/** Stored items are joined as they are. */
function respondStored(exchange: Exchange, list: ListResult): ApiResponse {
  const { head, tail } = jsonAround(partsOf(exchange, list));
  const { items, revision } = list;
  let length = Buffer.byteLength(head) + Buffer.byteLength(tail) + Math.max(items.length - 1, 0);
  for (const kv of items) length += listItemLength(kv);
  const headers = headersOf(exchange);
  if (length <= WHOLE_BYTES_MAX)
    return { status: 200, headers, body: joinWhole(head, list, tail, length), revision };
  headers["content-length"] = String(length);
  return { status: 200, headers, body: (sink) => joinInChunks(head, list, tail, sink), revision };
}

/** The list in its own kind; items of a built-in kind do not say what they are. */
function listValue(view: ResourceView, list: ListResult): object {
  return frameOf(
    view,
    list,
    list.items.map((kv) => itemValue(view, kv)),
  );
}

function frameOf(view: ResourceView, list: ListResult, items: readonly unknown[]): object {
  const { custom, listKind } = view.definition;
  const metadata = custom ? { continue: "", ...listMeta(list) } : listMeta(list);
  return { kind: listKind, apiVersion: apiVersionOf(view), metadata, items };
}

function itemValue(view: ResourceView, kv: ListResult["items"][number]): object {
  const object = decodeInVersion(view, kv);
  if (view.definition.custom) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

/** A list, or what it was to be made, one item at a time. */
function partsOf(exchange: Exchange, list: ListResult): ListParts {
  const { view, negotiated } = exchange;
  const one = (index: number): ListResult => ({ ...list, items: list.items.slice(index, index + 1) });
  const count = list.items.length;
  if (negotiated.transform === undefined) {
    const item = (index: number) => one(index).items.map((kv) => itemValue(view, kv))[0];
    const frame = (items: readonly unknown[]) => frameOf(view, list, items);
    return { count, item, member: "items", order: listOrder(view), frame };
  }
  const isTable = negotiated.transform.kind === "Table";
  const member = isTable ? "rows" : "items";
  const whole = transformList(exchange, { ...list, items: [] });
  return {
    count,
    member,
    frame: (items) => ({ ...whole, [member]: items }),
    item: (index) => transformList(exchange, one(index))[member]?.[0],
  };
}

function listMeta(list: ListResult): ListMeta {
  return {
    resourceVersion: String(list.revision),
    ...(list.continueToken ? { continue: list.continueToken } : {}),
    ...(list.remaining !== undefined ? { remainingItemCount: list.remaining } : {}),
  };
}

interface TransformedList {
  readonly rows?: readonly unknown[];
  readonly items?: readonly unknown[] | null;
}

function transformList(exchange: Exchange, list: ListResult): TransformedList {
  const { view, negotiated } = exchange;
  const objects = () => list.items.map((kv) => decodeInVersion(view, kv));
  const meta = listMeta(list);
  switch (negotiated.transform?.kind) {
    case "Table":
      return makeTable(view, objects(), { ...tableOptions(exchange), listMeta: meta });
    case "PartialObjectMetadataList":
      return toPartialMetadataList(objects(), meta, metaApiVersion(negotiated));
    default: {
      const error = notAcceptable([]);
      error.status.message = `you requested PartialObjectMetadata, but the requested object is a list (${goListType(view)})`;
      throw error;
    }
  }
}

function goListType({ definition }: ResourceView): string {
  if (definition.custom) return "*unstructured.UnstructuredList";
  return `*${definition.group === "" ? "core" : definition.group.split(".")[0]}.${definition.listKind}`;
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

async function joinInChunks(head: string, list: ListResult, tail: string, sink: BodySink): Promise<void> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = chunk.write(head, 0);
  for (const [index, kv] of list.items.entries()) {
    const needed = listItemLength(kv) + 1;
    if (at + needed > chunk.length) {
      await sink.write(chunk.subarray(0, at));
      const pause = pauseForOthers();
      if (pause !== undefined) await pause;
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      at = 0;
    }
    if (index > 0) chunk[at++] = 0x2c;
    at = writeListItem(kv, chunk, at);
  }
  await sink.write(Buffer.concat([chunk.subarray(0, at), Buffer.from(tail)]));
}
