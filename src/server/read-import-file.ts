// Reads an uploaded file in a child process with limits of memory and time, so that parsing blocks no request. A worker thread does
// not contain it: V8 aborts the whole process when one allocation of a thread exceeds the thread's heap limit.
import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { LEVELS_MAX, levelsMax } from "../apimachinery/meta/max-nesting-depth.ts";
import { builtFile } from "../apimachinery/meta/package-files.ts";
import {
  badRequest,
  entityTooLarge,
  failure,
  internalServerError,
  type StatusError,
} from "../apimachinery/meta/status.ts";
import type { FileReader } from "../features/import/import-file.ts";
import type { SourceLimits } from "../features/import/sources/limits.ts";
import { DEEP_STACK } from "./launch/node-flags.ts";
import type { ReadOrder, ReadReport } from "./reading-process.ts";

export interface ReadingLimits {
  readonly source: SourceLimits;
  readonly memoryMb: number;
  readonly seconds: number;
}

export const fileReader =
  (limits: ReadingLimits): FileReader =>
  (path, { signal, take }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(clientGone());
      const reader = startProcess(limits);
      const end = (settle: () => void): void => {
        signal?.removeEventListener("abort", onGone);
        settle();
        reader.kill("SIGKILL");
      };
      const onGone = () => end(() => reject(clientGone()));
      signal?.addEventListener("abort", onGone, { once: true });
      reader.on("error", (error) => end(() => reject(internalServerError(String(error), error))));
      reader.on("exit", (code, by) => end(() => reject(endedEarly(code, by, limits))));
      reader.on("message", (report: ReadReport) => {
        if ("done" in report) end(() => resolve(report.done));
        else if ("refused" in report) end(() => reject(badRequest(report.refused)));
        else if ("mistake" in report) end(() => reject(internalServerError(report.mistake)));
        else handOn(reader, take(report.lines)).catch((error) => end(() => reject(error)));
      });
      tell(reader, { path, limits: limits.source, levels: levelsMax() } satisfies ReadOrder);
    });

/**
 * Starts the process. Its output is discarded, because V8 prints its state when memory is exhausted. The server's
 * NODE_OPTIONS do not apply.
 */
function startProcess({ memoryMb, seconds }: ReadingLimits): ChildProcess {
  const built = builtFile("reader.js");
  const loader = built === undefined ? ["--import", createRequire(import.meta.url).resolve("tsx")] : [];
  const stack = levelsMax() === LEVELS_MAX ? [DEEP_STACK] : [];
  return fork(built ?? fileURLToPath(new URL("../reader.ts", import.meta.url)), {
    execArgv: [`--max-old-space-size=${memoryMb}`, ...stack, ...loader],
    env: { ...process.env, NODE_OPTIONS: "" },
    ...{ timeout: seconds * 1000, killSignal: TIME_IS_UP },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

/** Sends a message. Failures are ignored: the end of the process is reported by the event `exit`. */
const tell = (reader: ChildProcess, message: object): boolean => reader.send(message, () => undefined);

async function handOn(reader: ChildProcess, taken: Promise<void>): Promise<void> {
  await taken;
  tell(reader, { next: true });
}

/** Node sends it after the time limit. Other ends of the process come from SIGKILL. */
const TIME_IS_UP = "SIGTERM";
/** V8's exit code when memory is exhausted. */
const ABORTED_CODE = 134;

function endedEarly(
  code: number | null,
  by: NodeJS.Signals | null,
  { memoryMb, seconds }: ReadingLimits,
): StatusError {
  if (by === TIME_IS_UP) return tooLong(seconds);
  if (by === "SIGABRT" || code === ABORTED_CODE) return tooMuchMemory(memoryMb);
  return internalServerError(`the reading of the file ended too early (${by ?? `exit code ${code}`})`);
}

const tooMuchMemory = (memoryMb: number) =>
  entityTooLarge(
    `Request entity too large: reading the file takes more than ${memoryMb} MB of memory; --import-memory-mb raises the limit`,
  );

const tooLong = (seconds: number) =>
  failure({
    code: 504,
    reason: "Timeout",
    message: `reading the file takes more than ${seconds} s; --import-seconds raises the limit`,
  });

const clientGone = () =>
  failure({ code: 499, reason: "Timeout", message: "the client has gone before the file was read" });
