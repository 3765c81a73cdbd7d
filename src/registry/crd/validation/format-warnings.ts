// Formats in the schemas of a CRD that are not checked: whoever writes them should know.

import { goQuote } from "../../../meta/go-quote.ts";
import type { JsonObject } from "../../../meta/json.ts";
import { lookupTable } from "../../../meta/tables/lookup-table.ts";
import { formatCheck } from "../../../schema/formats.ts";
import { schemaOf, specForm, textOf } from "./spec-form.ts";
import { schemasIn } from "./walk-schema.ts";

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = lookupTable({
  integer: ["int32", "int64"],
  number: ["float", "double"],
});

/** A text for each unknown format that was not there before. */
export function formatWarnings(crd: Readonly<JsonObject>, old: Readonly<JsonObject> | undefined): string[] {
  const found = unknownFormats(crd);
  if (found.length === 0) return [];
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return found
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(crd: Readonly<JsonObject>): string[] {
  const form = specForm(crd);
  const found: string[] = [];
  for (const part of [form, ...form.versions]) {
    for (const schema of schemasIn(schemaOf(part))) {
      const format = textOf(schema["format"]);
      if (format !== "" && !isKnown(format, textOf(schema["type"]))) found.push(format);
    }
  }
  return found;
}

function isKnown(format: string, type: string): boolean {
  if (type === "" || type === "string") return formatCheck(format) !== undefined;
  return NUMBER_FORMATS[type]?.includes(format) === true;
}
