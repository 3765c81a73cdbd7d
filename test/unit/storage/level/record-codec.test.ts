import { describe, expect, test } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import {
  decodeRecord,
  encodeRecordKey,
  encodeRecordValue,
  RECORDS_FROM,
  RECORDS_TO,
} from "../../../../src/storage/level/record-codec.ts";
import type { KeyValue, StoreEvent } from "../../../../src/storage/store.ts";

function keyValue(createRevision: number, modRevision: number): KeyValue {
  const value = Buffer.from('{"kind":"Node"}');
  return {
    key: "/nodes/a",
    value,
    createRevision: toRevision(createRevision),
    modRevision: toRevision(modRevision),
  };
}

function encode(event: StoreEvent, ordinal = 0): [Buffer, Buffer] {
  const id = event.type === "put" ? { revision: event.kv.modRevision, key: event.kv.key } : event;
  const key = encodeRecordKey(id);
  return [key, encodeRecordValue(key, event, ordinal)];
}

const put: StoreEvent = { type: "put", kv: keyValue(7, 9), prev: undefined };

describe("the record codec", () => {
  test.each([1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1])("keeps a put at revision %i", (revision) => {
    const kv = keyValue(revision, revision);
    const record = decodeRecord(...encode({ type: "put", kv, prev: undefined }, 3));
    expect(record).toEqual({
      revision,
      ordinal: 3,
      key: kv.key,
      put: { createRevision: revision, value: kv.value },
    });
  });

  test("keeps a deletion", () => {
    const event: StoreEvent = {
      type: "delete",
      key: "/nodes/a",
      revision: toRevision(12),
      prev: keyValue(7, 9),
    };
    expect(decodeRecord(...encode(event, 1))).toEqual({
      revision: 12,
      ordinal: 1,
      key: "/nodes/a",
      put: undefined,
    });
  });

  test("orders records by revision, and all of them between its two bounds", () => {
    const keys = [1, 2, 255, 256, 2 ** 32, 2 ** 40].map((n) =>
      encodeRecordKey({ revision: toRevision(n), key: "/z" }),
    );
    const ordered = [RECORDS_FROM, ...keys, RECORDS_TO];
    expect([...ordered].sort(Buffer.compare)).toEqual(ordered);
  });

  test("refuses a record with any changed byte, in its key or its value", () => {
    const [key, value] = encode(put);
    for (const [bytes, other] of [
      [key, value],
      [value, key],
    ] as const) {
      for (let at = bytes === key ? 2 : 0; at < bytes.length; at++) {
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        expect(bytes === key ? decodeRecord(bytes, other) : decodeRecord(other, bytes)).toBeUndefined();
        bytes[at] = (bytes[at] ?? 0) ^ 1;
      }
    }
    expect(decodeRecord(key, value)).toBeDefined();
    expect(decodeRecord(key, value.subarray(0, 12))).toBeUndefined();
  });
});
