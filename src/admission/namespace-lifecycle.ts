// The NamespaceLifecycle admission plugin: nothing is made in a namespace that does not exist or is going away, and
// the namespaces a cluster cannot do without are not deleted.
import { notFound } from "../meta/status.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/admission.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import type { Store } from "../storage/store.ts";
import { refuse } from "./refuse.ts";

const NAMESPACES = { group: "", resource: "namespaces" };
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);

export function createNamespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    admit(attributes: AdmissionAttributes): void {
      const { operation, view, namespace, name } = attributes;
      const { definition } = view;
      if (operation === "DELETE") {
        if (definition.group === "" && definition.resource === "namespaces" && IMMORTAL.has(name)) {
          throw refuse(attributes, "this namespace may not be deleted");
        }
        return;
      }
      if (operation !== "CREATE" || !definition.namespaceScoped) return;
      const kv = store.get(`/registry/namespaces/${namespace}`);
      if (kv === undefined) throw notFound(NAMESPACES, namespace);
      if (decodeStored(kv).metadata.deletionTimestamp === undefined) return;
      throw refuse(
        attributes,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is being terminated`,
            field: "metadata.namespace",
          },
        ],
      );
    },
  };
}
