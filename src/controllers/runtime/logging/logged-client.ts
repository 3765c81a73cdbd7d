// The client of a controller, told of in the log: what it writes is what the controller has decided (debug), what it reads
// and hears is what it decided on (trace).
import type { Client, ClientWatch, ObjectKey, ResourceName } from "../../../client/client.ts";
import { isObject } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { presentCause } from "./causes.ts";
import { errorText, type LogFields, type Logger } from "./logger.ts";

const TEXT_MAX = 2000;

/** The client itself where nothing of it is logged. */
export function loggedClient(client: Client, log: Logger, controller: string): Client {
  const { debug, trace } = log;
  if (debug === undefined) return client;

  function decided<T>(what: LogFields, written: Promise<T>, tell: NonNullable<Logger["debug"]>): Promise<T> {
    const fields = { controller, ...what, why: presentCause() };
    return written.then(
      (object) => {
        tell("decided", { ...fields, ...versionIn(object) });
        return object;
      },
      (error: unknown) => {
        tell("decided, and refused", { ...fields, error: errorText(error) });
        throw error;
      },
    );
  }

  function read<T>(what: LogFields, answer: Promise<T>, seen: (value: T) => LogFields): Promise<T> {
    if (trace === undefined) return answer;
    return answer.then((value) => {
      trace("read", { controller, ...what, ...seen(value) });
      return value;
    });
  }

  return {
    get: (resource, key) =>
      read({ verb: "get", object: nameOf(resource, key) }, client.get(resource, key), versionOf),
    list: (resource, options) =>
      read({ verb: "list", object: nameOf(resource) }, client.list(resource, options), (list) => ({
        objects: list.items.length,
        resourceVersion: list.resourceVersion,
      })),
    watch: (resource, resourceVersion, options) => {
      const watch = client.watch(resource, resourceVersion, options);
      return trace === undefined ? watch : heard(watch, nameOf(resource), controller, trace);
    },
    create: (resource, object) => {
      const what = {
        verb: "create",
        object: nameOf(resource, keyOf(object)),
        what: shown(contentOf(object)),
      };
      return decided(what, client.create(resource, object), debug);
    },
    update: (resource, object, subresource) => {
      const part = subresource === "status" ? object["status"] : contentOf(object);
      const what = {
        verb: "update",
        object: nameOf(resource, keyOf(object), subresource),
        what: shown(part),
      };
      return decided(what, client.update(resource, object, subresource), debug);
    },
    patch: (resource, key, options) => {
      const what = {
        verb: "patch",
        object: nameOf(resource, key, options.subresource),
        what: shown(options.body),
      };
      return decided(what, client.patch(resource, key, options), debug);
    },
    delete: (resource, key, options) => {
      const what = { verb: "delete", object: nameOf(resource, key), what: shown(options ?? {}) };
      return decided(what, client.delete(resource, key, options), debug);
    },
  };
}

function heard(
  watch: ClientWatch,
  resource: string,
  controller: string,
  trace: NonNullable<Logger["trace"]>,
): ClientWatch {
  return {
    next: async () => {
      const events = await watch.next();
      for (const { type, object } of events ?? [])
        trace("heard", {
          controller,
          object: `${resource} ${nameIn(keyOf(object))}`,
          type,
          ...versionOf(object),
        });
      return events;
    },
    close: () => watch.close(),
  };
}

/** Of what a write has made; a deletion answers nothing. */
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
  const kind = group === "" ? resource : `${resource}.${group}`;
  const part = subresource === undefined ? kind : `${kind}/${subresource}`;
  return key === undefined ? part : `${part} ${nameIn(key)}`;
}

/** All that is not said by the name. */
function contentOf({ apiVersion: _, kind: _kind, metadata, ...rest }: KubeObject): object {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return { ...rest, metadata: { labels, annotations, finalizers, ownerReferences } };
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= TEXT_MAX ? value : `${text.slice(0, TEXT_MAX)}…`;
}
