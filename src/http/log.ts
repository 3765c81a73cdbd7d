// The server's own log: lines of JSON on standard output, by pino. Most runs write none, so pino is loaded with the first.
import { createRequire } from "node:module";
import type { Logger } from "pino";

/** From the least to the gravest; "silent" writes nothing. */
export const LOG_LEVELS: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export type Log = Readonly<Record<"info" | "warn" | "error", Write>>;

/** A log that writes lines of this level and of graver ones. */
export function createLog(level: string): Log {
  let logger: Logger | undefined;
  const least = LOG_LEVELS.indexOf(level);
  const writer = (own: keyof Log): Write => {
    if (LOG_LEVELS.indexOf(own) < least) return () => {};
    return (fields, message) => {
      logger ??= openPino(level);
      logger[own](fields, message);
    };
  };
  return { info: writer("info"), warn: writer("warn"), error: writer("error") };
}

function openPino(level: string): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino"); // what the package says it is
  return pino({ level });
}
