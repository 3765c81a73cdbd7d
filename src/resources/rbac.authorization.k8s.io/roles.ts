// Role: rights inside one namespace.
import { isPathSegmentName } from "../../meta/names.ts";
import { builtIn } from "../define.ts";
import { RBAC_GROUP } from "./bindings.ts";
import { validateRules, withoutEmptyRules } from "./rules.ts";

export const roles = builtIn({
  type: "io.k8s.api.rbac.v1.Role",
  group: RBAC_GROUP,
  version: "v1",
  resource: "roles",
  namespaceScoped: true,
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validateName: isPathSegmentName,
    prepareForCreate: withoutEmptyRules,
    prepareForUpdate: withoutEmptyRules,
    validate: (object) => validateRules(object, true),
    validateUpdate: (object) => validateRules(object, true),
  },
});
