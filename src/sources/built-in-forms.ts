// The built-in kinds in their versions of today, as far as it is known how they come there.
import { currentForms } from "../apiserver/layout/current-form.ts";
import { BUILT_IN_RESOURCES } from "../resources/index.ts";

export const builtInForms = currentForms(BUILT_IN_RESOURCES);
