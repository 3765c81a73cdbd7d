// What answers of the API mean to a controller whose copy of the world lags a little behind.
import { StatusError } from "../../meta/status.ts";

/** Somebody else was faster, or the object has gone: an event about that is on its way. */
export const isOvertaken = (error: unknown): boolean =>
  isReason(error, "AlreadyExists") || isReason(error, "Conflict") || isReason(error, "NotFound");

export const isReason = (error: unknown, reason: string): boolean =>
  error instanceof StatusError && error.reason === reason;

/** The namespace is going away: nothing can be made in it any more. */
export const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof StatusError && error.code === code;

/** Waits for a request; answers of these codes count as undefined. */
export async function ignoring<T>(codes: readonly number[], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (codes.some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}
