import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../../src/apimachinery/meta/ids.ts";
import { loadSecretbox } from "../../../../src/apiserver/encryption/secretbox.ts";
import {
  aesCbc,
  aesGcm,
  byPrefix,
  identity,
  type MakeTransformer,
  TransformError,
} from "../../../../src/apiserver/encryption/transformers.ts";

const KEY = "/registry/secrets/shop/a";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const secretBox = await loadSecretbox();

const MAKERS: [name: string, make: MakeTransformer, keyBytes: number, more: (bytes: number) => number][] = [
  ["aescbc", aesCbc, 16, (bytes) => 16 + bytes + 16 - (bytes % 16)],
  ["aescbc", aesCbc, 32, (bytes) => 16 + bytes + 16 - (bytes % 16)],
  ["aesgcm", aesGcm, 16, (bytes) => 12 + bytes + 16],
  ["aesgcm", aesGcm, 24, (bytes) => 12 + bytes + 16],
  ["aesgcm", aesGcm, 32, (bytes) => 12 + bytes + 16],
  ["secretbox", secretBox, 32, (bytes) => 24 + bytes + 16],
];

describe.each(MAKERS)("%s", (name, make, keyBytes, lengthOf) => {
  const transformer = make(Buffer.alloc(keyBytes, 7), systemRandom);

  test(`with a key of ${keyBytes} bytes gives back what was written, never twice as the same`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const stored = transformer.toStorage(KEY, bytes);
        expect(stored).toHaveLength(lengthOf(bytes.length));
        expect(hex(transformer.fromStorage(KEY, stored).bytes)).toBe(hex(bytes));
        expect(hex(transformer.toStorage(KEY, bytes))).not.toBe(hex(stored));
      }),
    );
  });

  test(`with a key of ${keyBytes} bytes any other bytes are refused or, by AES-CBC alone, read as others`, () => {
    const damage = fc.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }), end: fc.option(fc.nat()) });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), damage, (bytes, { at, bit, end }) => {
        const stored = Buffer.from(transformer.toStorage(KEY, bytes));
        stored[at % stored.length] = (stored[at % stored.length] ?? 0) ^ (1 << bit);
        const cut = end === null ? stored : stored.subarray(0, end % stored.length);
        try {
          expect(hex(transformer.fromStorage(KEY, cut).bytes)).not.toBe(hex(bytes));
          expect(name).toBe("aescbc");
        } catch (error) {
          if (!(error instanceof TransformError)) throw error;
        }
      }),
    );
  });
});

test("a value of aesgcm belongs to its key in etcd", () => {
  const transformer = aesGcm(Buffer.alloc(32, 1), systemRandom);
  const stored = transformer.toStorage(KEY, Buffer.from("x"));
  expect(() => transformer.fromStorage(`${KEY}b`, stored)).toThrow("cipher: message authentication failed");
});

test("aescbc and aesgcm have the forms that were described", () => {
  const [key, iv] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];
  const cbc = createCipheriv("aes-256-cbc", key, iv);
  const cbcData = Buffer.concat([iv, cbc.update("a text"), cbc.final()]);
  expect(Buffer.from(aesCbc(key, systemRandom).fromStorage(KEY, cbcData).bytes).toString()).toBe("a text");
  const nonce = Buffer.alloc(12, 3);
  const gcm = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(KEY));
  const gcmData = Buffer.concat([nonce, gcm.update("a text"), gcm.final(), gcm.getAuthTag()]);
  expect(Buffer.from(aesGcm(key, systemRandom).fromStorage(KEY, gcmData).bytes).toString()).toBe("a text");
});

