// Applies the patch in the response of a mutating webhook.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { decodeJsonInTurns, JsonSyntaxError } from "../../../apimachinery/json/json-decode.ts";
import { internalServerError } from "../../../apimachinery/meta/status.ts";
import {
  applyJsonPatchInTurns,
  decodePatch,
  PatchDecodeError,
} from "../../../apimachinery/patch/json-patch.ts";
import { PatchDoesNotApply } from "../../../apimachinery/patch/patch-errors.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { replaceObject } from "../mutators.ts";
import type { WriteRequest } from "../request.ts";
import { type Call, CallFailure } from "./call-webhook.ts";
import type { ObservedCall } from "./observed-call.ts";
import type { Verdict } from "./review.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Returns whether the patch has changed the object. A patch can be as large as an object, so long parts of the work
 * have an event-loop turn of their own. Rejects with a CallFailure for an undecodable patch, with 500 for one that
 * cannot be applied.
 */
export async function applyPatch(
  { webhook, view, objects }: Call,
  { patch, patchType }: Verdict,
  request: WriteRequest,
  observed: ObservedCall,
): Promise<boolean> {
  await yieldIfDue();
  const operations = await readOperations(webhook, patch ?? "");
  observed.patch = operations;
  await yieldIfDue();
  if (operations.length === 0) return false;
  if (objects.object === undefined) {
    const why = "attempted to modify the object, which is not supported for this operation";
    throw internalServerError(`admission webhook ${goQuote(webhook.name)} ${why}`);
  }
  if (patchType !== "JSONPatch")
    throw new CallFailure(webhook, `unsupported patch type ${goQuote(patchType)}`);
  const patched = await asInternal(
    applyJsonPatchInTurns(objects.object, operations, { operationsMax: Number.POSITIVE_INFINITY }),
  );
  await yieldIfDue();
  return replaceObject(request, view, objects.object, patched);
}

async function readOperations(webhook: Webhook, patch: string) {
  const text = Buffer.from(patch, "base64");
  try {
    return decodePatch((await decodeJsonInTurns(text, { keepsNumbers: true })).value);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof PatchDecodeError)) throw error;
    throw new CallFailure(webhook, `received undecodable patch in webhook response: ${error.message}`);
  }
}

/** A patch that cannot be applied is not the client's error. */
async function asInternal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PatchDoesNotApply) throw internalServerError(error.why);
    throw internalServerError(error instanceof Error ? error.message : String(error));
  }
}
