// The closed set of what can go wrong in a store. registry/ turns each code into a Status in one exhaustive switch.

export type StoreErrorCode =
  | "KEY_EXISTS"
  | "REVISION_MISMATCH"
  | "COMPACTED"
  | "FUTURE_REVISION"
  | "SLOW_CONSUMER"
  | "CLOSED"
  | "LOCKED"
  | "UNREADABLE"
  | "FORMAT_VERSION";

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
