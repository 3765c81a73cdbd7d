// Requests that differ in a number: marks in their bytes are as long as what is put in their place, so that the length of
// the body stays true. wrk.lua fills them in the same way.
import { seqValue } from "../client/seq-mark.ts";

export interface Requests {
  /** The bytes of a request with its headers, but for those that the server's access adds. */
  readonly text: string;
  /** The number of the first; each has the next one. */
  readonly first?: number;
  /** After so many numbers the names begin again. */
  readonly names?: number;
}

/** The name of an object ends with it: the number, of as many as there are names. */
export const NAME_MARK = "{{name}}";
/** The number itself. */
export const SEQ_MARK = "{{mark}}";
/** The last three parts of an address, which is its own for three million numbers. */
export const ADDRESS_MARK = "{{address}}";

const NAMES_MAX = 100_000_000;
const PARTS = 150;
const PART_FIRST = 100;
const MARKS = /(\{\{[a-z]+\}\})/;

export const namesOf = ({ names = NAMES_MAX }: Requests): number => names;

/** Throws for a mark that is not known. */
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
