// A byte stream with lookahead.

/** Reads a stream of chunks of any size. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** So many bytes without consuming them; fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    const parts = [this.#rest];
    let length = this.#rest.length;
    while (length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      length += value.byteLength;
    }
    if (parts.length > 1) this.#rest = Buffer.concat(parts);
    return this.#rest.subarray(0, count);
  }

  /** Fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const taken = await this.peek(count);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** False if the stream ends before. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0) {
      const part = await this.take(Math.min(left, 1 << 16));
      if (part.length === 0) return false;
      left -= part.length;
    }
    return true;
  }

  /** The rest of the stream in its chunks. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let part = await this.take(1 << 16); part.length > 0; part = await this.take(1 << 16)) yield part;
  }
}
