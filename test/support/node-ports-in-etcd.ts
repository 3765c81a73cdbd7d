// Reads and writes the node-port allocation bitmap in etcd as a kube-apiserver stores it, byte by byte and without Egret's
// code.
import type { Etcd } from "./etcd.ts";

export const NODE_PORTS = "/registry/ranges/servicenodeports";
const FIRST = 30_000;

/** The magic number, the type, and the bytes before the message's length. */
const HEAD = Buffer.from("6b3873000a150a02763112" + "0f52616e6765416c6c6f636174696f6e" + "12", "hex");
const METADATA = Buffer.from("0a100a0012001a0022002a00320038004200", "hex");
const TAIL = Buffer.from("1a002200", "hex");

const varint = (value: number): Buffer =>
  Buffer.from(value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const field = (tag: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes]);

/** The value that a kube-apiserver stores for that range and those ports. */
export function allocationOf(ports: readonly number[], range = "30000-32767"): Buffer {
  let bits = 0n;
  for (const port of ports) bits |= 1n << BigInt(port - FIRST);
  const hex = bits === 0n ? "" : bits.toString(16);
  const data = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const message = Buffer.concat([METADATA, field(0x12, Buffer.from(range)), field(0x1a, data)]);
  return Buffer.concat([HEAD, varint(message.length), message, TAIL]);
}

/** The allocated ports in order. Fails if the value differs in any byte from a kube-apiserver's for these ports. */
export async function portsInEtcd(etcd: Etcd): Promise<number[]> {
  const value = await etcd.get(NODE_PORTS);
  if (value === undefined) return [];
  const from = value.indexOf("30000-32767") + "30000-32767".length + 1;
  const long = (value[from] ?? 0) >= 128;
  const data = value.subarray(from + (long ? 2 : 1), value.length - TAIL.length);
  const bits = data.length === 0 ? 0n : BigInt(`0x${data.toString("hex")}`);
  const ports: number[] = [];
  for (let port = FIRST; port <= 32_767; port++) {
    if ((bits >> BigInt(port - FIRST)) & 1n) ports.push(port);
  }
  if (!allocationOf(ports).equals(value)) throw new Error(`no RangeAllocation: ${value.toString("hex")}`);
  return ports;
}
