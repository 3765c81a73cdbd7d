// Checks of the Pod Security level "baseline", which prevents access of Pods to their node.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import {
  type Check,
  containerCheck,
  contextsOf,
  counted,
  type Finding,
  namesOf,
  type PodView,
  plural,
  quoted,
  setters,
  sorted,
} from "./pod-view.ts";

const APP_ARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const APP_ARMOR_TYPES = ["RuntimeDefault", "Localhost"];

export function appArmorProfile(pod: PodView): Finding | undefined {
  const typeOf = (context: JsonObject | undefined) => {
    const profile = objectAt(context, "appArmorProfile");
    return profile && textAt(profile, "type");
  };
  const isBad = (type: string | undefined) => type !== undefined && !APP_ARMOR_TYPES.includes(type);
  const types = sorted(contextsOf(pod).map(typeOf).filter(isBad).map(String));
  const noted = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isAppArmorValue(String(value)))
    .map(([key, value]) => `${key}=${goQuote(String(value))}`)
    .sort();
  const who = [
    setters(pod, (context) => isBad(typeOf(context))),
    noted.length > 0 ? plural("annotation", noted.length) : undefined,
  ].filter((text) => text !== undefined);
  if (who.length === 0) return undefined;
  const values = [...types, ...noted];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

const isAppArmorValue = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

const CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

/** The containers that add capabilities beyond the allowed ones, and which; undefined without any. */
export function addedCapabilities({ containers }: PodView, allowed: readonly string[]): string | undefined {
  const added = (context: JsonObject | undefined) =>
    textsAt(objectAt(context, "capabilities"), "add").filter((name) => !allowed.includes(name));
  const bad = containers.filter(({ security }) => added(security).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sorted(bad.flatMap(({ security }) => added(security))));
  return `${counted("container", namesOf(bad))} must not include ${names} in securityContext.capabilities.add`;
}

export function capabilities(pod: PodView): Finding | undefined {
  const detail = addedCapabilities(pod, CAPABILITIES);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
}

const HOST_NAMESPACES = ["hostNetwork", "hostPID", "hostIPC"];

export function hostNamespaces({ spec }: PodView): Finding | undefined {
  const used = HOST_NAMESPACES.filter((member) => spec[member] === true).map((member) => `${member}=true`);
  return used.length > 0 ? { reason: "host namespaces", detail: used.join(", ") } : undefined;
}

export function hostPathVolumes({ spec }: PodView): Finding | undefined {
  const bad = objectsAt(spec, "volumes").filter((volume) => objectAt(volume, "hostPath"));
  const names = bad.map((volume) => textAt(volume, "name"));
  return names.length > 0 ? { reason: "hostPath volumes", detail: counted("volume", names) } : undefined;
}

