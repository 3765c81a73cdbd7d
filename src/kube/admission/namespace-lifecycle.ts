import { notFound } from "../../apimachinery/meta/status.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { AdmittingPlugin, PluginDeps } from "./about.ts";

const NAMESPACES = { group: "", resource: "namespaces" };
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);

/**
 * Rejects new objects in a namespace that does not exist or is terminating, and the deletion of the system
 * namespaces.
 */
export const createNamespaceLifecycle = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "NamespaceLifecycle",
  admit(attributes) {
    const { operation, view, namespace, name } = attributes;
    const { group, resource, namespaceScoped } = view.definition;
    if (operation === "DELETE") {
      if (group === "" && resource === "namespaces" && IMMORTAL.has(name)) {
        throw refuse(attributes, "this namespace may not be deleted");
      }
      return;
    }
    if (operation !== "CREATE" || !namespaceScoped) return;
    const kv = store.get(`/registry/namespaces/${namespace}`);
    if (kv === undefined) throw notFound(NAMESPACES, namespace);
    if (decodeStored(kv).metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `namespace ${namespace} is being terminated`;
    const cause = { reason: "NamespaceTerminating", message, field: "metadata.namespace" };
    throw refuse(attributes, why, [cause]);
  },
});
