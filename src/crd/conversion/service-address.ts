// Where a Service is, for webhooks behind one: an external name, else its cluster address.
import { isObject, objectAt, textOf } from "../../meta/json.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { ResourceStore } from "../../registry/resource-store.ts";
import type { ResolveService, ServiceTarget } from "./call-webhook.ts";

export function serviceResolver(resources: ResourceStore): ResolveService {
  return (target) => {
    const { name, port } = target;
    const spec = objectAt(findService(resources, target), "spec");
    if (spec === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    if (spec["type"] === "ExternalName") return { host: textOf(spec["externalName"]), port };
    const ports = Array.isArray(spec["ports"]) ? spec["ports"].filter(isObject) : [];
    if (!ports.some((item) => item["port"] === port)) {
      throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    }
    return { host: textOf(spec["clusterIP"]), port };
  };
}

function findService(resources: ResourceStore, { namespace, name }: ServiceTarget) {
  const view = resources.registry.findStorage("", "services");
  const kv = view && resources.find({ view, namespace, name });
  return kv && decodeStored(kv);
}
