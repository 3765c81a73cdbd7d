// The admission plugins that are off unless --enable-admission-plugins names them, as the API server's flag of that
// name does. NamespaceLifecycle is always on; naming it changes nothing.
import { type ServerOptions, UsageError } from "./options.ts";
import type { AdmissionPlugin } from "./registry/admission/admission.ts";
import { createEgressIpMarkGuard } from "./registry/admission/egressip-mark-guard.ts";

const OPTIONAL: ReadonlyMap<string, () => AdmissionPlugin> = new Map([
  ["EgressIPMark", createEgressIpMarkGuard],
]);
const ALWAYS_ON = new Set(["NamespaceLifecycle"]);

/** Throws UsageError for a name that is none. */
export function enabledAdmissionPlugins(options: ServerOptions): AdmissionPlugin[] {
  const names = options.enableAdmissionPlugins.map((name) => name.trim());
  const wanted = new Set(names.filter((name) => name !== ""));
  const unknown = [...wanted].find((name) => !OPTIONAL.has(name) && !ALWAYS_ON.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`enable-admission-plugins plugin ${JSON.stringify(unknown)} is unknown`);
  }
  return [...OPTIONAL].filter(([name]) => wanted.has(name)).map(([, create]) => create());
}