export function hostPorts({ containers }: PodView): Finding | undefined {
  const portsOf = (container: JsonObject) =>
    objectsAt(container, "ports")
      .map((port) => numberAt(port, "hostPort") ?? 0)
      .filter((port) => port !== 0);
  const bad = containers.filter(({ container }) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sorted(bad.flatMap(({ container }) => portsOf(container)).map(String));
  const used = `${bad.length === 1 ? "uses" : "use"} ${plural("hostPort", ports.length)} ${ports.join(", ")}`;
  return { reason: "hostPort", detail: `${counted("container", namesOf(bad))} ${used}` };
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

/** Since 1.34. */
export function hostProbes({ containers }: PodView): Finding | undefined {
  const hostsOf = (container: JsonObject) => {
    const lifecycle = objectAt(container, "lifecycle");
    const hooks = ["postStart", "preStop"].map((hook) => objectAt(lifecycle, hook));
    return [...PROBES.map((probe) => objectAt(container, probe)), ...hooks]
      .flatMap((handler) => ["httpGet", "tcpSocket"].map((kind) => textAt(objectAt(handler, kind), "host")))
      .filter((host) => host !== "");
  };
  const bad = containers.filter(({ container }) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const reason = "probe or lifecycle host";
  const names = sorted(namesOf(bad));
  const hosts = sorted(bad.flatMap(({ container }) => hostsOf(container)));
  const used = `${names.length === 1 ? "uses" : "use"} ${counted(reason, hosts)}`;
  return { reason, detail: `${counted("container", names)} ${used}` };
}

export const privileged: Check = containerCheck(
  "privileged",
  ({ security }) => security?.["privileged"] === true,
  "must not set securityContext.privileged=true",
);

export function procMount({ containers }: PodView): Finding | undefined {
  const typeOf = (context: JsonObject | undefined) => textAt(context, "procMount");
  const bad = containers.filter(({ security }) => !["", "Default"].includes(typeOf(security)));
  if (bad.length === 0) return undefined;
  const types = quoted(sorted(bad.map(({ security }) => typeOf(security))));
  const detail = `${counted("container", namesOf(bad))} must not set securityContext.procMount to ${types}`;
  return { reason: "procMount", detail };
}

const SE_LINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];
export const SE_LINUX_TYPES_1_31 = [...SE_LINUX_TYPES, "container_engine_t"];

export const seLinuxOptions =
  (types: readonly string[] = SE_LINUX_TYPES): Check =>
  (pod) => {
    const optionsOf = (context: JsonObject | undefined) => objectAt(context, "seLinuxOptions") ?? {};
    const isBad = (options: JsonObject) =>
      !types.includes(textAt(options, "type")) || ["user", "role"].some((key) => textAt(options, key) !== "");
    const who = setters(pod, (context) => isBad(optionsOf(context)));
    if (who === undefined) return undefined;
    const all = contextsOf(pod).map(optionsOf);
    const badTypes = sorted(all.map((options) => textAt(options, "type"))).filter(
      (type) => !types.includes(type),
    );
    const told = [
      ...(badTypes.length > 0 ? [counted("type", badTypes)] : []),
      ...["user", "role"]
        .filter((key) => all.some((options) => textAt(options, key) !== ""))
        .map((key) => `${key} may not be set`),
    ];
    const detail = `${who} set forbidden securityContext.seLinuxOptions: ${told.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };

export const SECCOMP_TYPES = ["Localhost", "RuntimeDefault"];

export const seccompTypeOf = (context: JsonObject | undefined): string | undefined => {
  const profile = objectAt(context, "seccompProfile");
  return profile && textAt(profile, "type");
};

/** Rejects Pods and containers that set a seccomp profile outside of SECCOMP_TYPES. */
export function seccompProfile(pod: PodView): Finding | undefined {
  const isBad = (type: string | undefined) => type !== undefined && !SECCOMP_TYPES.includes(type);
  const who = setters(pod, (context) => isBad(seccompTypeOf(context)));
  if (who === undefined) return undefined;
  const types = contextsOf(pod).map(seccompTypeOf).filter(isBad).map(String);
  const detail = `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`;
  return { reason: "seccompProfile", detail };
}

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

/** Before 1.19 seccomp profiles were set by annotations. */
export function seccompAnnotations({ annotations, containers }: PodView): Finding | undefined {
  const keys = [SECCOMP_POD, ...containers.map(({ name }) => SECCOMP_CONTAINER + name)];
  const isGood = (value: string) =>
    ["runtime/default", "docker/default"].includes(value) || value.startsWith("localhost/");
  const bad = sorted(
    keys
      .filter((key) => annotations[key] !== undefined && !isGood(String(annotations[key])))
      .map((key) => `${key}=${goQuote(String(annotations[key]))}`),
  );
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
}

const SYSCTLS = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
export const SYSCTLS_1_27 = [...SYSCTLS, "net.ipv4.ip_local_reserved_ports"];
export const SYSCTLS_1_29 = [
  ...SYSCTLS_1_27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
export const SYSCTLS_1_32 = [...SYSCTLS_1_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

export const sysctls =
  (allowed: readonly string[] = SYSCTLS): Check =>
  ({ security }) => {
    const names = objectsAt(security, "sysctls").map((sysctl) => textAt(sysctl, "name"));
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length > 0 ? { reason: "forbidden sysctls", detail: bad.join(", ") } : undefined;
  };

export function windowsHostProcess(pod: PodView): Finding | undefined {
  const who = setters(pod, (context) => objectAt(context, "windowsOptions")?.["hostProcess"] === true);
  if (who === undefined) return undefined;
  const detail = `${who} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
}
