// IngressClass: names the controller that serves a sort of ingress.

import { type FieldError, forbidden, invalid, required, tooLong } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../meta/names.ts";
import { formErrors } from "../checks.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { setDefault, specOf } from "../fields.ts";

const CONTROLLER_LENGTH_MAX = 250;
const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${PATH}$`);

function parametersCell(object: Readonly<JsonObject>): string {
  const parameters = objectAt(specOf(object), "parameters");
  if (parameters === undefined) return "<none>";
  const { apiGroup } = parameters;
  const kind = textAt(parameters, "kind") + (typeof apiGroup === "string" ? `.${apiGroup}` : "");
  return `${kind}/${textAt(parameters, "name")}`;
}

/** A domain, a slash and anything that may stand in the path of a URL. */
function validateController(field: string, controller: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(controller) > CONTROLLER_LENGTH_MAX) {
    errors.push(tooLong(field, CONTROLLER_LENGTH_MAX));
  }
  const slash = controller.indexOf("/");
  const host = controller.slice(0, Math.max(slash, 0));
  const path = controller.slice(slash + 1);
  if (host === "" || path === "") {
    const rule = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [...errors, invalid(field, controller, rule)];
  }
  append(errors, formErrors(isDns1123Subdomain, field, host));
  if (!httpPath.test(path)) {
    errors.push(invalid(field, path, `Invalid path (regex used for validation is '${PATH}')`));
  }
  return errors;
}

function validateNamespace(field: string, { scope, namespace }: JsonObject): FieldError[] {
  if (scope === "Cluster") {
    return namespace === undefined ? [] : [forbidden(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (scope !== "Namespace") return [];
  if (typeof namespace !== "string") return [required(field, "`parameters.scope` is set to 'Namespace'")];
  return formErrors(isDns1123Label, field, namespace);
}

export const ingressClasses = builtIn("networking.k8s.io/v1", "IngressClass", {
  namespaceScoped: false,
  columns: [
    NAME,
    column("Controller", "Who serves ingresses of this class.", "spec.controller"),
    column("Parameters", "Object with further settings.", parametersCell),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    hasGeneration: true,
    allowUnconditionalUpdate: true,
    applyDefaults(object) {
      const parameters = objectAt(specOf(object), "parameters");
      if (parameters !== undefined) setDefault(parameters, "scope", "Cluster");
    },
  },
  rules: {
    controller: ({ field, value }) => validateController(field, String(value)),
    namespace: ({ field, owner }) => validateNamespace(`${field}.namespace`, owner),
  },
});
