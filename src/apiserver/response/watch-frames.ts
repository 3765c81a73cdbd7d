// Watch events as they stand on the wire: one JSON object and a line end each, or a protobuf message behind its length.
// A frame is made once per event and form, however many watchers there are; watchers without Tables share the stored
// bytes.
import type { MemberOrder } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Status } from "../../meta/status.ts";
import { memberOrder } from "../../registry/codec/object-codec.ts";
import { decodeInVersion, jsonInVersion } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ObjectEvent } from "../../registry/read/watch.ts";
import { makeTable, toPartialMetadata } from "../../registry/table/table.ts";
import type { Exchange } from "../exchange.ts";
import { encodeWatchFrame, PROTOBUF_TYPE, toProtobuf } from "../protobuf/codec.ts";
import type { MediaType } from "../request/negotiation.ts";
import { answerJson } from "./answer-json.ts";
import { metaApiVersion, tableOptions } from "./respond.ts";

/** Frames by stored value, then by event type and form; gone with the value. */
const shared = new WeakMap<ObjectEvent["kv"], Map<string, Buffer>>();

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

type Shown = Pick<Exchange, "request" | "view" | "negotiated" | "clock">;

/** Makes the frames of one watch, in the form that it negotiated. Throws 400 when the form is impossible. */
export class WatchFrames {
  readonly #view: ResourceView;
  readonly #exchange: Shown;
  readonly #form: string;
  /** Objects as JSON, which is how they are stored. */
  readonly #isPlain: boolean;
  #columnsSent = false;

  constructor(exchange: Shown) {
    this.#exchange = exchange;
    this.#view = exchange.view;
    const { transform, mediaType } = exchange.negotiated;
    const include = transform?.kind === "Table" ? tableOptions(exchange).includeObject : "Metadata";
    this.#isPlain = transform === undefined && mediaType !== PROTOBUF_TYPE;
    const form = transform === undefined ? "object" : `${transform.kind}/${transform.version}/${include}`;
    this.#form = `${apiVersionOf(exchange.view)}/${form}/${mediaType}`;
  }

  /** For an object that is there already. What costs little is not kept: of many objects it would fill the memory. */
  initial(kv: ObjectEvent["kv"]): Buffer {
    return this.#isPlain ? this.#make({ type: "ADDED", kv }) : this.event({ type: "ADDED", kv });
  }

  event(event: ObjectEvent): Buffer {
    const revision = event.type === "DELETED" ? event.revision : event.kv.modRevision;
    const isTable = this.#exchange.negotiated.transform?.kind === "Table";
    if (isTable && !this.#columnsSent) return this.#make(event); // the first Table alone has columns
    const key = `${event.type}/${revision}/${this.#form}`;
    let frames = shared.get(event.kv);
    if (frames === undefined) {
      frames = new Map();
      shared.set(event.kv, frames);
    }
    let frame = frames.get(key);
    if (frame === undefined) {
      frame = this.#make(event);
      frames.set(key, frame);
    }
    return frame;
  }

  #make(event: ObjectEvent): Buffer {
    const { transform, mediaType } = this.#exchange.negotiated;
    const revision = event.type === "DELETED" ? event.revision : event.kv.modRevision;
    if (this.#isPlain) return jsonFrame(event.type, jsonInVersion(this.#view, event.kv, revision));
    const object = decodeInVersion(this.#view, event.kv);
    const shown = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    return frameOf(event.type, transform === undefined ? shown : this.#transform(shown), mediaType);
  }

  #transform(object: Readonly<KubeObject>): unknown {
    const { negotiated } = this.#exchange;
    if (negotiated.transform?.kind !== "Table") return toPartialMetadata(object, metaApiVersion(negotiated));
    const omitColumns = this.#columnsSent;
    this.#columnsSent = true;
    return makeTable(this.#view, [object], { ...tableOptions(this.#exchange), omitColumns });
  }

  /** How far the watch has come, although nothing happened to it. */
  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const metadata = {
      resourceVersion: String(revision),
      ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: "true" } } : {}),
    };
    const { definition } = this.#view;
    const object: KubeObject = { kind: definition.kind, apiVersion: apiVersionOf(this.#view), metadata };
    const { transform, mediaType } = this.#exchange.negotiated;
    if (transform !== undefined) return frameOf("BOOKMARK", this.#transform(object), mediaType);
    return frameOf("BOOKMARK", object, mediaType, memberOrder(this.#view));
  }
}

export function errorFrame(status: Status, mediaType: MediaType): Buffer {
  return frameOf("ERROR", status, mediaType);
}

function frameOf(type: string, object: unknown, mediaType: MediaType, order?: MemberOrder): Buffer {
  if (mediaType === PROTOBUF_TYPE) return encodeWatchFrame(type, toProtobuf(object));
  return jsonFrame(type, Buffer.from(answerJson(object, order)));
}

const END = Buffer.from("}\n");

function jsonFrame(type: string, object: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END]);
}
