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
  for (const finding of findings) for (const text of singleFindings(finding)) warn(text);
}

/** What the reader of YAML finds is one text of several lines below a heading. */
function singleFindings(finding: string): readonly string[] {
  const [heading, ...lines] = finding.split("\n");
  return heading === "yaml: unmarshal errors:" ? lines.map((line) => line.trim()) : [finding];
}
