import { expect, test } from "vitest";
import { revisionHash, templateHash } from "../../../../src/cluster/workloads/hash.ts";
import { template } from "./support.ts";

const LETTERS = /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/;

test("a template has one hash, in whatever order its members come, and another one after a collision", () => {
  const { spec, metadata } = template();
  const hash = templateHash({ spec, metadata }, undefined);
  expect(hash).toMatch(LETTERS);
  expect(templateHash({ metadata, spec }, undefined)).toBe(hash);
  expect(templateHash(template("i:2"), undefined)).not.toBe(hash);
  expect(templateHash(template(), 0)).not.toBe(hash);
  expect(templateHash(template(), 1)).not.toBe(templateHash(template(), 0));
});

test("a revision is summed up byte by byte, with the collisions as digits behind it", () => {
  expect(revisionHash({ a: 1 }, undefined)).toBe(coded(fnv1('{"a":1}')));
  expect(revisionHash({ a: 1 }, 7)).toBe(coded(fnv1('{"a":1}7')));
});

/** FNV-1 with numbers of any length, beside the one with 32 bits. */
const fnv1 = (text: string): bigint =>
  [...text].reduce(
    (hash, letter) => ((hash * 16777619n) % 2n ** 32n) ^ BigInt(letter.charCodeAt(0)),
    2166136261n,
  );
const coded = (sum: bigint): string =>
  [...String(sum)].map((digit) => "bcdfghjklmnpqrstvwxz2456789"[digit.charCodeAt(0) % 27]).join("");
