// fieldValidation: what becomes of unknown and duplicate fields. Ignore is silent, Warn (the default) says each in a
// Warning header, Strict refuses them all at once.
import type { FieldValidation } from "../definition/request-context.ts";

export function reportFindings(
  mode: FieldValidation,
  findings: readonly string[],
  warn: (text: string) => void,
  refuse: (strictError: string) => Error,
): void {
  if (findings.length === 0 || mode === "Ignore") return;
  if (mode === "Strict") throw refuse(`strict decoding error: ${findings.join(", ")}`);
  for (const finding of findings) {
    if (finding.startsWith(YAML_FINDINGS)) for (const line of linesBelow(finding)) warn(line);
    else warn(finding);
  }
}

/** What the reader of YAML finds is one text, with a line for each below this one. */
const YAML_FINDINGS = "yaml: unmarshal errors:\n";

const linesBelow = (finding: string): readonly string[] =>
  finding
    .slice(YAML_FINDINGS.length)
    .split("\n")
    .map((line) => line.trim());
