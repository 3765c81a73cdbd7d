// Values of flags that are times and durations.

import { TextError } from "../../control/clock/texts.ts";
import { UsageError } from "../errors.ts";

/** Throws UsageError, which names the flag. */
export function readText(flag: string, text: string, reading: (text: string) => number): number {
  try {
    return reading(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new UsageError(`--${flag} ${text}: ${error.message}`);
  }
}
