// Errors of patches that cannot be applied, with upstream's texts, which reveal nothing of the object.
import { describeFieldError, type FieldError, invalid } from "../meta/field-error.ts";
import { failure, StatusError } from "../meta/status.ts";

/** A JSON patch that does not apply to the object (a failed test, a missing path, an unknown operation). */
export class PatchDoesNotApply extends StatusError {
  /** Message of jsonpatch, which names paths of the object: admission returns it, a PATCH does not. */
  readonly why: string;

  constructor(why: string) {
    const message = "the server rejected our request due to an error in our request";
    super(failure({ code: 422, reason: "Invalid", message, details: {} }).status);
    this.why = why;
  }
}

export const patchDoesNotApply = (why = ""): PatchDoesNotApply => new PatchDoesNotApply(why);

/** A patch whose result is no object of the kind. `shown` is the server's print of the patch or its result. */
export function invalidPatch(shown: string, why: string): StatusError {
  const error: FieldError = invalid("patch", shown, why);
  return failure({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: ${describeFieldError(error)}`,
    details: { causes: [{ reason: error.reason, message: error.message, field: error.field }] },
  });
}
