// Limits of one source: a few bytes can unpack to more than any machine holds, and can refer to the same bytes many
// times. The defaults are far above the dumps of clusters with 10,000 nodes; each has a flag.
import { SourceError } from "./source.ts";

export interface SourceLimits {
  /** Total bytes of a source, unpacked. */
  readonly unpackedBytesMax: number;
  /** Bytes of one document, object or list that can only be read as a whole. */
  readonly documentBytesMax: number;
  /** Files of a folder, entries of an archive. */
  readonly entriesMax: number;
  /** Maximum ratio of unpacked to packed size, beyond RATIO_FREE_BYTES. */
  readonly ratioMax: number;
}

export const MEGABYTE = 1024 * 1024;

export const DEFAULT_LIMITS: SourceLimits = {
  unpackedBytesMax: 8192 * MEGABYTE,
  documentBytesMax: 400 * MEGABYTE,
  entriesMax: 1_000_000,
  ratioMax: 250,
};

/** The ratio does not apply below this unpacked size. */
const RATIO_FREE_BYTES = 64 * MEGABYTE;
/** No tool creates longer paths in an archive. */
export const PATH_BYTES_MAX = 4096;

/** The flag that raises each limit, for messages. */
const FLAGS: Readonly<Record<keyof SourceLimits, string>> = {
  unpackedBytesMax: "--import-unpacked-mb",
  documentBytesMax: "--import-document-mb",
  entriesMax: "--import-entries",
  ratioMax: "--import-ratio",
};

const shown = (limit: keyof SourceLimits, value: number): string =>
  limit.endsWith("BytesMax") ? `${Math.floor(value / MEGABYTE)} MB` : String(value);

/** "it has more than 8192 MB unpacked; --import-unpacked-mb raises the limit" */
export function exceeded(limits: SourceLimits, limit: keyof SourceLimits, what: string): SourceError {
  return new SourceError(`${what} ${shown(limit, limits[limit])}; ${FLAGS[limit]} raises the limit`);
}

/** Accounts the cost of one source. Throws SourceError as soon as a limit is exceeded. */
export class SourceBudget {
  readonly limits: SourceLimits;
  #unpacked = 0;
  #entries = 0;

  constructor(limits: SourceLimits = DEFAULT_LIMITS) {
    this.limits = limits;
  }

  /** Adds bytes that were read, unpacked. */
  unpacked(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > this.limits.unpackedBytesMax)
      throw exceeded(this.limits, "unpackedBytesMax", "it unpacks to more than");
  }

  entry(count = 1): void {
    this.#entries += count;
    if (this.#entries > this.limits.entriesMax)
      throw exceeded(this.limits, "entriesMax", "it has more entries than");
  }

  /** Checks the ratio of actual or declared sizes. */
  ratio(packed: number, unpacked: number): void {
    if (unpacked > RATIO_FREE_BYTES && unpacked > packed * this.limits.ratioMax)
      throw exceeded(this.limits, "ratioMax", "it unpacks to more times its own size than");
  }
}

/** Passes chunks on and counts them. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}
