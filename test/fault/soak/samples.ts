// Samples of a server under load: memory, the size of its folder, and its metrics about limits.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export interface SoakSample {
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly folderBytes: number;
  readonly watches: number;
  readonly watchesDropped: number;
  readonly requestsRefused: number;
}

export async function takeSample(url: string, folder: string): Promise<SoakSample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    if (line === undefined) throw new Error(`there is no figure ${name}`);
    return Number(line.slice(name.length + 1));
  };
  return {
    heapBytes: figure("nodejs_heap_size_used_bytes"),
    residentBytes: figure("process_resident_memory_bytes"),
    folderBytes: await sizeOf(folder),
    watches: figure("egret_store_watches"),
    watchesDropped: figure("egret_store_watches_dropped_total"),
    requestsRefused: figure('apiserver_dropped_requests_total{request_kind="mutating"}'),
  };
}

/** Files appear and disappear while they are counted. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

type Bytes = "heapBytes" | "residentBytes" | "folderBytes";

/** The increase of a counter in the second third of the time, and in the last one. */
export function advanceOf(counts: readonly number[]): { readonly before: number; readonly after: number } {
  const third = Math.floor(counts.length / 3);
  const [start = 0, middle = 0, end = 0] = [third, 2 * third, 3 * third - 1].map((index) => counts[index]);
  return { before: middle - start, after: end - middle };
}

/**
 * A value is flat when it does not grow from the second third of the time to the last one, apart from momentary peaks. For
 * the heap the lowest value of a third counts, which is the one after a garbage collection.
 */
export function growthOf(
  samples: readonly SoakSample[],
  what: Bytes,
): { readonly before: number; readonly after: number } {
  const third = Math.floor(samples.length / 3);
  const take = what === "folderBytes" ? Math.max : Math.min;
  const of = (part: readonly SoakSample[]) => take(...part.map((sample) => sample[what]));
  return { before: of(samples.slice(third, 2 * third)), after: of(samples.slice(2 * third)) };
}
