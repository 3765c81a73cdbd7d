/** Syntax errors, worded as in go-yaml: "yaml: line 3: did not find expected key". */
export class YamlSyntaxError extends Error {}

export const yamlError = (problem: string): YamlSyntaxError => new YamlSyntaxError(`yaml: ${problem}`);

/** line: 0 for the first one, which go-yaml does not report. */
export const yamlErrorAt = (line: number, problem: string): YamlSyntaxError =>
  yamlError(line > 0 ? `line ${line}: ${problem}` : problem);

const UNMARSHAL_ERRORS = "yaml: unmarshal errors:";

/** All errors of the values of a text. */
export const unmarshalErrors = (findings: readonly string[]): string =>
  [UNMARSHAL_ERRORS, ...findings].join("\n  ");
