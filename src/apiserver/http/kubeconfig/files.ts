// Kubeconfig files: server address, trusted CA and credentials. Several files are merged as kubectl merges them: the
// first entry of a name and the first current context take effect.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { base64Error } from "../../../apimachinery/go/base64.ts";
import { isObject, type JsonObject, textAt } from "../../../apimachinery/json/json.ts";
import { decodeValue } from "../../../apimachinery/yaml/decode-yaml.ts";

/** Why a request could not be answered, in one line for the user. */
export class RequestError extends Error {}

/** Selects the server. */
export interface KubeconfigChoice {
  /** One file, or several that are merged. */
  readonly paths: readonly string[];
  /** Default: the current context. */
  readonly context?: string | undefined;
  /** Found in the working directory, not given on the command line. The rules for such a file are in discovered.ts. */
  readonly isDiscovered?: boolean;
}

/** An entry of one of the files. */
export interface Entry {
  /** The file that contains the entry. */
  readonly path: string;
  readonly name: string;
  readonly value: JsonObject;
}

/** The cluster and the user of a context; a context may have no user. */
export interface ChosenEntries {
  readonly cluster: Entry;
  readonly user: Entry | undefined;
}

interface Config {
  readonly path: string;
  readonly value: unknown;
}

/** A missing file of a list is ignored; a missing single file is an error. Throws RequestError. */
export async function chosenEntries(
  { paths, context: wanted }: KubeconfigChoice,
  read = (path: string): Promise<string> | string => readFile(path, "utf8"),
): Promise<ChosenEntries> {
  const name = paths.join(", ");
  const configs = await readConfigs(paths, read);
  const current = wanted ?? configs.map(({ value }) => textOf(value, "current-context")).find(Boolean);
  const context = entryOf(configs, "contexts", current, "context");
  if (wanted !== undefined && context === undefined)
    throw new RequestError(`the kubeconfig ${name} has no context ${wanted}`);
  const cluster = entryOf(configs, "clusters", textAt(context?.value, "cluster"), "cluster");
  if (cluster === undefined || textAt(cluster.value, "server") === "")
    throw new RequestError(`the kubeconfig ${name} names no server`);
  return { cluster, user: entryOf(configs, "users", textAt(context?.value, "user"), "user") };
}

async function readConfigs(
  paths: readonly string[],
  read: (path: string) => Promise<string> | string,
): Promise<Config[]> {
  const configs: Config[] = [];
  for (const path of paths) {
    try {
      configs.push({ path, value: decodeValue(await read(path)) });
    } catch (cause) {
      if (cause instanceof RequestError) throw cause;
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (isMissing && paths.length > 1) continue;
      throw new RequestError(`the kubeconfig ${path} cannot be read${isMissing ? ": it is not there" : ""}`, {
        cause,
      });
    }
  }
  if (configs.length > 0) return configs;
  throw new RequestError(`none of the kubeconfigs ${paths.join(", ")} can be read`);
}

/** The member of the first entry of that name in a list of entries, and the file that contains it. */
function entryOf(
  configs: readonly Config[],
  list: string,
  name: string | undefined,
  member: string,
): Entry | undefined {
  if (name === undefined || name === "") return undefined;
  for (const { path, value } of configs) {
    const entries = isObject(value) ? value[list] : undefined;
    if (!Array.isArray(entries)) continue;
    const entry: unknown = entries.find((item) => isObject(item) && item["name"] === name);
    if (!isObject(entry)) continue;
    const found = entry[member];
    return { path, name, value: isObject(found) ? found : {} };
  }
  return undefined;
}

const textOf = (value: unknown, member: string): string => (isObject(value) ? textAt(value, member) : "");

function decodeData(text: string, member: string, entry: Entry | undefined): string {
  const error = base64Error(text);
  if (error !== undefined) throw new RequestError(`${member} in ${entry?.path}: ${error}`);
  return Buffer.from(text, "base64").toString("utf8");
}

/**
 * A value of the file itself (certificates and keys in base64), or of a file that it names relative to its own
 * folder.
 */
export async function secretOf(
  entry: Entry | undefined,
  inline: string,
  file: string,
): Promise<string | undefined> {
  const text = textAt(entry?.value, inline);
  if (text !== "") return inline.endsWith("-data") ? decodeData(text, inline, entry) : text;
  const path = textAt(entry?.value, file);
  if (path === "" || entry === undefined) return undefined;
  const whole = besideFile(entry, path);
  return (
    await readFile(whole, "utf8").catch((cause) => {
      throw new RequestError(`${whole}, which ${entry.path} names, cannot be read`, { cause });
    })
  ).trim();
}

/** Resolves a path in a kubeconfig relative to that kubeconfig. */
export const besideFile = ({ path: file }: Entry, path: string): string => resolve(dirname(file), path);
