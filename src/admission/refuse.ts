// How admission says no: a 403 that names the object, even where its name has still to be made.
import { forbidden, type StatusCause, type StatusError } from "../meta/status.ts";
import type { AdmissionAttributes } from "../registry/admission.ts";

export function refuse(attributes: AdmissionAttributes, why: string, causes?: StatusCause[]): StatusError {
  return forbidden(attributes.view.definition, nameToTell(attributes), why, causes);
}

/** Where a name has still to be generated, what it begins with stands for it. */
function nameToTell({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || "Unknown";
}
