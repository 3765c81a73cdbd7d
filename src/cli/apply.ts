// `egret apply`: applies objects of files and folders to a running server, in dependency order across all files.

import process from "node:process";
import { text as readAll } from "node:stream/consumers";
import { encodeJson } from "../apimachinery/json/json-encode.ts";
import { append } from "../apimachinery/meta/lists.ts";
import { type KubeObject, partsOfApiVersion } from "../apimachinery/meta/object-meta.ts";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { type ImportedObject, inOrder } from "../features/import/import.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { parseManifests, readManifests } from "../server/manifests.ts";
import { type Asked, queryOf, refusalOf } from "./ask-server.ts";
import { print, printError } from "./output.ts";
import { Progress } from "./terminal.ts";

/** Maximum text per request. A server accepts 3 MiB; more objects are split into several requests. */
const REQUEST_CHARACTERS = 1_000_000;
/**
 * Maximum number of objects per request, for progress reports. Not used with status: controllers would run between the
 * requests.
 */
const OBJECTS = 200;

/** Throws UsageError and StartError. */
export async function apply(asked: Asked): Promise<number> {
  const files = asked.texts("filename");
  if (files.length === 0 || asked.words.length > 0) throw new UsageError("say what to apply: -f PATH");
  const objects: KubeObject[] = [];
  for (const path of files) append(objects, await objectsOf(path));
  if (objects.length === 0) throw new StartError("no objects passed to apply");
  const withStatus = asked.isSet("status");
  const query = queryOf({ namespace: asked.text("namespace"), status: withStatus ? "true" : undefined });
  let failures = 0;
  let done = 0;
  using progress = new Progress("applied");
  for (const texts of requestsOf(inOrder(objects), withStatus)) {
    progress.show(done, objects.length);
    const items = await applyPart(asked, `/import?${query}`, listOf(texts));
    done += texts.length;
    progress.clear();
    for (const item of items) tell(item);
    failures += items.filter(({ result }) => result === "failed").length;
  }
  return failures === 0 ? 0 : 1;
}

/** Objects of a file, of all files below a folder, or of standard input. Throws StartError. */
export const objectsOf = async (path: string): Promise<KubeObject[]> =>
  path === "-" ? parseManifests("the standard input", await readAll(process.stdin)) : readManifests(path);

/** Splits the objects into requests, in order. With status there are as few requests as possible: see OBJECTS. */
function* requestsOf(objects: readonly KubeObject[], withStatus: boolean): Generator<string[]> {
  let texts: string[] = [];
  let length = 0;
  for (const object of objects) {
    const text = encodeJson(object);
    const isMany = texts.length >= OBJECTS && !withStatus;
    if (texts.length > 0 && (isMany || length + text.length > REQUEST_CHARACTERS)) {
      yield texts;
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield texts;
}

const listOf = (texts: readonly string[]): string =>
  `{"apiVersion":"v1","kind":"List","items":[${texts.join(",")}]}`;

/** Applies one request and returns the results of its objects. Throws StartError. */
async function applyPart(asked: Asked, path: string, body: string): Promise<readonly ImportedObject[]> {
  const { status, text } = await asked.askAnyway({ method: "POST", path, body });
  if (status === 200 || status === 422) {
    const { items }: { items?: ImportedObject[] } = JSON.parse(text); // the response of POST /import
    if (items !== undefined) return items;
  }
  throw new StartError(refusalOf(status, text));
}

/** Prints a result as kubectl does: "configmap/a created". */
function tell({ kind, apiVersion, namespace, name, result, status }: ImportedObject): void {
  const [group] = partsOfApiVersion(apiVersion);
  const what = `${kind.toLowerCase()}${group && `.${group}`}/${name}`;
  const where = namespace === "" ? "" : ` (${namespace})`;
  if (status === undefined) print(`${shownInLine(`${what} ${result}${where}`)}\n`);
  else printError(`${what} failed${where}: ${status.message}\n`);
}
