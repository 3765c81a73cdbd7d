// IngressClass: names the controller that serves a sort of ingress.

import { type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { validateSame } from "../checks.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { setDefault } from "../fields.ts";
import { schemaErrors } from "../schema-rules.ts";

const CONTROLLER_LENGTH_MAX = 250;
const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${PATH}$`);

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  return {
    cells: [
      textAt(metadata, "name"),
      textAt(spec, "controller"),
      parametersCell(objectAt(spec, "parameters")),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function parametersCell(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup } = parameters;
  const kind = textAt(parameters, "kind") + (typeof apiGroup === "string" ? `.${apiGroup}` : "");
  return `${kind}/${textAt(parameters, "name")}`;
}

function applyDefaults(object: KubeObject): void {
  const parameters = objectAt(objectAt(object, "spec"), "parameters");
  if (parameters !== undefined) setDefault(parameters, "scope", "Cluster");
}

const validate = (object: Readonly<JsonObject>): FieldError[] =>
  schemaErrors("io.k8s.api.networking.v1.IngressClassSpec", objectAt(object, "spec") ?? {}, {
    field: "spec",
    code: {
      controller: ({ field, value }) => validateController(field, String(value)),
      namespace: ({ field, owner }) => validateNamespace(`${field}.namespace`, owner),
    },
  });

/** A domain, a slash and anything that may stand in the path of a URL. */
function validateController(field: string, controller: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(controller) > CONTROLLER_LENGTH_MAX) {
    const message = `Too long: may not be more than ${CONTROLLER_LENGTH_MAX} bytes`;
    errors.push({ reason: "FieldValueTooLong", field, message });
  }
  const slash = controller.indexOf("/");
  const host = controller.slice(0, Math.max(slash, 0));
  const path = controller.slice(slash + 1);
  if (host === "" || path === "") {
    const rule = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [...errors, invalid(field, controller, rule)];
  }
  append(
    errors,
    isDns1123Subdomain(host).map((text) => invalid(field, host, text)),
  );
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
  return isDns1123Label(namespace).map((text) => invalid(field, namespace, text));
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
  validate,
  validateUpdate: (object, old) => [
    ...validateSame(
      "spec.controller",
      objectAt(object, "spec")?.["controller"] ?? "",
      objectAt(old, "spec")?.["controller"] ?? "",
    ),
    ...validate(object),
  ],
};

export const ingressClasses = builtIn("networking.k8s.io/v1", "IngressClass", {
  namespaceScoped: false,
  columns: [
    NAME,
    column("Controller", "Who serves ingresses of this class."),
    column("Parameters", "Object with further settings."),
    AGE,
  ],
  printRow,
  strategy,
});
