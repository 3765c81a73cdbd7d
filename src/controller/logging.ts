// Logs of controllers. Writes of a controller's client are its decisions (debug). Its reads and watch events are the
// input of those decisions (trace).
import { AsyncLocalStorage } from "node:async_hooks";
import { isObject } from "../apimachinery/json/json.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { describeResource } from "../apimachinery/meta/status.ts";
import type { Client, ClientWatch, ObjectKey, ResourceName } from "./client.ts";
import { informedChange } from "./informer.ts";

export type LogFields = Readonly<Record<string, unknown>>;

/** Injected, so that tests can capture the output and the server can choose the format. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Decisions with their causes. Omitted below log level debug: `log.debug?.(…)` then costs nothing. */
  readonly debug?: (message: string, fields: LogFields) => void;
  /** Reads and watch events. Omitted below log level trace. */
  readonly trace?: (message: string, fields: LogFields) => void;
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Cause {
  /** The key that the controller reconciles. */
  readonly key: string;
  /**
   * The changes that enqueued the key, oldest first. Empty: the controller itself enqueued it, for example by a timer.
   */
  readonly changes: readonly string[];
}

const CHANGES_MAX = 5;
const presentCause = new AsyncLocalStorage<Cause>();

/** Why a controller reconciles a key: the changes that enqueued it. */
export class Causes {
  readonly #changes = new Map<string, string[]>();

  /** Records the current change as a cause of the key, which is being enqueued. */
  note(key: string): void {
    const change = informedChange();
    if (change === undefined) return;
    const changes = this.#changes.get(key) ?? [];
    if (!changes.includes(change)) changes.push(change);
    if (changes.length > CHANGES_MAX) changes.shift();
    this.#changes.set(key, changes);
  }

  /** Runs the work on a key. Decisions that are logged in it carry the causes of the key. */
  during<T>(key: string, work: () => T): T {
    const changes = this.#changes.get(key) ?? [];
    this.#changes.delete(key);
    return presentCause.run({ key, changes }, work);
  }
}

const TEXT_MAX = 2000;

/** Returns a client that logs its reads and writes; below log level debug it returns the given client. */
export function loggedClient(client: Client, { debug, trace }: Logger, controller: string): Client {
  if (debug === undefined) return client;

  async function decided<T>(verb: string, object: string, what: unknown, written: Promise<T>): Promise<T> {
    const fields = { controller, verb, object, what: shown(what), why: presentCause.getStore() };
    try {
      const made = await written;
      debug?.("decided", { ...fields, ...versionIn(made) });
      return made;
    } catch (error) {
      debug?.("decided, and refused", { ...fields, error: errorText(error) });
      throw error;
    }
  }

  async function read<T>(what: LogFields, answer: Promise<T>, seen: (value: T) => LogFields): Promise<T> {
    const value = await answer;
    trace?.("read", { controller, ...what, ...seen(value) });
    return value;
  }

  const heard = (watch: ClientWatch, resource: string): ClientWatch => ({
    next: async () => {
      const events = await watch.next();
      for (const { type, object } of events ?? []) {
        const name = `${resource} ${nameIn(keyOf(object))}`;
        trace?.("heard", { controller, object: name, type, ...versionOf(object) });
      }
      return events;
    },
    close: () => watch.close(),
  });

  return {
    get: (resource, key) =>
      read({ verb: "get", object: nameOf(resource, key) }, client.get(resource, key), versionOf),
    list: (resource, options) =>
      read({ verb: "list", object: nameOf(resource) }, client.list(resource, options), (list) => ({
        objects: list.items.length,
        resourceVersion: list.resourceVersion,
      })),
    watch: (resource, version, options) => {
      const watch = client.watch(resource, version, options);
      return trace === undefined ? watch : heard(watch, nameOf(resource));
    },
    create: (resource, object) => {
      const name = nameOf(resource, keyOf(object));
      return decided("create", name, contentOf(object), client.create(resource, object));
    },
    post: (resource, key, subresource, object) =>
      decided(
        "create",
        nameOf(resource, key, subresource),
        contentOf(object),
        client.post(resource, key, subresource, object),
      ),
    update: (resource, object, subresource) => {
      const what = subresource === "status" ? object["status"] : contentOf(object);
      const name = nameOf(resource, keyOf(object), subresource);
      return decided("update", name, what, client.update(resource, object, subresource));
    },
    patch: (resource, key, options) => {
      const name = nameOf(resource, key, options.subresource);
      return decided("patch", name, options.body, client.patch(resource, key, options));
    },
    delete: (resource, key, options) =>
      decided("delete", nameOf(resource, key), options ?? {}, client.delete(resource, key, options)),
  };
}

/** The resourceVersion that a write returned; a deletion returns none. */
function versionIn(value: unknown): LogFields {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  return isObject(metadata) ? { resourceVersion: metadata["resourceVersion"] } : {};
}

const versionOf = ({ metadata }: KubeObject): LogFields => ({ resourceVersion: metadata.resourceVersion });
const keyOf = ({ metadata: { namespace = "", name = "", generateName = "" } }: KubeObject): ObjectKey => ({
  namespace,
  name: name || `${generateName}…`,
});
const nameIn = ({ namespace, name }: ObjectKey): string => (namespace === "" ? name : `${namespace}/${name}`);

/** "nodes/status node-a", "egressfirewalls.k8s.ovn.org shop/default". */
function nameOf({ group, resource }: ResourceName, key?: ObjectKey, subresource?: string): string {
  const kind = describeResource({ group, resource });
  const part = subresource === undefined ? kind : `${kind}/${subresource}`;
  return key === undefined ? part : `${part} ${nameIn(key)}`;
}

/** The object without its type and name, and with only the relevant metadata. */
function contentOf({ apiVersion: _, kind: _kind, metadata, ...rest }: KubeObject): object {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return { ...rest, metadata: { labels, annotations, finalizers, ownerReferences } };
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= TEXT_MAX ? value : `${text.slice(0, TEXT_MAX)}…`;
}
