// Security context of a pod and its containers: users, profiles and privileges.

import { type JsonObject, objectAt, objectsAt, textAt, textOf } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  invalid,
  repeated,
  required,
  tooLong,
} from "../../../apimachinery/meta/field-error.ts";
import { invalidStruct } from "../../../apiserver/registry/strategy/checks.ts";
import { isTrue } from "../../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../../apiserver/registry/strategy/internal-struct.ts";
import { type CodeRules, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { validatePrivileged } from "./privileges.ts";
import { WINDOWS_RULES } from "./systems.ts";

const TYPES = "io.k8s.api.core.v1.";
const SYSCTL_LENGTH_MAX = 253;
const SYSCTL = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const SYSCTL_PATTERN = new RegExp(SYSCTL);
const APP_ARMOR_NAME_MAX = 4095;

/** Of the spec, hostPID and shareProcessNamespace are read. */
export function validatePodSecurity(field: string, context: JsonObject, spec: JsonObject): FieldError[] {
  const shares = isTrue(spec, "hostPID") && isTrue(spec, "shareProcessNamespace");
  const rule = "ShareProcessNamespace and HostPID cannot both be enabled";
  const shared = () => (shares ? [invalid(`${field}.shareProcessNamespace`, true, rule)] : []);
  const sysctls = () => validateSysctls(`${field}.sysctls`, objectsAt(context, "sysctls"));
  return schemaErrors(`${TYPES}PodSecurityContext`, context, {
    field,
    code: { ...PROFILES_CODE, shared, sysctls },
  });
}

export function validateContainerSecurity(
  field: string,
  context: JsonObject | undefined,
  hostUsers: boolean,
): FieldError[] {
  if (context === undefined) return [];
  const unmasked = hostUsers && context["procMount"] === "Unmasked";
  const rule = "`hostUsers` must be false to use `Unmasked`";
  const procMount = () => (unmasked ? [invalid(`${field}.procMount`, "Unmasked", rule)] : []);
  const escalation = () => validateEscalation(field, context);
  const code = { ...PROFILES_CODE, procMount, escalation };
  return [
    ...validatePrivileged(field, context),
    ...schemaErrors(`${TYPES}SecurityContext`, context, { field, code }),
  ];
}

const PROFILES_CODE: CodeRules = {
  ...WINDOWS_RULES,
  seccomp({ field, owner }) {
    const shown = structOf(`${TYPES}SeccompProfile`, owner);
    return [invalidStruct(field, shown, "can only be set when seccomp type is Localhost")];
  },
  appArmor({ field, value }) {
    const text = textOf(value);
    const padded = text !== text.trim();
    return [
      ...(padded ? [invalid(field, text, "must not be padded with whitespace")] : []),
      ...(Buffer.byteLength(text) > APP_ARMOR_NAME_MAX ? [tooLong(field, APP_ARMOR_NAME_MAX)] : []),
    ];
  },
};

function validateSysctls(field: string, sysctls: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap((sysctl, index) => {
    const name = textAt(sysctl, "name");
    const place = `${field}[${index}].name`;
    if (name === "") return [required(place)];
    if (name.length > SYSCTL_LENGTH_MAX || !SYSCTL_PATTERN.test(name)) {
      const rule = `must have at most ${SYSCTL_LENGTH_MAX} characters and match regex ${SYSCTL}`;
      return [invalid(place, name, rule)];
    }
    return repeated(seen, place, name);
  });
}

/** A privileged container, or one with CAP_SYS_ADMIN, cannot forbid privilege escalation. */
function validateEscalation(field: string, context: JsonObject): FieldError[] {
  if (context["allowPrivilegeEscalation"] !== false) return [];
  const added = objectAt(context, "capabilities")?.["add"];
  const complaints = [
    ...(isTrue(context, "privileged") ? ["`privileged` to true"] : []),
    ...(Array.isArray(added) ? added : [])
      .filter((capability) => capability === "CAP_SYS_ADMIN")
      .map(() => "`capabilities.Add` CAP_SYS_ADMIN"),
  ];
  return complaints.map((text) =>
    invalidStruct(
      field,
      structOf(`${TYPES}SecurityContext`, context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${text}`,
    ),
  );
}
