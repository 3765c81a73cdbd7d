// The labelSelector parameter. A long one is parsed in time slices before the verb begins, which then finds the result.
import {
  type LabelSelector,
  parseLabelSelector,
  parseLabelSelectorInSteps,
} from "../../../apimachinery/meta/label-selector.ts";
import { StatusError } from "../../../apimachinery/meta/status.ts";
import { runYielding } from "../../../apimachinery/scheduling/coroutine.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { Query } from "./request-info.ts";

const PARAMETER = "labelSelector";
const parsed = new WeakMap<Query, LabelSelector>();

/** Throws 400. */
export const readLabelSelector = (query: Query): LabelSelector =>
  parsed.get(query) ?? parseLabelSelector(query.get(PARAMETER));

/** An invalid selector is left to the verb, which reports errors in the order of the parameters. */
export async function parseLongLabelSelector(query: Query): Promise<void> {
  try {
    parsed.set(query, await runYielding(parseLabelSelectorInSteps(query.get(PARAMETER)), yieldIfDue));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}
