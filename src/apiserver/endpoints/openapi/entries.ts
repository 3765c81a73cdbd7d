// Paths and schemas of OpenAPI documents, each encoded once. Documents are concatenated from their bytes: unchanged
// entries are copied, and not generated or encoded again.
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";

/** An encoded path or schema with its name. */
export interface Entry {
  readonly name: string;
  /** Once a document contains the entry, this is a slice of the document: there is only one copy. */
  bytes: Uint8Array;
  /** Whether documents share it: then it does not become a slice of one. */
  readonly isShared: boolean;
}

/** Represents an object with these members in a document. */
export class Entries {
  readonly list: readonly Entry[];

  constructor(list: readonly Entry[]) {
    this.list = list;
  }
}

/** Joins the bytes with yielding: some documents have more than 100 MB. */
export async function joined(pieces: readonly (Uint8Array | Entry)[]): Promise<Buffer> {
  let length = 0;
  for (const piece of pieces) length += bytesOf(piece).length;
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const piece of pieces) {
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    const bytes = bytesOf(piece);
    whole.set(bytes, at);
    const end = at + bytes.length;
    if ("name" in piece && !piece.isShared) piece.bytes = whole.subarray(at, end);
    at = end;
  }
  return whole;
}

export const bytesOf = (piece: Uint8Array | Entry): Uint8Array => ("name" in piece ? piece.bytes : piece);

/** Entries sorted at once. */
const RUN = 256;

/** Sorts by name, with yielding. */
export async function sortedByName(entries: Iterable<Entry>): Promise<readonly Entry[]> {
  let sorted = [...entries];
  for (let from = 0; from < sorted.length; from += RUN) {
    const run = sorted.slice(from, from + RUN).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, entry] of run.entries()) sorted[from + index] = entry;
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  for (let width = RUN; width < sorted.length; width *= 2) {
    const wider: Entry[] = [];
    for (let from = 0; from < sorted.length; from += 2 * width) {
      await merge(sorted, { from, middle: from + width, end: from + 2 * width }, wider);
    }
    sorted = wider;
  }
  return sorted;
}

/** Merges two adjacent runs, appending to `into`. */
async function merge(
  runs: readonly Entry[],
  { from, middle, end }: { readonly from: number; readonly middle: number; readonly end: number },
  into: Entry[],
): Promise<void> {
  let [left, right] = [from, middle];
  for (;;) {
    const a = left < middle ? runs[left] : undefined;
    const b = right < end ? runs[right] : undefined;
    const next = b === undefined || (a !== undefined && a.name < b.name) ? a : b;
    if (next === undefined) return;
    if (next === a) left++;
    else right++;
    into.push(next);
    if (into.length % RUN !== 0) continue;
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
}
