// The node port bitmap that kube-apiservers share: one etcd value, an object that the API does not serve.
//
//   { 1: metadata | 2: "30000-32767" | 3: a big-endian number without leading zeros, whose bit i is port 30000+i }
import { textAt, textOf } from "../../apimachinery/json/json.ts";
import { greatest } from "../../apimachinery/meta/lists.ts";
import type { PortRange } from "../../apimachinery/meta/port-range.ts";
import { encodeMessage } from "../endpoints/protobuf/codec.ts";
import {
  DELIMITED,
  decoding,
  newReader,
  newWriter,
  readFields,
  STRING,
} from "../endpoints/protobuf/value-types.ts";
import type { OpenedValue } from "./open-value.ts";

export const RANGE_ALLOCATION = "RangeAllocation";

export interface RangeAllocation {
  /** The --service-node-port-range of the server that wrote it. */
  readonly range: string;
  readonly data: Uint8Array;
}

/** Throws ProtobufDecodeError. */
export function readRangeAllocation({ identity, raw, read }: Omit<OpenedValue, "form">): RangeAllocation {
  if (raw === undefined) {
    const object = read(identity);
    return { range: textAt(object, "range"), data: Buffer.from(textAt(object, "data"), "base64") };
  }
  const reader = newReader(raw);
  const bytes = { wireType: DELIMITED, read: (): Uint8Array => reader.bytes() } as const;
  const [, ranges, datas] = decoding(undefined, () => readFields(reader, [bytes, STRING, bytes]));
  return { range: textOf(ranges?.at(-1)), data: (datas?.at(-1) ?? new Uint8Array()) as Uint8Array };
}

/** Empty fields of ObjectMeta that Go encodes nevertheless. */
const NO_METADATA = Buffer.from("0a0012001a0022002a00320038004200", "hex");

export function encodeRangeAllocation({ range, data }: RangeAllocation): Buffer {
  const writer = newWriter();
  writer.uint32(10).bytes(NO_METADATA).uint32(18).string(range).uint32(26).bytes(data);
  return encodeMessage({ apiVersion: "v1", kind: RANGE_ALLOCATION }, writer.finish());
}

/** The ports whose bits are set. */
export function portsIn(data: Uint8Array, { first, last }: PortRange): number[] {
  const ports: number[] = [];
  for (let port = first; port <= last; port++) {
    const bit = port - first;
    const byte = data[data.length - 1 - (bit >> 3)];
    if (byte === undefined) break;
    if ((byte & (1 << (bit & 7))) !== 0) ports.push(port);
  }
  return ports;
}

/** The bitmap of ports of the range. */
export function bitsOf(ports: readonly number[], { first }: PortRange): Uint8Array {
  const bits = ports.map((port) => port - first);
  const data = new Uint8Array((greatest(bits, -8) >> 3) + 1);
  for (const bit of bits) {
    const at = data.length - 1 - (bit >> 3);
    data[at] = (data[at] ?? 0) | (1 << (bit & 7));
  }
  return data;
}
