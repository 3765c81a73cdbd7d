// Reads a file that was sent in a thread of its own, with memory of its own: a file that unpacks or parses to more than that ends
// the thread and not the server, and nothing waits while it is parsed.
import type { Worker } from "node:worker_threads";
import type { FileReader } from "../control/standing/import-file.ts";
import { badRequest, entityTooLarge, failure, internalServerError } from "../meta/status.ts";
import type { SourceLimits } from "../sources/limits.ts";
import { isOutOfMemory, startWorker } from "../workers/worker-thread.ts";
import type { ReadOrder, ReadReport } from "./reading-thread.ts";

export interface ReadingLimits {
  readonly source: SourceLimits;
  readonly memoryMb: number;
}

export const fileReader =
  ({ source: limits, memoryMb }: ReadingLimits): FileReader =>
  (path, { signal, take }) =>
    new Promise((resolve, reject) => {
      const worker = startWorker(memoryMb, { path, limits } satisfies ReadOrder);
      const end = (settle: () => void): void => {
        signal?.removeEventListener("abort", onGone);
        settle();
        void worker.terminate();
      };
      const onGone = () => end(() => reject(clientGone()));
      if (signal?.aborted) return onGone();
      signal?.addEventListener("abort", onGone, { once: true });
      worker.on("error", (error) =>
        end(() =>
          reject(isOutOfMemory(error) ? tooMuchMemory(memoryMb) : internalServerError(String(error), error)),
        ),
      );
      worker.on("exit", () =>
        end(() => reject(internalServerError("the reading of the file ended too early"))),
      );
      worker.on("message", (report: ReadReport) => {
        if ("done" in report) end(() => resolve(report.done));
        else if ("refused" in report) end(() => reject(badRequest(report.refused)));
        else if ("mistake" in report) end(() => reject(internalServerError(report.mistake)));
        else handOn(worker, take(report.lines)).catch((error) => end(() => reject(error)));
      });
    });

async function handOn(worker: Worker, taken: Promise<void>): Promise<void> {
  await taken;
  worker.postMessage("next");
}

const tooMuchMemory = (memoryMb: number) =>
  entityTooLarge(
    `Request entity too large: reading the file takes more than ${memoryMb} MB of memory; --import-memory-mb raises the limit`,
  );

const clientGone = () =>
  failure({ code: 499, reason: "Timeout", message: "the client has gone before the file was read" });
