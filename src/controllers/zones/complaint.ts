// Why an object cannot be put into force, worded as the agents word it: texts get reasons in front, and several become
// a list in brackets.
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";

/** Thrown by the checks of rules; its message becomes part of a status. */
export class Complaint extends Error {}

/** The text of the complaint that the check throws; undefined if it throws none. */
export function complaintOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Complaint) return error.message;
    throw error;
  }
}

/** Puts words in front of what the check complains of. */
export function inWords<T>(words: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Complaint) throw new Complaint(`${words}: ${error.message}`);
    throw error;
  }
}

/** Several complaints as one; undefined for none. */
export const listComplaints = (texts: readonly string[]): string | undefined =>
  texts.length > 1 ? `[${texts.join(", ")}]` : texts[0];

/** Reads a selector; absent counts as empty and selects everything. */
export function selectorOf(selector: unknown): LabelSelector {
  try {
    return labelSelectorFromObject(selector ?? {});
  } catch (error) {
    if (error instanceof InvalidSelectorError) throw new Complaint(error.message);
    throw error;
  }
}

/** Reads JSON that was found in an annotation. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const [first] = text.trimStart();
    if (first === undefined) throw new Complaint("unexpected end of JSON input");
    if ('{["-0123456789tfn'.includes(first)) throw new Complaint("invalid JSON");
    throw new Complaint(`invalid character '${first}' looking for beginning of value`);
  }
}
