// Reads large files one after the other. Touching new memory costs more than the reading itself, so the next file may
// reuse the buffer of the one before.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Reads an open file completely, into the given buffer if that is large enough, else into a new one. */
export function readDescriptor(descriptor: number, room?: Buffer): Buffer {
  const { size } = fstatSync(descriptor);
  const bytes = room === undefined || room.length < size ? Buffer.allocUnsafeSlow(size) : room;
  let end = 0;
  while (end < size) {
    const count = readSync(descriptor, bytes, end, size - end, null);
    if (count === 0) break;
    end += count;
  }
  return bytes.subarray(0, end);
}

export function readBytes(file: string, room?: Buffer): Buffer {
  const descriptor = openSync(file, "r");
  try {
    return readDescriptor(descriptor, room);
  } finally {
    closeSync(descriptor);
  }
}
