// The fields of the messages behind the built-in kinds, from schemas/protobuf/<package>.json. A message goes by the last
// three words of its full name, and each of its fields is written as
//
//   number  JSON name  type  [value | inline]        "2 volumeSource VolumeSource inline"
//
// A type is a scalar, a word that special-types.ts knows, or a message (of the same package when it has no dots), alone
// or as list<…> or map<…> (keys are strings). "value" marks a struct that is no pointer, so that it is always written;
// the members of an "inline" message stand among those of its owner in JSON.
import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "../../meta/package-files.ts";

export interface FieldFacts {
  readonly number: number;
  readonly name: string;
  readonly container: "list" | "map" | undefined;
  readonly type: string;
  readonly flag: "value" | "inline" | undefined;
}

/** Package names come out of requests: nothing else may become part of a path. */
const PACKAGE = /^[a-z0-9-]+\.[a-z0-9]+$/;
const FIELD = /^(\d+) (\S+) (?:(list|map)<)?([\w.]+)>?(?: (value|inline))?$/;

const packages = new Map<string, Readonly<Record<string, readonly string[]>>>();

/** The fields of a message ("core.v1.Pod") in the order of their numbers; undefined when there is no such message. */
export function messageFacts(name: string): readonly FieldFacts[] | undefined {
  const cut = name.lastIndexOf(".");
  const messages = loadPackage(name.slice(0, cut));
  const message = name.slice(cut + 1);
  return Object.hasOwn(messages, message) ? messages[message]?.map(parseField) : undefined;
}

function loadPackage(name: string): Readonly<Record<string, readonly string[]>> {
  const known = packages.get(name);
  if (known !== undefined) return known;
  const path = packageFile("schemas", "protobuf", `${name}.json`);
  if (!PACKAGE.test(name) || !existsSync(path)) return {};
  const messages = JSON.parse(readFileSync(path, "utf8")) as Record<string, readonly string[]>; // our own file
  packages.set(name, messages);
  return messages;
}

function parseField(text: string): FieldFacts {
  const match = FIELD.exec(text);
  if (match === null) throw new Error(`the field "${text}" is not understood`);
  const [, number, name = "", container, type = "", flag] = match;
  return {
    number: Number(number),
    name,
    container: container as FieldFacts["container"], // one of the two words of the pattern
    type,
    flag: flag as FieldFacts["flag"], // likewise
  };
}