test("secretbox is NaCl's: the example of its documents", () => {
  const key = Buffer.from("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389", "hex");
  const nonce = Buffer.from("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37", "hex");
  const text =
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705";
  const box =
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5";
  const transformer = secretBox(key, (bytes) => bytes.set(nonce));
  const stored = hex(nonce) + box;
  expect(hex(transformer.toStorage(KEY, Buffer.from(text, "hex")))).toBe(stored);
  expect(hex(transformer.fromStorage(KEY, Buffer.from(stored, "hex")).bytes)).toBe(text);
});

describe("aescbc refuses", () => {
  const key = Buffer.alloc(16, 1);
  const transformer = aesCbc(key, systemRandom);
  const padded = (last: readonly number[]): Buffer => {
    const cipher = createCipheriv("aes-128-cbc", key, Buffer.alloc(16)).setAutoPadding(false);
    const block = Buffer.alloc(16);
    block.set(last, 16 - last.length);
    return Buffer.concat([Buffer.alloc(16), cipher.update(block), cipher.final()]);
  };
  test.each([
    ["too few bytes", Buffer.alloc(15), "the stored data was shorter than the required size"],
    ["a part of a block", Buffer.alloc(40), "the stored data is not a multiple of the block size"],
    ["no block", Buffer.alloc(16), "invalid PKCS7 data (empty or not padded)"],
    ["a padding of nothing", padded([0]), "invalid PKCS7 data (empty or not padded)"],
    ["a padding that is longer than all", padded([17]), "invalid PKCS7 data (empty or not padded)"],
    ["a padding of different bytes", padded([1, 2, 3]), "invalid padding on input"],
  ])("%s", (_what, bytes, message) => {
    expect(() => transformer.fromStorage(KEY, bytes)).toThrow(new TransformError(message));
  });
});

describe("several providers", () => {
  const [one, two] = [1, 2].map((byte) => aesGcm(Buffer.alloc(32, byte), systemRandom));
  if (one === undefined || two === undefined) throw new Error("there are two");
  const text = Buffer.from("{}");
  const named = (name: string, transformer: typeof one) => ({ prefix: `k8s:enc:${name}:`, transformer });
  const plain = { prefix: "", transformer: identity };

  test("the first writes, and what another has written is stale", () => {
    const before = byPrefix([named("a", one)], "none");
    const after = byPrefix([named("b", two), named("a", one), plain], "none");
    const stored = before.toStorage(KEY, text);
    expect(Buffer.from(stored).toString("latin1")).toMatch(/^k8s:enc:a:/);
    expect(before.fromStorage(KEY, stored)).toMatchObject({ isStale: false });
    expect(after.fromStorage(KEY, stored)).toEqual({ bytes: text, isStale: true });
    expect(after.fromStorage(KEY, text)).toEqual({ bytes: text, isStale: true });
    expect(Buffer.from(after.toStorage(KEY, text)).toString("latin1")).toMatch(/^k8s:enc:b:/);
  });

  test("of the same prefix are tried one after the other", () => {
    const stored = byPrefix([named("a", one)], "none").toStorage(KEY, text);
    const both = byPrefix([named("a", two), named("a", one)], "none");
    expect(both.fromStorage(KEY, stored)).toEqual({ bytes: text, isStale: true });
    const neither = byPrefix([named("a", two), named("a", two)], "none");
    expect(() => neither.fromStorage(KEY, stored)).toThrow("cipher: message authentication failed");
  });

  test("identity before them reads what they wrote, and alone it refuses", () => {
    const stored = byPrefix([named("a", one)], "none").toStorage(KEY, text);
    expect(byPrefix([plain, named("a", one)], "none").fromStorage(KEY, stored)).toEqual({
      bytes: text,
      isStale: true,
    });
    expect(() => byPrefix([plain], "none").fromStorage(KEY, stored)).toThrow(new TransformError("none"));
    expect(() => identity.fromStorage(KEY, stored)).toThrow(
      "identity transformer tried to read encrypted data",
    );
    expect(() => byPrefix([named("a", one)], "none").fromStorage(KEY, text)).toThrow(
      new TransformError("none"),
    );
  });
});
