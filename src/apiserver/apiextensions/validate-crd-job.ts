// Worker job that validates a CustomResourceDefinition with large schemas.

import { decodeJson } from "../../apimachinery/json/json-decode.ts";
import { encodeJsonInTurns } from "../../apimachinery/json/json-in-turns.ts";
import type { FieldError } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { nextTurn } from "../../apimachinery/scheduling/event-loop.ts";
import { isHeavySchema } from "../../apimachinery/schema/value/check-work.ts";
import type { Job, Workers } from "../../apimachinery/workers/job.ts";
import { schemasToCheck } from "./validation/spec-form.ts";
import { validateCrd } from "./validation/validate-crd.ts";

/** Objects as JSON. */
export interface CrdCheck {
  readonly crd: string;
  /** The CRD before an update. */
  readonly old: string | undefined;
}

export const validateCrdJob: Job<CrdCheck, FieldError[]> = {
  name: "validateCrd",
  run: ({ crd, old }) => validateCrd(objectOf(crd), old === undefined ? undefined : objectOf(old)),
};

const objectOf = (text: string): KubeObject => decodeJson(text).value as KubeObject; // it was one when it was encoded

/**
 * Findings of a worker thread, or undefined where validation is cheap enough for the caller's thread. Rejects with 413,
 * 429 and 504.
 */
export function validateCrdElsewhere(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  workers: Workers,
): Promise<FieldError[]> | undefined {
  if (!isHeavySchema(schemasToCheck(crd, old))) return undefined;
  return validateInWorker(crd, old, workers);
}

async function validateInWorker(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  workers: Workers,
): Promise<FieldError[]> {
  await nextTurn(); // the estimate itself took long
  const check = { crd: await encodeJsonInTurns(crd), old: old && (await encodeJsonInTurns(old)) };
  return await workers.run(validateCrdJob, check);
}
