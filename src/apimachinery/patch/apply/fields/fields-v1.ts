// FieldsV1: a field set as JSON. One object per path element; {} is a field of the set. A field of the set that also has
// children contains ".".

import { isObject, type JsonObject, setOwn } from "../../../json/json.ts";
import { encodeJson } from "../../../json/json-encode.ts";
import { lateObject } from "../../../json/json-in-turns.ts";
import { append } from "../../../meta/lists.ts";
import { sortedSteps as sortedTexts } from "../../../scheduling/sort-steps.ts";
import {
  comparePathElements,
  type PathElement,
  PathElementError,
  parsePathElement,
  pathElementText,
} from "./field-path.ts";
import { EMPTY, type FieldSet, fieldSet, LEAF, LeafFields } from "./field-set.ts";

const SELF = ".";

/** Decodes the field set of a client. Elements of unknown types are ignored; throws PathElementError. */
export const decodeFieldSet = (fields: unknown): FieldSet => asRoot(decodeNode(fields, canonicalStep));

/** Decodes a set that encodeFieldSet wrote: its elements are canonical. */
export const decodeStoredFieldSet = (fields: unknown): FieldSet => asRoot(decodeNode(fields, (step) => step));

const asRoot = ({ children }: FieldSet): FieldSet =>
  children === undefined ? EMPTY : { member: false, children };

function decodeNode(value: unknown, readStep: (text: string) => string | undefined): FieldSet {
  if (value === null) return LEAF;
  if (!isObject(value)) throw new PathElementError("expected an object");
  let self = false;
  let children: Map<string, FieldSet> | undefined;
  for (const key of Object.keys(value)) {
    if (key === SELF) {
      self = true;
      continue;
    }
    const step = readStep(key);
    if (step === undefined) continue;
    children ??= new Map();
    children.set(step, decodeNode(value[key], readStep));
  }
  return fieldSet(self || children === undefined, children);
}

function canonicalStep(text: string): string | undefined {
  if (text.startsWith("f:")) return text;
  const element = parsePathElement(text);
  return element === undefined ? undefined : pathElementText(element);
}

/** The set as JSON, in upstream's order. */
export function encodeFieldSet(set: FieldSet): JsonObject {
  const out: JsonObject = {};
  if (set.children === undefined) return out;
  if (set.member) out[SELF] = {};
  for (const step of sortedSteps(set.children)) {
    setOwn(out, step, encodeFieldSet(set.children.get(step) ?? EMPTY));
  }
  return out;
}

/** JSON text of the result of encodeFieldSet, without building the object. */
export const fieldSetText = (set: FieldSet): string => [...partsOfText(set)].join("");

/** Length of the text, for which the order is irrelevant. */
function textBytes({ member, children }: FieldSet): number {
  if (children === undefined) return 2;
  let bytes = 2 + (member ? `"${SELF}":{}`.length : 0) + children.size - (member ? 0 : 1);
  const isLeaves = children instanceof LeafFields;
  for (const step of isLeaves ? children.steps : children.keys()) {
    const below = isLeaves ? 2 : textBytes(children.get(step) ?? EMPTY);
    bytes += Buffer.byteLength(encodeJson(step)) + 1 + below;
  }
  return bytes;
}

/** Minimal length in characters of each part except the last. */
const PART_LETTERS = 512;

/** The text in parts; yields "" between the steps of a long sort. */
function* partsOfText(set: FieldSet): Generator<string, undefined> {
  const out = { text: "" };
  yield* writeSet(set, out);
  yield out.text;
}

function* writeSet({ member, children }: FieldSet, out: { text: string }): Generator<string, undefined> {
  if (children === undefined) {
    out.text += "{}";
    return;
  }
  out.text += member ? `{"${SELF}":{}` : "{";
  let separator = member ? "," : "";
  const isLeaves = children instanceof LeafFields;
  for (const step of yield* inOrder(isLeaves ? children.steps : [...children.keys()])) {
    const child = isLeaves ? LEAF : (children.get(step) ?? EMPTY);
    out.text += `${separator}${encodeJson(step)}:`;
    separator = ",";
    if (child.children === undefined) out.text += "{}";
    else yield* writeSet(child, out);
    if (out.text.length < PART_LETTERS) continue;
    yield out.text;
    out.text = "";
  }
  out.text += "}";
}

function* inOrder(steps: readonly string[]): Generator<string, readonly string[]> {
  const sorting = sortedTexts(steps);
  for (;;) {
    const { done, value } = sorting.next();
    if (done) return value;
    yield "";
  }
}

/** The set as lazy JSON, of which mostly only the text is used: for sets of many fields. */
export const encodeLate = (set: FieldSet): JsonObject =>
  lateObject({
    make: () => encodeFieldSet(set),
    text: () => fieldSetText(set),
    parts: () => partsOfText(set),
    bytes: () => textBytes(set),
  });

/** Path elements of children in order. */
function sortedSteps(children: ReadonlyMap<string, FieldSet>): string[] {
  const steps = [...children.keys()];
  if (steps.length < 2) return steps;
  if (steps.every((step) => step.startsWith("f:")) || haveOnePlainKey(steps)) return steps.sort();
  const parsed = steps.map((step) => ({ step, element: parsePathElement(step) }));
  parsed.sort((a, b) => compareParsed(a.element, b.element));
  return parsed.map(({ step }) => step);
}

/** An element with one key whose value has no character that sorts before the closing quote, as in most list maps. */
const PLAIN_KEY = /^k:\{"[\w./-]+":"[#-[\]-~]*"\}$/;

/** Such elements sort like their texts. */
function haveOnePlainKey(steps: readonly string[]): boolean {
  const [first = ""] = steps;
  const name = first.slice(0, first.indexOf(":", 2) + 1);
  return steps.every((step) => step.startsWith(name) && PLAIN_KEY.test(step));
}

function compareParsed(a: PathElement | undefined, b: PathElement | undefined): number {
  return a === undefined || b === undefined ? 0 : comparePathElements(a, b);
}

/** Paths of all fields in the set: at each level first the fields themselves, then their children. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  if (set.children === undefined) return [];
  const here: PathElement[][] = [];
  const below: PathElement[][] = [];
  for (const step of sortedSteps(set.children)) {
    const element = parsePathElement(step);
    const child = set.children.get(step);
    if (element === undefined || child === undefined) continue;
    const path = [...prefix, element];
    if (child.member) here.push(path);
    append(below, pathsOf(child, path));
  }
  return [...here, ...below];
}
