// A thread beside the server's: does the jobs that the server's thread must not be held by.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { decodeYamlJob } from "./apiserver/request/decode-yaml-job.ts";
import { readControlBodyJob } from "./control/read-body.ts";
import { setLevelsMax } from "./meta/levels.ts";
import { validateCustomJob } from "./registry/custom-resource.ts";
import { validateCrdJob } from "./resources/apiextensions.k8s.io/validate-crd-job.ts";
import { showChangeJob } from "./resources/core/pod/update/show-change.ts";
import type { ReadOrder } from "./server/reading-thread.ts";
import { lowerThreadPriority, serveJobs, type ThreadData } from "./workers/serve-jobs.ts";

if (parentPort === null) throw new Error("this is a worker thread");
lowerThreadPriority();
const { levels, order } = workerData as ThreadData; // worker-thread.ts gives it
setLevelsMax(levels);
if (order === undefined)
  serveJobs(parentPort, [
    decodeYamlJob,
    readControlBodyJob,
    validateCustomJob,
    validateCrdJob,
    showChangeJob,
  ]);
else void read(parentPort, order as ReadOrder); // read-import-file.ts gives it

/** Jobs need nothing of what this loads. */
async function read(port: MessagePort, given: ReadOrder): Promise<void> {
  const { serveReading } = await import("./server/reading-thread.ts");
  await serveReading(port, given);
}
