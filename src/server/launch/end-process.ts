// Ends the command once its output is written. process.exit alone drops what a slow reader of a pipe has not consumed
// yet, so a truncated export would look complete.
const STREAMS = [process.stdout, process.stderr];

/** A reader that closes the pipe early, such as head, is no error. Must be called before anything is printed. */
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
