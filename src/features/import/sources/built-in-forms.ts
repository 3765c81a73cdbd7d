// Built-in kinds converted to their current versions, as far as a conversion is known.
import { currentForms } from "../../../apiserver/layout/current-form.ts";
import { BUILT_IN_RESOURCES } from "../../../kube/index.ts";

export const builtInForms = currentForms(BUILT_IN_RESOURCES);
