// What is wrong with an object as its owner wrote it, in the words that he gets to read in its status. Where it went wrong
// is told in front.
import { InvalidSelectorError, type LabelSelector, readLabelSelector } from "../../meta/label-selector.ts";
import { errorText } from "./logging.ts";

export class Complaint extends Error {}

/** The same failure, told with where it happened; the cause is kept. */
export const within = (where: string, error: unknown): Complaint =>
  new Complaint(`${where}: ${errorText(error)}`, { cause: error });

/** What work gives, or its failure within where it happened. */
export function telling<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(where, error);
  }
}

/** The same of work that takes its time. */
export const tellingLater = <T>(where: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw within(where, error);
  });

/** The complaint that the check throws; undefined if it throws none. */
export function complaintOf(check: () => unknown): Complaint | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Complaint) return error;
    throw error;
  }
}

/** Reads a selector; one that is left out selects everything unless `absent` says otherwise. Throws a Complaint. */
export function selectorOf(selector: unknown, absent: unknown = {}): LabelSelector {
  const read = readLabelSelector(selector ?? absent);
  if (read instanceof InvalidSelectorError) throw new Complaint(read.message);
  return read;
}
