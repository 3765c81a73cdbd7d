import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../../../src/apimachinery/workers/serve-jobs.ts", import.meta.url).href;

test.skipIf(process.platform !== "linux")(
  "a thread that gives way has a lower priority, and its process keeps the usual one",
  async () => {
    const thread = `import { readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))};
register();
const { lowerThreadPriority } = await import(${JSON.stringify(MODULE)});
lowerThreadPriority();
parentPort.postMessage(getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1))));`;
    const main = `import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
const url = new URL("data:text/javascript," + encodeURIComponent(${JSON.stringify(thread)}));
new Worker(url).on("message", (priority) => console.log(priority - getPriority()));`;
    const args = ["--import", "tsx", "--input-type=module", "-e", main];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe("10\n");
  },
);
