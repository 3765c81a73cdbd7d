// Shared by the request log and the webhook log: their filters, as values and as URL query parameters, and the response
// schema.

import { badRequest } from "../../apimachinery/meta/status.ts";
import type { Query } from "../../apiserver/endpoints/request/request-info.ts";
import { type ControlSchema, integer, list, object, text } from "../control-surface/control-route.ts";
import { createPattern } from "../faults/match.ts";

export const count = (description: string) => integer(description, { minimum: 0 });

/** The numeric filters of every log. */
export const NUMBER_FILTERS = {
  since: count("Entries after the one with this sequence number."),
  limit: count("The newest so many."),
};

/** Filters that match text members of an entry. */
export const textFilters = (
  names: readonly string[],
  what: string,
): Readonly<Record<string, ControlSchema<string>>> =>
  Object.fromEntries(
    names.map((name) => [name, text(`Only ${what} with this ${name}; * stands for any letters.`)]),
  );

/** Throws 400 for an unknown filter: if ignored, it would select every entry. */
export function checkFilters(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (!known.includes(name)) throw badRequest(`there is no filter ${name}; there are ${known.join(", ")}`);
  }
}

type FilterValue = string | number | boolean;

/** Decodes the filters of a query: text, numbers and flags. Throws 400. */
export function readFilters(
  query: Query,
  filters: Readonly<Record<string, ControlSchema>>,
): Readonly<Record<string, FilterValue>> {
  const read: Record<string, FilterValue> = {};
  checkFilters(query.keys(), Object.keys(filters));
  for (const name of query.keys()) {
    const value = query.get(name);
    const type = filters[name]?.["type"];
    if (type === "integer" && !/^\d{1,15}$/.test(value))
      throw badRequest(`${name}=${value} is no whole number`);
    read[name] = type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value;
  }
  return read;
}

/** Returns a test for the text filters; a filter without a value matches every entry. */
export function textTest<Name extends string>(
  filter: { readonly [name in Name]?: unknown },
  names: readonly Name[],
): (entry: Readonly<Record<Name, string>>) => boolean {
  const tests = names.flatMap((name) => {
    const pattern = filter[name];
    return typeof pattern === "string" ? [{ name, fits: createPattern(pattern) }] : [];
  });
  return (entry) => tests.every(({ name, fits }) => fits(entry[name]));
}

/** The response schema of a log with these entries. */
export const logOf = <T>(entry: ControlSchema<T>) =>
  object({
    items: list(entry),
    last: integer("Sequence number of the newest entry, for the next ?since=."),
    missed: integer("How many entries after ?since= are no longer kept."),
  });
