// A worker thread: runs jobs that would block the server's event loop.
import { parentPort, workerData } from "node:worker_threads";
import { decodeYamlJob } from "./apiserver/request/decode-yaml-job.ts";
import { readControlBodyJob } from "./control/read-body.ts";
import { setLevelsMax } from "./meta/levels.ts";
import { validateCustomJob } from "./registry/custom-resource.ts";
import { validateCrdJob } from "./resources/apiextensions.k8s.io/validate-crd-job.ts";
import { showChangeJob } from "./resources/core/pod/update/show-change.ts";
import { lowerThreadPriority, serveJobs, type ThreadData } from "./workers/serve-jobs.ts";

if (parentPort === null) throw new Error("this is a worker thread");
lowerThreadPriority();
setLevelsMax((workerData as ThreadData).levels); // set by worker-thread.ts
serveJobs(parentPort, [decodeYamlJob, readControlBodyJob, validateCustomJob, validateCrdJob, showChangeJob]);
