// Operating system of a pod: settings of other systems are rejected. Also the users of Windows processes.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../../apimachinery/meta/given-empty.ts";
import { isTrue } from "../../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../../apiserver/registry/strategy/schema-rules.ts";

const SYSTEMS = ["linux", "windows"];

/** Containers of all lists, in upstream's order. */
export function visitContainers<T>(
  field: string,
  spec: JsonObject,
  visit: (place: string, container: JsonObject) => T[],
): T[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => visit(`${field}.${list}[${index}]`, container)),
  );
}

export function validateSystem(field: string, spec: JsonObject): FieldError[] {
  const os = objectAt(spec, "os");
  if (os === undefined) return [];
  const name = textAt(os, "name");
  if (name === "") return [required(`${field}.os.name`)];
  if (!SYSTEMS.includes(name)) return [notSupported(`${field}.os`, name, SYSTEMS)];
  return name === "windows" ? validateWindows(field, spec) : validateLinux(field, spec);
}

function validateLinux(field: string, spec: JsonObject): FieldError[] {
  const check = (place: string, holder: JsonObject): FieldError[] =>
    objectAt(objectAt(holder, "securityContext"), "windowsOptions") === undefined
      ? []
      : [
          forbidden(
            `${place}.securityContext.windowsOptions`,
            "windows options cannot be set for a linux pod",
          ),
        ];
  return [...check(field, spec), ...visitContainers(field, spec, check)];
}

/** Settings that Windows does not support, in the order of the findings: in the pod's security context, or in its spec. */
const OF_POD_CONTEXT_FIRST = ["appArmorProfile", "seLinuxOptions"];
const OF_POD = ["hostUsers", "hostPID", "hostIPC"];
const OF_POD_CONTEXT = ["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"];
const OF_POD_CONTEXT_LAST = [
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const OF_CONTAINER = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];
/** These are no pointers: false and empty values count as unset. */
const COUNT_IF_TRUE = ["hostPID", "hostIPC"];

function validateWindows(field: string, spec: JsonObject): FieldError[] {
  const unwanted = (
    place: string,
    holder: JsonObject | undefined,
    members: readonly string[],
  ): FieldError[] =>
    members
      .filter((member) => holder !== undefined && isSet(holder, member))
      .map((member) => forbidden(`${place}.${member}`, "cannot be set for a windows pod"));
  const context = objectAt(spec, "securityContext");
  const inContext = `${field}.securityContext`;
  return [
    ...unwanted(inContext, context, OF_POD_CONTEXT_FIRST),
    ...unwanted(field, spec, OF_POD),
    ...unwanted(inContext, context, OF_POD_CONTEXT),
    ...unwanted(field, spec, ["shareProcessNamespace"]),
    ...unwanted(inContext, context, OF_POD_CONTEXT_LAST),
    ...visitContainers(field, spec, (place, container) =>
      unwanted(`${place}.securityContext`, objectAt(container, "securityContext"), OF_CONTAINER),
    ),
  ];
}

function isSet(holder: JsonObject, member: string): boolean {
  if (COUNT_IF_TRUE.includes(member)) return isTrue(holder, member);
  if (member === "sysctls") return objectsAt(holder, member).length > 0;
  return (holder[member] ?? undefined) !== undefined || wasGivenEmpty(holder, member);
}

const HOST_USERS_RULE = "when `hostUsers` is false";

/** A user namespace excludes all host namespaces. Upstream spells two of the members this way. */
export function validateHostUsers(field: string, spec: JsonObject): FieldError[] {
  if (spec["hostUsers"] !== false) return [];
  const shared = ["hostNetwork", "HostPID", "HostIPC"].filter((called) =>
    isTrue(spec, called.replace(/^H/, "h")),
  );
  return [
    ...shared.map((called) => forbidden(`${field}.${called}`, HOST_USERS_RULE)),
    ...visitContainers(field, spec, (place, container) =>
      objectsAt(container, "volumeDevices").length > 0
        ? [forbidden(`${place}.volumeDevices`, HOST_USERS_RULE)]
        : [],
    ),
  ];
}

// Windows users: with a domain, or local.

const GMSA_KIB_MAX = 64;
const DOMAIN_LENGTH_MAX = 255;
const USER_LENGTH_MAX = 104;
const DOMAIN_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS_DOMAIN = new RegExp(`^${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*$`);
const NET_BIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
const FORBIDDEN_IN_USER = '"/\\:;|=,+*?<>@[]';

export const WINDOWS_RULES: CodeRules = {
  gmsaSpec({ field, value }) {
    const text = String(value);
    if (text === "") return [invalid(field, text, "gmsaCredentialSpec cannot be an empty string")];
    const rule = `gmsaCredentialSpec size must be under ${GMSA_KIB_MAX} KiB`;
    return Buffer.byteLength(text) > GMSA_KIB_MAX * 1024 ? [invalid(field, text, rule)] : [];
  },
  windowsUser({ field, value }) {
    const text = String(value);
    return windowsUserComplaints(text).map((complaint) => invalid(field, text, `runAsUserName${complaint}`));
  },
};

function windowsUserComplaints(text: string): string[] {
  if (text === "") return [" cannot be an empty string"];
  if (CONTROL.test(text)) return [" cannot contain control characters"];
  const parts = text.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? parts[0] : undefined;
  const complaints = domain === undefined ? [] : domainComplaints(domain);
  if (user === "") complaints.push("'s User cannot be empty");
  else if (Buffer.byteLength(user) > USER_LENGTH_MAX)
    complaints.push(`'s User length must not be longer than ${USER_LENGTH_MAX} characters`);
  if (/^[. ]+$/.test(user)) complaints.push("'s User cannot contain only periods or spaces");
  if ([...user].some((character) => FORBIDDEN_IN_USER.includes(character)))
    complaints.push(`'s User cannot contain the following characters: ${FORBIDDEN_IN_USER}`);
  return complaints;
}

function domainComplaints(domain: string): string[] {
  const isLong = Buffer.byteLength(domain) > DOMAIN_LENGTH_MAX;
  const isKnown = NET_BIOS_DOMAIN.test(domain) || DNS_DOMAIN.test(domain);
  return [
    ...(isLong ? [`'s Domain length must be under ${DOMAIN_LENGTH_MAX + 1} characters`] : []),
    ...(isKnown ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ];
}
