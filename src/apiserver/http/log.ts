// The server's log: JSON lines on standard error, written by pino. Most runs log nothing, so pino is loaded with the
// first line. Logging never throws: the logged error may be that no file can be opened, which affects pino too.
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { Logger } from "pino";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { shown } from "../../apimachinery/meta/terminal-text.ts";

/** In ascending severity; "silent" disables the log. */
export const LOG_LEVELS: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log extends Readonly<Record<"info" | "warn" | "error", Write>> {
  /** undefined below the configured level: `log.debug?.(…)` then does not evaluate its arguments. */
  readonly debug?: Write;
  readonly trace?: Write;
}

/** A log of lines of this level and above. */
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

/** Writes a line without pino, which the next line tries to load again. */
function writeLine(line: Readonly<Record<string, unknown>>): void {
  try {
    writeSync(STANDARD_ERROR, shown(`${JSON.stringify(line)}\n`));
  } catch {
    // There is nowhere to report it.
  }
}

/** Converts errors as pino does. */
function inJson(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (!(value instanceof Error)) return [name, value];
    return [name, { type: value.name, message: value.message, stack: value.stack }];
  });
  return Object.fromEntries(entries);
}

/** {"level":"info","time":"2030-01-02T15:04:05.000Z",…,"msg":"…"} */
function openPino(level: string): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino"); // the package's own types
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, forTerminals(pino.destination({ dest: 2, sync: true })));
}

/** Escapes control characters that JSON.stringify leaves unchanged (DEL, C1 and others). The lines stay valid JSON. */
const forTerminals = (destination: { write(line: string): unknown }) => ({
  write: (line: string): void => void destination.write(shown(line)),
});
