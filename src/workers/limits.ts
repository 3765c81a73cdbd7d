// The limits of the work that is done beside the server's thread, and the answers of a real server to those who exceed
// them.
import { entityTooLarge, failure, type StatusError, timeout, tooManyRequests } from "../meta/status.ts";

/** Jobs that wait for a thread, and hold their input meanwhile: at most 3 MB each. */
export const QUEUE_MAX = 32;
/** A real server gives up a request after a minute: waiting for a thread counts. */
export const WAIT_AND_WORK_MS_MAX = 60_000;
/** So that one request cannot take a thread from the others for that long. */
export const WORK_MS_MAX = 30_000;
/** The heap of a thread; a job that needs more ends its thread, and not the server. */
export const HEAP_MB_MAX = 256;
/** The stack of a thread: 10,000 levels can be walked on it, as on that of the server. */
export const STACK_MB = 16;
/** A thread without work ends after so long, and gives its memory back. */
export const IDLE_MS_MAX = 10_000;
/** Schemas and the like that one thread keeps. */
export const KEPT_MAX = 8;
/** The server's own thread needs a processor, too. */
export const THREADS_MAX = 4;

const RETRY_AFTER_SECONDS = 1;

export const tooMuchWaiting = (): StatusError =>
  tooManyRequests("too many requests, please try again later", RETRY_AFTER_SECONDS);

export const tookTooLong = (): StatusError =>
  timeout("Timeout: request did not complete within requested timeout - context deadline exceeded", 0);

export const tooMuchMemory = (heapMb: number): StatusError =>
  entityTooLarge(`Request entity too large: it takes more than ${heapMb} MB of memory to work on it`);

export const shuttingDown = (): StatusError =>
  failure({ code: 503, reason: "ServiceUnavailable", message: "apiserver is shutting down" });
