// A client that shows of listed and watched objects only the metadata that ownership is decided by, so that whoever
// keeps copies of everything keeps little.
import type {
  Client,
  ClientListOptions,
  ClientWatch,
  ClientWatchEvent,
  ObjectList,
  ResourceName,
} from "../../client/client.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";

export function metadataOnly(client: Client): Client {
  return {
    async list(resource: ResourceName, options?: ClientListOptions): Promise<ObjectList> {
      const { items, resourceVersion } = await client.list(resource, options);
      return { items: items.map(toMetadata), resourceVersion };
    },
    watch(resource: ResourceName, resourceVersion: string, options?: ClientListOptions): ClientWatch {
      const watch = client.watch(resource, resourceVersion, options);
      return {
        next: async () => (await watch.next())?.map(toMetadataEvent),
        close: () => watch.close(),
      };
    },
    get: (resource, key) => client.get(resource, key),
    create: (resource, object) => client.create(resource, object),
    update: (resource, object, subresource) => client.update(resource, object, subresource),
    patch: (resource, key, options) => client.patch(resource, key, options),
    delete: (resource, key, options) => client.delete(resource, key, options),
  };
}

const toMetadataEvent = ({ type, object }: ClientWatchEvent): ClientWatchEvent => ({
  type,
  object: toMetadata(object),
});

function toMetadata({ metadata }: KubeObject): KubeObject {
  const kept: ObjectMeta = {};
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata;
  if (name !== undefined) kept.name = name;
  if (namespace !== undefined) kept.namespace = namespace;
  if (uid !== undefined) kept.uid = uid;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  if (finalizers !== undefined) kept.finalizers = finalizers;
  if (ownerReferences !== undefined) kept.ownerReferences = ownerReferences;
  return { metadata: kept };
}
