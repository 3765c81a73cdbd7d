// The object that a writer gives, as it was decoded: fields that its kind does not know, and those given twice, are told or
// refused by fieldValidation. Ignore is silent, Warn (the default) says each in a Warning header, Strict refuses them all
// at once.

import { goQuote } from "../../go/strconv.ts";
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, type StatusError } from "../../meta/status.ts";
import { conformObject, ObjectDecodeError } from "../codec/object-decoder.ts";
import type { FieldValidation, RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf } from "../definition/view.ts";

export interface DecodedObject {
  readonly object: KubeObject;
  /** What fieldValidation is about: "unknown field \"spec.x\"", "duplicate field \"spec.y\"". */
  readonly findings: readonly string[];
}

/**
 * The object, which must be of the view's version. Throws 400 for another version, and for what was found where the context
 * is strict.
 */
export function acceptObject(
  view: ResourceView,
  { object, findings }: DecodedObject,
  { fieldValidation = "Strict", warn }: RequestContext,
): KubeObject {
  const { kind } = view.definition;
  reportFindings(fieldValidation, findings, warn, (why) =>
    badRequest(`${object.kind} in version "${view.version.name}" cannot be handled as a ${kind}: ${why}`),
  );
  const [given, expected] = [object.apiVersion ?? "", apiVersionOf(view)];
  if (given === expected) return object;
  throw badRequest(
    `the API version in the data (${given}) does not match the expected API version (${expected})`,
  );
}

/** An object that no text was read for, made one of the kind; it is changed. Throws 400 with the text of a real server. */
export function decodeGiven(view: ResourceView, value: JsonObject): DecodedObject {
  const { definition } = view;
  if (!definition.custom) {
    value["kind"] ||= definition.kind;
    value["apiVersion"] ||= apiVersionOf(view);
  }
  try {
    const { object, unknown } = conformObject(view, value);
    return { object, findings: unknownFields(view, unknown) };
  } catch (error) {
    if (!(error instanceof ObjectDecodeError)) throw error;
    throw cannotBeHandled(
      view,
      { kind: String(value["kind"]), apiVersion: apiVersionOf(view) },
      error.message,
    );
  }
}

/** What is said of unknown fields: what a schema does not know is named as it is, what a type does not, as Go quotes it. */
export function unknownFields({ definition }: ResourceView, paths: readonly string[]): string[] {
  const quote = definition.custom ? (path: string) => `"${path}"` : goQuote;
  return paths.map((path) => `unknown field ${quote(path)}`);
}

/** 400: what was given is not of the kind, or not fit to be. */
export function cannotBeHandled(
  { definition }: ResourceView,
  given: { readonly apiVersion: string; readonly kind: string },
  why: string,
): StatusError {
  const version = given.apiVersion.slice(given.apiVersion.indexOf("/") + 1);
  return badRequest(
    `${given.kind} in version "${version}" cannot be handled as a ${definition.kind}: ${why}`,
  );
}

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
