// `egret export PATH`: the state in the format of `egret import`, in one file or in a tree of files like must-gather's.

import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject } from "../apimachinery/json/json.ts";
import { decodeJson } from "../apimachinery/json/json-decode.ts";
import { encodeJson } from "../apimachinery/json/json-encode.ts";
import { ForeignFileError, writePrivateFile } from "../apimachinery/meta/files/private-file.ts";
import { makeFolder } from "../apimachinery/meta/folders.ts";
import { LEVELS_MAX } from "../apimachinery/meta/max-nesting-depth.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { systemReason } from "../apimachinery/meta/system-reason.ts";
import { yamlParts } from "../apiserver/endpoints/response/to-yaml.ts";
import type { Anonymiser } from "../features/import/sources/anonymise/anonymise.ts";
import { StartError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { counted } from "./import-text.ts";
import { printDocument, printError } from "./output.ts";
import { anonymiserOf } from "./read-sources.ts";
import { Progress } from "./terminal.ts";

/** Distinguishes an output path from the name of a kind. */
export const isPlace = (word: string): boolean =>
  word === "-" || word.includes("/") || word === "." || /\.(ya?ml|jsonl?|ndjson)$/.test(word);

interface Item {
  readonly path: string;
  readonly object: KubeObject;
}

/** Throws StartError. */
export async function exportState(asked: Asked, kinds: readonly string[], place: string): Promise<void> {
  const query = queryOf({
    format: "paths",
    kinds: kinds.join(",") || undefined,
    namespace: asked.text("namespace"),
    labelSelector: asked.text("selector"),
    secrets: asked.isSet("secrets") ? "true" : undefined,
  });
  const others = anonymiserOf(asked);
  const items: Item[] = [];
  using progress = new Progress("exported");
  await asked.lines({ method: "GET", path: `/state?${query}` }, (line) => {
    const item = otherwise(itemIn(line), others);
    if (item !== undefined) items.push(item);
    progress.show(items.length, 0);
  });
  // Anonymized names have another order.
  if (others !== undefined) items.sort((a, b) => (a.path < b.path ? -1 : 1));
  progress.clear();
  const form = /\.(\w+)$/.exec(place)?.[1] ?? "";
  if (place === "-") for (const text of documents(items)) printDocument(text);
  else if (/^ya?ml$/.test(form)) await writeParts(place, documents(items));
  else if (/^(jsonl|ndjson)$/.test(form)) await writeParts(place, lines(items));
  else if (form === "json") await writeParts(place, listParts(items));
  else await writeTree(place, items);
  if (place !== "-") printError(`${counted(items.length, "object")} in ${place}\n`);
}

/** undefined: the object must not be exported. */
function otherwise({ path, object }: Item, others: Anonymiser | undefined): Item | undefined {
  if (others === undefined) return { path, object };
  const changed = others.object(object);
  return changed && { path: pathUnder(path, changed), object: changed };
}

/** The path with the anonymized names. */
function pathUnder(path: string, { metadata: { name = "", namespace } }: KubeObject): string {
  const parts = path.split("/");
  if (parts[0] !== "namespaces") return [...parts.slice(0, -1), `${name}.yaml`].join("/");
  if (namespace === undefined) return `namespaces/${name}/${name}.yaml`;
  return ["namespaces", namespace, ...parts.slice(2, -1), `${name}.yaml`].join("/");
}

function itemIn(line: string): Item {
  const { value } = decodeJson(line, { depthMax: LEVELS_MAX });
  if (!isObject(value) || typeof value["path"] !== "string" || value["path"].split(/[/\\]/).includes(".."))
    throw new StartError("the server has answered something else");
  return { path: value["path"], object: value["object"] as KubeObject }; // the route defines it
}

function* documents(items: readonly Item[]): Generator<string> {
  for (const [index, { object }] of items.entries()) {
    if (index > 0) yield "---\n";
    yield* yamlParts(object);
  }
}

function* lines(items: readonly Item[]): Generator<string> {
  for (const { object } of items) yield `${encodeJson(object)}\n`;
}

function* listParts(items: readonly Item[]): Generator<string> {
  yield '{"apiVersion":"v1","kind":"List","items":[';
  for (const [index, { object }] of items.entries()) yield `${index > 0 ? "," : ""}\n${encodeJson(object)}`;
  yield "\n]}\n";
}

const PART_CHARACTERS = 1 << 20;

/** Readable for its owner only: a state may hold Secrets, and other objects may hold secrets, too. */
async function writeParts(path: string, parts: Iterable<string>): Promise<void> {
  try {
    await writePrivateFile(path, inLargeParts(parts));
  } catch (cause) {
    throw new StartError(`${path} cannot be written${writingReason(cause)}`, { cause });
  }
}

const writingReason = (cause: unknown): string =>
  cause instanceof ForeignFileError ? `: ${cause.message}` : systemReason(cause);

function* inLargeParts(parts: Iterable<string>): Generator<string> {
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length < PART_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Marks a folder as written by an export; the next export may delete its files. */
const MARK = ".egret-state";
const FOLDER_MODE = 0o700;
const FOLDERS = ["cluster-scoped-resources", "namespaces"];

async function writeTree(folder: string, items: readonly Item[]): Promise<void> {
  await makeRoom(folder);
  try {
    makeFolder(folder, FOLDER_MODE);
    const text = "Written by egret export: its files are replaced by the next one.\n";
    await writePrivateFile(join(folder, MARK), text, { replacesLinks: true });
    for (const { path, object } of items) {
      const file = join(folder, path);
      makeFolder(dirname(file), FOLDER_MODE);
      await writeParts(file, yamlParts(object));
    }
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`${folder} cannot be written${writingReason(cause)}`, { cause });
  }
}

async function makeRoom(folder: string): Promise<void> {
  const there = await readdir(folder).catch((): string[] => []);
  const isForeign = there.some((name) => FOLDERS.includes(name)) && !there.includes(MARK);
  if (isForeign)
    throw new StartError(`${folder} holds objects that egret export has not written: name another folder`);
  if (!there.includes(MARK)) return;
  for (const name of FOLDERS) await rm(join(folder, name), { recursive: true, force: true });
}
