// APIService: a version of a group and the service that serves it. Those without a service are local. Others are stored,
// but requests are not proxied to them.

import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { invalid } from "../../apimachinery/meta/field-error.ts";
import { isDns1035Label, isPathSegmentName } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formErrors } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keepOwnMetadata, specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";

function serviceCell(object: Readonly<JsonObject>): string {
  const service = objectAt(specOf(object), "service");
  return service === undefined ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`;
}

function availableCell(object: Readonly<JsonObject>): string {
  const available = conditionOf(objectAt(object, "status"), "Available");
  if (available === undefined) return "Unknown";
  const status = textAt(available, "status");
  return status === "True" ? status : `${status} (${textAt(available, "reason")})`;
}

function validateName(name: string, _prefix: boolean, object?: Readonly<KubeObject>): string[] {
  const complaints = isPathSegmentName(name, false);
  if (complaints.length > 0 || object === undefined) return complaints;
  const spec = specOf(object);
  const wanted = `${textAt(spec, "version")}.${textAt(spec, "group")}`;
  return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

const rules: CodeRules = {
  version: ({ field, value }) => formErrors(isDns1035Label, field, String(value)),
  localBundle({ field, value }) {
    const size = Buffer.from(String(value), "base64").length;
    return size > 0 ? [invalid(field, `${size} bytes`, "local APIServices may not have a caBundle")] : [];
  },
};

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  prepareForCreate(object, { clock }) {
    const local = {
      type: "Available",
      status: "True",
      lastTransitionTime: formatTime(clock.now()),
      reason: "Local",
      message: "Local APIServices are always available",
    };
    object["status"] = specOf(object)["service"] === undefined ? { conditions: [local] } : {};
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  validateName,
};

export const apiServices = builtIn("apiregistration.k8s.io/v1", "APIService", {
  type: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
  categories: ["api-extensions"],
  namespaceScoped: false,
  columns: [
    NAME,
    column("Service", "Where the server is; Local for this one.", serviceCell),
    column("Available", "Whether it is served.", availableCell),
    AGE,
  ],
  strategy,
  status: {
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
      keepOwnMetadata(object, old);
    },
  },
  rules,
  storagePrefix: "apiregistration.k8s.io/apiservices",
});
