// Inputs derived from valid ones by random changes: bits, numbers that may be lengths, truncations, repetitions, parts of
// other inputs, and tokens of the parser's grammar. The same seed gives the same inputs.
import type { Random } from "../../support/random.ts";

/** Longer inputs are truncated: worse than linear cost is visible at this size. */
export const INPUT_BYTES_MAX = 128 * 1024;
const CHANGES_MAX = 6;
/** The most repetitions of a part. */
const TIMES_MAX = 20_000;

const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const DIGITS = [
  "0",
  "-1",
  "9",
  "1000",
  "2147483648",
  "9223372036854775808",
  "1e400",
  "99999999999999999999999",
];

type Change = (input: Buffer, random: Random, corpus: readonly Uint8Array[]) => Buffer;

/** An offset in the input, its end included. */
const placeIn = (input: Buffer, random: Random): number => random.below(input.length + 1);

const replaced = (input: Buffer, at: number, length: number, by: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, at), by, input.subarray(at + length)]);

const overwritten = (input: Buffer, at: number, bytes: Uint8Array): Buffer =>
  replaced(input, at, bytes.length, bytes).subarray(0, Math.max(input.length, at + bytes.length));

function partOf(input: Uint8Array, random: Random, max = input.length): Uint8Array {
  const start = random.below(input.length + 1);
  return input.subarray(start, start + random.below(Math.min(max, input.length - start) + 1));
}

function numberBytes(random: Random): Buffer {
  const number = random.one(NUMBERS);
  const bytes = Buffer.alloc(random.one([1, 2, 4, 8]));
  const small = number % 2 ** (8 * Math.min(bytes.length, 4));
  const width = Math.min(bytes.length, 4);
  if (random.chance(0.5)) bytes.writeUIntLE(small, 0, width);
  else bytes.writeUIntBE(small, bytes.length - width, width);
  return bytes;
}

const CHANGES: readonly Change[] = [
  (input, random) => {
    const out = Buffer.from(input);
    for (let left = 1 + random.below(4); left > 0 && out.length > 0; left--) {
      const at = random.below(out.length);
      out[at] = (out[at] ?? 0) ^ (1 << random.below(8));
    }
    return out;
  },
  (input, random) => overwritten(input, placeIn(input, random), Buffer.from([random.below(256)])),
  (input, random) => overwritten(input, placeIn(input, random), numberBytes(random)),
  (input, random) => replaced(input, placeIn(input, random), 0, Buffer.from(random.one(DIGITS))),
  (input, random) => input.subarray(0, placeIn(input, random)),
  (input, random) => input.subarray(random.below(Math.min(input.length, 16) + 1)),
  (input, random) => replaced(input, placeIn(input, random), random.below(16), Buffer.alloc(0)),
  (input, random) => replaced(input, placeIn(input, random), 0, partOf(input, random)),
  (input, random, corpus) =>
    replaced(input, placeIn(input, random), random.below(8), partOf(random.one(corpus), random)),
  (input, random) => replaced(input, placeIn(input, random), 0, repeated(partOf(input, random, 24), random)),
];

function repeated(part: Uint8Array, random: Random): Buffer {
  const most = random.chance(0.2) ? TIMES_MAX : 20;
  const times = Math.min(1 + random.below(most), Math.floor(INPUT_BYTES_MAX / Math.max(part.length, 1)));
  return Buffer.alloc(part.length * times, part.length === 0 ? 0 : part);
}

/** Returns a mutated input of the corpus. */
export function mutate(random: Random, corpus: readonly Uint8Array[], tokens: readonly string[]): Buffer {
  let input: Buffer = Buffer.from(random.one(corpus));
  for (let left = 1 + random.below(CHANGES_MAX); left > 0; left--) {
    if (tokens.length > 0 && random.chance(0.4)) {
      const token = Buffer.from(random.one(tokens));
      const part = random.chance(0.2) ? repeated(token, random) : token;
      input = replaced(input, placeIn(input, random), random.below(4), part);
    } else input = random.one(CHANGES)(input, random, corpus);
    if (input.length > INPUT_BYTES_MAX) input = input.subarray(0, INPUT_BYTES_MAX);
  }
  return input;
}
