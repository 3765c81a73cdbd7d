// How the command ends: when what it has printed is written. process.exit by itself drops what a slow reader of a pipe has
// not taken yet, and half an export looks like a whole one.
const STREAMS = [process.stdout, process.stderr];

/** A reader that goes away early, such as head, is no failure. To be called before anything is printed. */
export function ignoreClosedPipe(): void {
  for (const stream of STREAMS) stream.on("error", () => {});
}

export function endProcess(code: number): void {
  let open = STREAMS.length;
  const written = (): void => {
    open--;
    if (open === 0) process.exit(code);
  };
  for (const stream of STREAMS) stream.write("", written);
}
