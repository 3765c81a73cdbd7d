// Messages of etcd's API (etcdserverpb, version 3): the requests and responses that are used here, with the fields that
// are read. Field numbers are those of etcd's rpc.proto and kv.proto, which never change.
import protobuf from "protobufjs/minimal.js";

type Reader = protobuf.Reader;
type Writer = protobuf.Writer;

export interface EtcdKeyValue {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** How many times it was written since it was created. */
  readonly version: number;
  readonly value: Uint8Array;
}

/** A put or a deletion. A deletion has no value, and its modRevision is that of the deletion. */
export interface EtcdEvent {
  readonly isDelete: boolean;
  readonly kv: EtcdKeyValue;
}

export interface RangeRequest {
  readonly key: string;
  /** Left out: that key alone. */
  readonly rangeEnd?: string;
  /** 0 or left out: all. */
  readonly limit?: number;
  /** Left out: the newest revision, as a linearizable read. */
  readonly revision?: number;
}

export interface RangeResponse {
  readonly revision: number;
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
}

/** The expected state of a key: its last mod revision, or its version (writes since its creation); 0: it is absent. */
export type Compare =
  | { readonly key: string; readonly modRevision: number }
  | { readonly key: string; readonly version: number };

export type WriteOp =
  /** The lease as etcd has granted it; the key is deleted when it expires. */
  | {
      readonly type: "put";
      readonly key: string;
      readonly value: Uint8Array;
      readonly lease?: Lease | undefined;
    }
  | { readonly type: "delete"; readonly key: string };

/** A lease ID can exceed the range of a JavaScript number: its bytes as they were read. */
export type Lease = protobuf.Long;

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly WriteOp[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
}

/** Creates a watch. */
export interface WatchRequest {
  readonly key: string;
  readonly rangeEnd: string;
  readonly startRevision: number;
}

