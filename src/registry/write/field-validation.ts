// fieldValidation: what becomes of unknown and duplicate fields. Ignore is silent, Warn (the default) says each in a
// Warning header, Strict refuses them all at once.
import type { FieldValidation } from "../request-context.ts";

export function reportFindings(
  mode: FieldValidation,
  findings: readonly string[],
  warn: (text: string) => void,
  refuse: (strictError: string) => Error,
): void {
  if (findings.length === 0 || mode === "Ignore") return;
  if (mode === "Strict") throw refuse(`strict decoding error: ${findings.join(", ")}`);
  for (const finding of findings) warn(finding);
}
