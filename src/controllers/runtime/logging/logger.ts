// What controllers say to the operator. Injected, so that tests can listen and the server can choose the form.

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** What is decided, and why; left out while nobody reads it: `log.debug?.(…)` then costs nothing. */
  readonly debug?: (message: string, fields: LogFields) => void;
  /** What was read; left out while nobody reads it. */
  readonly trace?: (message: string, fields: LogFields) => void;
}

/** The text of anything thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