export interface WatchResponse {
  readonly created: boolean;
  readonly canceled: boolean;
  /** Greater than 0: the start revision is compacted, and this is the oldest that can be watched. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly events: readonly EtcdEvent[];
}

/** The smallest possible key; as the end of a range: all keys from its start on. */
export const FIRST_ETCD_KEY = "\0";

/** The revision of an etcd without any write. */
export const FIRST_ETCD_REVISION = 1;

const BYTES = 2;
const VARINT = 0;
const tag = (field: number, type: number): number => (field << 3) | type;

// Default values (an empty list, "", 0, false) are not encoded, as proto3 requires.

const text = (writer: Writer, field: number, value: string): Writer =>
  value === "" ? writer : writer.uint32(tag(field, BYTES)).string(value);
const number = (writer: Writer, field: number, value: number): Writer =>
  value === 0 ? writer : writer.uint32(tag(field, VARINT)).int64(value);

function message(writer: Writer, field: number, write: (writer: Writer) => void): Writer {
  write(writer.uint32(tag(field, BYTES)).fork());
  return writer.ldelim();
}

const encoded = (write: (writer: Writer) => void): Buffer => {
  const writer = protobuf.Writer.create();
  write(writer);
  return asBuffer(writer.finish());
};

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const encodeRange = ({ key, rangeEnd = "", limit = 0, revision = 0 }: RangeRequest): Buffer =>
  encoded((writer) => {
    text(writer, 1, key);
    text(writer, 2, rangeEnd);
    number(writer, 3, limit);
    number(writer, 4, revision);
  });

/** Target of a comparison, and the field of its operand. The result is 0: equal. */
const VERSION = { target: 0, field: 4 };
const MOD = { target: 2, field: 6 };

export const encodeTxn = ({ compare, success }: TxnRequest): Buffer =>
  encoded((writer) => {
    for (const expected of compare) {
      const isVersion = "version" in expected;
      const { target, field } = isVersion ? VERSION : MOD;
      message(writer, 1, (part) => {
        number(part, 2, target);
        text(part, 3, expected.key);
        // The chosen member of a oneof is encoded even if it is 0.
        part.uint32(tag(field, VARINT)).int64(isVersion ? expected.version : expected.modRevision);
      });
    }
    for (const op of success) message(writer, 2, (part) => writeOp(part, op));
  });

function writeOp(writer: Writer, op: WriteOp): void {
  if (op.type === "delete") {
    message(writer, 3, (part) => text(part, 1, op.key));
    return;
  }
  message(writer, 2, (part) => {
    text(part, 1, op.key);
    if (op.value.length > 0) part.uint32(tag(2, BYTES)).bytes(op.value);
    if (op.lease !== undefined) part.uint32(tag(3, VARINT)).int64(op.lease);
  });
}

export const encodeWatch = ({ key, rangeEnd, startRevision }: WatchRequest): Buffer =>
  encoded((writer) => {
    message(writer, 1, (part) => {
      text(part, 1, key);
      text(part, 2, rangeEnd);
      number(part, 3, startRevision);
    });
  });

export const encodeCompaction = (revision: number): Buffer =>
  encoded((writer) => number(writer, 1, revision));
export const encodeLeaseGrant = (ttlSeconds: number): Buffer =>
  encoded((writer) => number(writer, 1, ttlSeconds));
export const encodeStatus = (): Buffer => Buffer.alloc(0);
export const encodeAuthenticate = ({
  user,
  password,
}: {
  readonly user: string;
  readonly password: string;
}): Buffer =>
  encoded((writer) => {
    text(writer, 1, user);
    text(writer, 2, password);
  });

/** Reads the fields of a message; fields that `read` does not accept are skipped. */
function fields(reader: Reader, read: (field: number, reader: Reader) => boolean, end = reader.len): void {
  while (reader.pos < end) {
    const head = reader.uint32();
    if (!read(head >>> 3, reader)) reader.skipType(head & 7);
  }
}

const endOf = (reader: Reader): number => {
  const length = reader.uint32();
  return reader.pos + length;
};

const WORD = 2 ** 32;

/** Revisions, counts and sizes are far below 2^53. */
const numberOf = (reader: Reader): number => {
  const value = reader.int64() as number | Lease; // an object where the value may exceed a number
  return typeof value === "number" ? value : value.high * WORD + (value.low >>> 0);
};

type Changeable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The revision in a response header. */
function readRevision(reader: Reader): number {
  let revision = 0;
  const read = (field: number): boolean => {
    if (field !== 3) return false;
    revision = numberOf(reader);
    return true;
  };
  fields(reader, read, endOf(reader));
  return revision;
}

const NO_KEY: EtcdKeyValue = {
  key: "",
  createRevision: 0,
  modRevision: 0,
  version: 0,
  value: new Uint8Array(),
};

function readKeyValue(reader: Reader): EtcdKeyValue {
  const kv: Changeable<EtcdKeyValue> = { ...NO_KEY };
  const read = (field: number): boolean => {
    if (field === 1) kv.key = reader.string();
    else if (field === 2) kv.createRevision = numberOf(reader);
    else if (field === 3) kv.modRevision = numberOf(reader);
    else if (field === 4) kv.version = numberOf(reader);
    else if (field === 5) kv.value = reader.bytes();
    else return false;
    return true;
  };
  fields(reader, read, endOf(reader));
  return kv;
}

function readEvent(reader: Reader): EtcdEvent {
  let isDelete = false;
  let kv = NO_KEY;
  const read = (field: number): boolean => {
    if (field === 1) isDelete = reader.int32() === 1;
    else if (field === 2) kv = readKeyValue(reader);
    else return false;
    return true;
  };
  fields(reader, read, endOf(reader));
  return { isDelete, kv };
}

export function decodeRange(bytes: Buffer): RangeResponse {
  const reader = protobuf.Reader.create(bytes);
  const answer = { revision: 0, kvs: [] as EtcdKeyValue[], more: false };
  fields(reader, (field) => {
    if (field === 1) answer.revision = readRevision(reader);
    else if (field === 2) answer.kvs.push(readKeyValue(reader));
    else if (field === 3) answer.more = reader.bool();
    else return false;
    return true;
  });
  return answer;
}

export function decodeTxn(bytes: Buffer): TxnResponse {
  const reader = protobuf.Reader.create(bytes);
  const answer = { revision: 0, succeeded: false };
  fields(reader, (field) => {
    if (field === 1) answer.revision = readRevision(reader);
    else if (field === 2) answer.succeeded = reader.bool();
    else return false;
    return true;
  });
  return answer;
}

export function decodeWatch(bytes: Buffer): WatchResponse {
  const reader = protobuf.Reader.create(bytes);
  const events: EtcdEvent[] = [];
  const answer = {
    ...{ created: false, canceled: false, compactRevision: 0, cancelReason: "", events },
  };
  fields(reader, (field) => {
    if (field === 3) answer.created = reader.bool();
    else if (field === 4) answer.canceled = reader.bool();
    else if (field === 5) answer.compactRevision = numberOf(reader);
    else if (field === 6) answer.cancelReason = reader.string();
    else if (field === 11) events.push(readEvent(reader));
    else return false;
    return true;
  });
  return answer;
}

/** Returns the lease ID. */
export function decodeLeaseGrant(bytes: Buffer): Lease {
  const reader = protobuf.Reader.create(bytes);
  let id: Lease | undefined;
  fields(reader, (field) => {
    if (field !== 2) return false;
    id = reader.int64();
    return true;
  });
  if (id === undefined) throw new TypeError("etcd has granted a lease without a number");
  return id;
}

export function decodeToken(bytes: Buffer): string {
  const reader = protobuf.Reader.create(bytes);
  let token = "";
  fields(reader, (field) => {
    if (field !== 2) return false;
    token = reader.string();
    return true;
  });
  return token;
}

/** Returns the database size from a status response. */
export function decodeSize(bytes: Buffer): number {
  const reader = protobuf.Reader.create(bytes);
  let size = 0;
  fields(reader, (field) => {
    if (field !== 3) return false;
    size = numberOf(reader);
    return true;
  });
  return size;
}

/** Returns the revision of any response. */
export function decodeRevision(bytes: Buffer): number {
  return decodeTxn(bytes).revision;
}
