// Lists of many objects, or of large ones, in forms for which the objects have to be looked into: item by item, so that
// neither the list nor its text is ever held as a whole, and others have their turn meanwhile.
import { pauseForOthers } from "../../meta/clock.ts";
import { type MemberOrder, orderWithin } from "../../meta/json-encode.ts";
import type { StreamBody } from "../api-request.ts";
import { listEnvelope, listItemsMessage } from "../protobuf/codec.ts";
import type { TypeIdentity } from "../protobuf/value-types.ts";
import { answerJson, machineryOrder } from "./answer-json.ts";
import { prettyJson, prettyParts } from "./text-parts.ts";
import { toYaml, yamlParts } from "./to-yaml.ts";

/** From so many items on. Fewer small ones are made at once, so that what goes wrong with one is told in words. */
export const STREAMED_ITEMS_MIN = 100;

const CHUNK_CHARACTERS = 256 * 1024;
/** Stands for the items while what is around them is written. No list holds it behind its items. */
const PLACEHOLDER = "egret.placeholder";

export type TextForm = "json" | "indented" | "yaml";

export interface ListParts {
  /** The list around its items; they are the last of its arrays. */
  frame(items: readonly unknown[]): object;
  /** Of the members of the list, where it does not tell by its kind. */
  readonly order?: MemberOrder | undefined;
  /** The name of that array. */
  readonly member: string;
  /** How many items there are, and each of them. */
  readonly count: number;
  item(index: number): unknown;
}

/** The bytes are those that the whole list would have in the form. */
export function streamText(list: ListParts, form: TextForm): StreamBody {
  return async (sink, signal) => {
    const { count, item } = list;
    const { head, separator, tail, write } = partsOf(form, list);
    let text = head;
    for (let index = 0; index < count; index++) {
      if (index > 0) text += separator;
      for (const part of write(item(index))) {
        if (signal.aborted) return;
        text += part;
        if (text.length > CHUNK_CHARACTERS) {
          await sink.write(Buffer.from(text));
          text = "";
        }
        const pause = pauseForOthers();
        if (pause !== undefined) await pause;
      }
    }
    await sink.write(Buffer.from(text + tail));
  };
}

interface TextParts {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly write: (item: unknown) => Iterable<string>;
}

/** How deep items stand in an indented list. */
const ITEM_DEPTH = 2;

function partsOf(form: TextForm, list: ListParts): TextParts {
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

/** What stands before and behind the items of a list in JSON. */
export function jsonAround({ frame, order }: ListParts): Pick<TextParts, "head" | "tail"> {
  return around(`${answerJson(frame([PLACEHOLDER]), order)}\n`, `"${PLACEHOLDER}"`);
}

function around(text: string, placeholder: string): Pick<TextParts, "head" | "tail"> {
  const at = text.lastIndexOf(placeholder);
  return { head: text.slice(0, at), tail: text.slice(at + placeholder.length) };
}

/** As protobuf, whose length stands in front: all items are written before the first byte is sent. */
export function streamProtobuf(
  type: TypeIdentity,
  metadata: object,
  { count, item }: Pick<ListParts, "count" | "item">,
): StreamBody {
  return async (sink, signal) => {
    const chunks: Buffer[] = [];
    let length = 0;
    for (let index = 0; index < count; index++) {
      if (signal.aborted) return;
      const chunk = listItemsMessage(type, [item(index)]);
      chunks.push(chunk);
      length += chunk.length;
      const pause = pauseForOthers();
      if (pause !== undefined) await pause;
    }
    const [head, tail] = listEnvelope(type, metadata, length);
    await sink.write(head);
    for (const chunk of chunks) {
      if (signal.aborted) return;
      const full = sink.write(chunk);
      if (full !== undefined) await full;
    }
    await sink.write(tail);
  };
}
