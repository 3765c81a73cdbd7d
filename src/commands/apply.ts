// `egret apply`: objects of files into a running server. Namespaces and definitions go first, wherever they stand.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { text as readAll } from "node:stream/consumers";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import { readDocuments } from "../control/transfer/documents.ts";
import type { ImportedObject } from "../control/transfer/import.ts";
import { rankOfKind } from "../control/transfer/kinds.ts";
import { encodeJson } from "../meta/json-encode.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { StartError } from "../server/start-error.ts";
import { type Asked, type Environment, readAsked, refusalOf } from "./ask-server.ts";

const HELP = `Usage: egret apply -f FILE|- [-f FILE]… [--namespace NAME] [--status]

Applies YAML or JSON as kubectl apply --server-side --force-conflicts does.
Exits 1 when an object was refused; the others are applied.

  -f, --filename FILE   a file of objects; - is the standard input
  -n, --namespace NAME  for objects that name none
  --status              sets the status of objects that bring one, too
`;
/** A server takes three mebibytes at once; objects of more text go in several requests. */
const REQUEST_CHARACTERS = 1_000_000;

/** Throws UsageError and StartError. */
export async function apply(args: readonly string[], env: Environment): Promise<number> {
  const flags = {
    filename: { type: "string", short: "f", multiple: true },
    namespace: { type: "string", short: "n" },
    status: { type: "boolean" },
  } as const;
  const asked = readAsked({ args, env, help: HELP }, flags);
  if (asked === undefined) return 0;
  const { filename: files, namespace, status } = asked.values;
  if (!Array.isArray(files) || asked.words.length > 0) throw new UsageError("say what to apply: -f FILE");
  const objects: KubeObject[] = [];
  for (const file of files as string[]) objects.push(...(await objectsOf(file))); // strings, as the flag says
  objects.sort((a, b) => rankOfKind(a.kind ?? "") - rankOfKind(b.kind ?? ""));
  const query = new URLSearchParams();
  if (typeof namespace === "string") query.set("namespace", namespace);
  if (status === true) query.set("status", "true");
  let failures = 0;
  for (const body of requestsOf(objects)) failures += await applyPart(asked, `?${query}`, body);
  return failures === 0 ? 0 : 1;
}

async function objectsOf(file: string): Promise<KubeObject[]> {
  const name = file === "-" ? "the standard input" : file;
  try {
    return readDocuments(file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof StatusError) throw new StartError(`${name}: ${error.message}`, { cause: error });
    throw new StartError(`${name} cannot be read`, { cause: error });
  }
}

/** Lists that are small enough, in the order of the objects. */
function* requestsOf(objects: readonly KubeObject[]): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  for (const object of objects) {
    const text = encodeJson(object);
    if (length > 0 && length + text.length > REQUEST_CHARACTERS) {
      yield listOf(texts);
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield listOf(texts);
}

const listOf = (texts: readonly string[]): string =>
  `{"apiVersion":"v1","kind":"List","items":[${texts.join(",")}]}`;

/** How many objects were refused. */
async function applyPart(asked: Asked, query: string, body: string): Promise<number> {
  const path = `${CONTROL_PREFIX}/import${query}`;
  const { status, text } = await asked.askAnyway({ method: "POST", path, body });
  const items = status === 200 || status === 422 ? itemsOf(text) : undefined;
  if (items === undefined) throw new StartError(refusalOf(status, text));
  for (const item of items) tell(item);
  return items.filter(({ result }) => result === "failed").length;
}

function itemsOf(text: string): readonly ImportedObject[] | undefined {
  const answer = JSON.parse(text) as { items?: ImportedObject[] }; // what POST /import answers
  return answer.items;
}

/** As kubectl says it: "configmap/a created". */
function tell({ kind, apiVersion, namespace, name, result, status }: ImportedObject): void {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  const what = `${kind.toLowerCase()}${group}/${name}`;
  const where = namespace === "" ? "" : ` (${namespace})`;
  if (status === undefined) process.stdout.write(`${what} ${result}${where}\n`);
  else process.stderr.write(`${what} failed${where}: ${status.message}\n`);
}
