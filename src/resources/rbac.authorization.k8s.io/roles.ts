// Role: rights inside one namespace.
import { isPathSegmentName } from "../../meta/names.ts";
import { builtIn } from "../define.ts";
import { validateRules, withoutEmptyRules } from "./rules.ts";

export const roles = builtIn("rbac.authorization.k8s.io/v1", "Role", {
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
