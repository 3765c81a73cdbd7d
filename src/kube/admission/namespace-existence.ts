// NamespaceAutoProvision and NamespaceExists: writes in a namespace that does not exist.
import { notFound, StatusError } from "../../apimachinery/meta/status.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import type { AskingDeps, PluginDeps } from "./about.ts";

const NAMESPACES = { group: "", resource: "namespaces" };

/** Creates the missing namespace, which remains if the object is rejected later. */
export const createNamespaceAutoProvision = (deps: AskingDeps): AdmissionPlugin => ({
  name: "NamespaceAutoProvision",
  seesUnstored: true,
  async admit(attributes) {
    const { operation, namespace, context } = attributes;
    if (operation !== "CREATE" || context.dryRun || !isMissing(deps, attributes)) return;
    try {
      await deps.createNamespace?.(namespace);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason !== "AlreadyExists") throw refuse(attributes, error.message);
    }
  },
});

/** Rejects a write in a namespace that does not exist. */
export const createNamespaceExists = (deps: PluginDeps): AdmissionPlugin => ({
  name: "NamespaceExists",
  seesUnstored: true,
  validate(attributes) {
    if (attributes.operation === "CONNECT" || !isMissing(deps, attributes)) return;
    throw notFound(NAMESPACES, attributes.namespace);
  },
});

/** Cluster-scoped objects have no namespace. */
const isMissing = ({ store }: PluginDeps, { view, namespace }: AdmissionAttributes): boolean =>
  view.definition.namespaceScoped &&
  namespace !== "" &&
  store.get(`/registry/namespaces/${namespace}`) === undefined;
