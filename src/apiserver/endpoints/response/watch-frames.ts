// Watch events on the wire: one JSON object and a line end each, or a length-delimited protobuf message. A frame is
// encoded once per event and form, however many watchers exist. Watchers without Tables share the stored bytes.
import type { MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../../apimachinery/meta/revision.ts";
import type { Status } from "../../../apimachinery/meta/status.ts";
import { atRevision, memberOrder } from "../../registry/codec/object-codec.ts";
import { decodeInVersion, jsonInVersion } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ObjectEvent } from "../../registry/read/watch.ts";
import { encodeWatchFrame, PROTOBUF_TYPE, toProtobuf } from "../protobuf/codec.ts";
import type { MediaType } from "../request/negotiation.ts";
import { answerJson } from "./answer-text.ts";
import { type Asked, type OtherForm, otherForm } from "./other-form.ts";

/** Frames by stored value, then by event type and form; released with the value. */
const sharedFrames = memoize((_kv: ObjectEvent["kv"]) => new Map<string, Buffer>());

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** Encodes the frames of one watch in its negotiated form. Throws 400 when the form is impossible. */
export class WatchFrames {
  readonly #view: ResourceView;
  readonly #mediaType: MediaType;
  readonly #form: OtherForm | undefined;
  /** Cache key of this form. */
  readonly #key: string;
  /** JSON of the stored form. */
  readonly #isPlain: boolean;
  /** True until the first Table, which alone has column definitions. */
  #wantsColumns: boolean;

  constructor(asked: Asked) {
    const { transform, mediaType } = asked.negotiated;
    this.#view = asked.view;
    this.#mediaType = mediaType;
    this.#form = otherForm(asked);
    this.#isPlain = this.#form === undefined && mediaType !== PROTOBUF_TYPE;
    this.#wantsColumns = transform?.kind === "Table";
    const included = this.#wantsColumns ? asked.request.query.get("includeObject") : "";
    const form = transform === undefined ? "object" : `${transform.kind}/${transform.version}/${included}`;
    this.#key = `${apiVersionOf(asked.view)}/${form}/${mediaType}`;
  }

  /** A frame of an initial event. Cheap frames are not cached: those of many objects would fill the memory. */
  initial(kv: ObjectEvent["kv"]): Buffer {
    return this.#isPlain ? this.#make({ type: "ADDED", kv }) : this.event({ type: "ADDED", kv });
  }

  event(event: ObjectEvent): Buffer {
    if (this.#wantsColumns) return this.#make(event);
    const key = `${event.type}/${revisionOf(event)}/${this.#key}`;
    const frames = sharedFrames(event.kv);
    let frame = frames.get(key);
    if (frame === undefined) {
      frame = this.#make(event);
      frames.set(key, frame);
    }
    return frame;
  }

  #make(event: ObjectEvent): Buffer {
    const revision = revisionOf(event);
    if (this.#isPlain) return jsonFrame(event.type, jsonInVersion(this.#view, event.kv, revision));
    const object = atRevision(decodeInVersion(this.#view, event.kv), revision);
    return frameOf(event.type, this.#shown(object), this.#mediaType);
  }

  #shown(object: Readonly<KubeObject>): object {
    const omitColumns = !this.#wantsColumns;
    this.#wantsColumns = false;
    return this.#form?.single(object, omitColumns) ?? object;
  }

  /** A bookmark with the revision that the watch has reached. */
  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const annotations = initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: "true" } } : {};
    const object: KubeObject = {
      kind: this.#view.definition.kind,
      apiVersion: apiVersionOf(this.#view),
      metadata: { resourceVersion: String(revision), ...annotations },
    };
    const order = this.#form === undefined ? memberOrder(this.#view) : undefined;
    return frameOf("BOOKMARK", this.#shown(object), this.#mediaType, order);
  }
}

const revisionOf = (event: ObjectEvent): Revision =>
  event.type === "DELETED" ? event.revision : event.kv.modRevision;

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
