// Lists as they leave: stored items are joined into large chunks and streamed, so that a list of any length is
// neither decoded nor held twice.

import { decodeJson } from "../../meta/json-decode.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { notAcceptable } from "../../meta/status.ts";
import { listItemLength, writeListItem } from "../../registry/codec/object-codec.ts";
import { decodeInVersion, isShownAsStored, jsonInVersion } from "../../registry/codec/versions.ts";
import type { ListResult } from "../../registry/read/list.ts";
import type { ResourceView } from "../../registry/resource-definition.ts";
import { apiVersionOf } from "../../registry/resource-registry.ts";
import { type ListMeta, toPartialMetadataList } from "../../registry/table/partial-metadata.ts";
import { makeTable } from "../../registry/table/table.ts";
import { type ApiResponse, type BodySink, JSON_TYPE } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { PROTOBUF_TYPE } from "../protobuf/codec.ts";
import { headersOf, includeObject, isIndented, metaApiVersion, respondValue } from "./respond.ts";

const CHUNK_BYTES = 256 * 1024;
/** Up to this size a list is sent in one piece with its length. */
const WHOLE_BYTES_MAX = 1024 * 1024;

export function respondList(exchange: Exchange, list: ListResult): ApiResponse {
  const { view, negotiated, request } = exchange;
  if (negotiated.transform !== undefined) return respondValue(exchange, 200, transformList(exchange, list));
  if (negotiated.mediaType === PROTOBUF_TYPE) return respondValue(exchange, 200, listValue(view, list));
  const [head, tail] = listFrame(view, list);
  const asStored = view.version.storage && list.items.every((kv) => isShownAsStored(view, kv));
  const plain = negotiated.mediaType === JSON_TYPE && !isIndented(negotiated, request) && asStored;
  if (!plain) {
    const items = list.items.map((kv) => itemText(view, kv));
    return respondJsonText(exchange, `${head}${items.join(",")}${tail}`);
  }
  let length = Buffer.byteLength(head) + Buffer.byteLength(tail) + Math.max(list.items.length - 1, 0);
  for (const kv of list.items) length += listItemLength(kv);
  const headers = headersOf(exchange);
  const { revision } = list;
  if (length <= WHOLE_BYTES_MAX)
    return { status: 200, headers, body: joinWhole(head, list, tail, length), revision };
  headers["content-length"] = String(length);
  return { status: 200, headers, body: (sink) => joinInChunks(head, list, tail, sink), revision };
}

function listValue(view: ResourceView, list: ListResult): unknown {
  return {
    kind: view.definition.listKind,
    apiVersion: apiVersionOf(view),
    metadata: listMeta(list),
    items: list.items.map((kv) => decodeInVersion(view, kv)),
  };
}

/** Items of a built-in kind's list do not say what they are. */
function itemText(view: ResourceView, kv: ListResult["items"][number]): string {
  const { definition } = view;
  if (!definition.custom && isShownAsStored(view, kv)) return listItem(kv);
  const text = jsonInVersion(view, kv).toString("utf8");
  if (definition.custom) return text;
  const typeMeta = `"kind":${encodeJson(definition.kind)},"apiVersion":${encodeJson(apiVersionOf(view))},`;
  return `{${text.slice(1 + typeMeta.length)}`;
}

function listItem(kv: ListResult["items"][number]): string {
  const out = Buffer.allocUnsafe(listItemLength(kv));
  return out.subarray(0, writeListItem(kv, out, 0)).toString("utf8");
}

function respondJsonText(exchange: Exchange, text: string): ApiResponse {
  // The text is decoded and written again: only for people and for versions other than the stored one.
  return respondValue(exchange, 200, decodeJson(text).value);
}

/** What stands before and after the items; custom lists have their keys sorted and always a "continue". */
function listFrame(view: ResourceView, list: ListResult): [string, string] {
  const { definition } = view;
  const kind = encodeJson(definition.listKind);
  const apiVersion = encodeJson(apiVersionOf(view));
  if (definition.custom) {
    const metadata = { continue: "", ...listMeta(list) };
    return [
      `{"apiVersion":${apiVersion},"items":[`,
      `],"kind":${kind},"metadata":${encodeJson(metadata)}}\n`,
    ];
  }
  return [
    `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${encodeJson(listMeta(list))},"items":[`,
    "]}\n",
  ];
}

function listMeta(list: ListResult): ListMeta {
  return {
    resourceVersion: String(list.revision),
    ...(list.continueToken ? { continue: list.continueToken } : {}),
    ...(list.remaining !== undefined ? { remainingItemCount: list.remaining } : {}),
  };
}

function transformList(exchange: Exchange, list: ListResult): unknown {
  const { view, negotiated, clock } = exchange;
  const objects = () => list.items.map((kv) => decodeInVersion(view, kv));
  const apiVersion = metaApiVersion(negotiated);
  const meta = listMeta(list);
  switch (negotiated.transform?.kind) {
    case "Table": {
      const include = includeObject(exchange);
      return makeTable(view, objects(), {
        includeObject: include,
        nowMs: clock.now(),
        apiVersion,
        listMeta: meta,
      });
    }
    case "PartialObjectMetadataList":
      return toPartialMetadataList(objects(), meta, apiVersion);
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
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      at = 0;
    }
    if (index > 0) chunk[at++] = 0x2c;
    at = writeListItem(kv, chunk, at);
  }
  await sink.write(Buffer.concat([chunk.subarray(0, at), Buffer.from(tail)]));
}
