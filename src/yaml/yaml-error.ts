/** Why a text cannot be read, worded as go-yaml words it: "yaml: line 3: did not find expected key". */
export class YamlSyntaxError extends Error {}

export const yamlError = (problem: string): YamlSyntaxError => new YamlSyntaxError(`yaml: ${problem}`);

/** line: 0 for the first one, which go-yaml does not tell. */
export const yamlErrorAt = (line: number, problem: string): YamlSyntaxError =>
  yamlError(line > 0 ? `line ${line}: ${problem}` : problem);

const UNMARSHAL_ERRORS = "yaml: unmarshal errors:";

/** What is wrong with the values of a text, all at once. */
export const unmarshalErrors = (findings: readonly string[]): string =>
  [UNMARSHAL_ERRORS, ...findings].join("\n  ");
