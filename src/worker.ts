// A worker thread: runs jobs that would block the server's event loop.
import { parentPort, workerData } from "node:worker_threads";
import { setLevelsMax } from "./apimachinery/meta/max-nesting-depth.ts";
import { lowerThreadPriority, serveJobs, type ThreadData } from "./apimachinery/workers/serve-jobs.ts";
import { validateCrdJob } from "./apiserver/apiextensions/validate-crd-job.ts";
import { decodeYamlJob } from "./apiserver/endpoints/request/decode-yaml-job.ts";
import { validateCustomJob } from "./apiserver/registry/custom-resource.ts";
import { readControlBodyJob } from "./features/control-surface/read-body.ts";
import { showChangeJob } from "./kube/core/pod/update/show-change.ts";

if (parentPort === null) throw new Error("this is a worker thread");
lowerThreadPriority();
setLevelsMax((workerData as ThreadData).levels); // set by worker-thread.ts
serveJobs(parentPort, [decodeYamlJob, readControlBodyJob, validateCustomJob, validateCrdJob, showChangeJob]);
