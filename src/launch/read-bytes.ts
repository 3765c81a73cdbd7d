// Reading files of megabytes one after the other. Memory that a process touches for the first time costs more than the
// reading itself, so that the next file may use what the one before has left.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** All of an open file: in `room` as far as that is large enough, else in memory of its own. */
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
