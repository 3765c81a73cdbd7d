// How long other clients wait while a server is busy with a request.

const PAUSE_MS = 10;

export interface Gauged<T> {
  readonly result: T;
  /** The longest GET that was sent while the work was under way, in milliseconds. */
  readonly longestGetMs: number;
  readonly gets: number;
}

/** Does the work while another client GETs the path every 10 ms. */
export async function gaugeStall<T>(url: string, work: () => Promise<T>): Promise<Gauged<T>> {
  let longestGetMs = 0;
  let gets = 0;
  let isDone = false;
  const get = async (): Promise<void> => {
    const start = performance.now();
    await (await fetch(url)).arrayBuffer();
    longestGetMs = Math.max(longestGetMs, performance.now() - start);
    gets++;
  };
  await get();
  longestGetMs = 0; // the first one opened the connection
  const getting = (async () => {
    while (!isDone) {
      await get();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  try {
    return { result: await work(), longestGetMs, gets };
  } finally {
    isDone = true;
    await getting;
  }
}
