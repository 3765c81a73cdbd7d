// The server's own log: lines of JSON on the standard error output, by pino. Most runs write none, so pino is loaded with the
// first. Logging never throws: what has to be logged may be that no file can be opened, pino's neither.
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { Logger } from "pino";
import { systemClock } from "../meta/clock.ts";
import { shown } from "../meta/terminal-text.ts";

/** From the least to the gravest; "silent" writes nothing. */
export const LOG_LEVELS: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log extends Readonly<Record<"info" | "warn" | "error", Write>> {
  /** undefined while nobody reads such lines: `log.debug?.(…)` then makes not even the fields. */
  readonly debug?: Write;
  readonly trace?: Write;
}

/** A log that writes lines of this level and of graver ones. */
export function createLog(level: string): Log {
  let logger: Logger | undefined;
  const least = LOG_LEVELS.indexOf(level);
  const isOn = (own: keyof Log): boolean => LOG_LEVELS.indexOf(own) >= least;
  const writer = (own: keyof Log): Write => {
    if (!isOn(own)) return () => {};
    return (fields, message) => {
      try {
        logger ??= openPino(level);
        logger[own](fields, message);
      } catch {
        writeLine({
          level: own,
          time: new Date(systemClock.now()).toISOString(),
          ...inJson(fields),
          msg: message,
        });
      }
    };
  };
  return {
    ...{ info: writer("info"), warn: writer("warn"), error: writer("error") },
    ...(isOn("debug") ? { debug: writer("debug") } : {}),
    ...(isOn("trace") ? { trace: writer("trace") } : {}),
  };
}

const STANDARD_ERROR = 2;

/** The next line tries pino again. */
function writeLine(line: Readonly<Record<string, unknown>>): void {
  try {
    writeSync(STANDARD_ERROR, shown(`${JSON.stringify(line)}\n`));
  } catch {
    // There is nowhere to report it.
  }
}

/** Errors as pino writes them. */
function inJson(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (!(value instanceof Error)) return [name, value];
    return [name, { type: value.name, message: value.message, stack: value.stack }];
  });
  return Object.fromEntries(entries);
}

/** {"level":"info","time":"2030-01-02T15:04:05.000Z",…,"msg":"…"} */
function openPino(level: string): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino"); // what the package says it is
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, forTerminals(pino.destination({ dest: 2, sync: true })));
}

/** The lines stay JSON: they have such characters in texts alone, where JSON.stringify leaves DEL, C1 and others as they are. */
const forTerminals = (destination: { write(line: string): unknown }) => ({
  write: (line: string): void => void destination.write(shown(line)),
});
