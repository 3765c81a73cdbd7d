// Requests that differ in a number: the placeholders in their bytes have the length of their values, so that
// Content-Length stays right. wrk.lua fills them in the same way.
import { seqValue } from "../client/seq-mark.ts";

export interface Requests {
  /** The bytes of a request with its headers, without those that the server's access adds. */
  readonly text: string;
  /** The number of the first request; each further one has the next number. */
  readonly first?: number;
  /** The number of names, after which they repeat. */
  readonly names?: number;
}

/** The end of an object's name: the number modulo the number of names. */
export const NAME_MARK = "{{name}}";
/** The number itself. */
export const SEQ_MARK = "{{mark}}";
/** The last three octets of an address, unique for three million numbers. */
export const ADDRESS_MARK = "{{address}}";

const NAMES_MAX = 100_000_000;
const PARTS = 150;
const PART_FIRST = 100;
const MARKS = /(\{\{[a-z]+\}\})/;

export const namesOf = ({ names = NAMES_MAX }: Requests): number => names;

/** Throws for an unknown placeholder. */
export function filledIn(requests: Requests): (number: number) => string {
  const names = namesOf(requests);
  const pieces = requests.text.split(MARKS).map((piece, at) => (at % 2 === 0 ? piece : wayOf(piece, names)));
  return (number) => pieces.map((piece) => (typeof piece === "string" ? piece : piece(number))).join("");
}

function wayOf(mark: string, names: number): (number: number) => string {
  switch (mark) {
    case NAME_MARK:
      return (number) => seqValue(number % names);
    case SEQ_MARK:
      return seqValue;
    case ADDRESS_MARK:
      return addressEnd;
    default:
      throw new Error(`there is no mark ${mark}`);
  }
}

function addressEnd(number: number): string {
  const parts = [Math.floor(number / PARTS ** 2), Math.floor(number / PARTS), number];
  return parts.map((part) => PART_FIRST + (part % PARTS)).join(".");
}
