// The system's reason for a file error, without the call and the path that Node adds.
import { getSystemErrorMap } from "node:util";

/** " (no such file or directory)", to append to a sentence; "" for an error that is not the system's. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error && "errno" in error && typeof error.errno === "number")) return "";
  const [, reason] = getSystemErrorMap().get(error.errno) ?? [];
  return reason === undefined ? "" : ` (${reason})`;
}

/** The code of a system error, such as "EACCES". */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
