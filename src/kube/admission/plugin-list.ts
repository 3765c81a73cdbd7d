// The admission chain: plugins by name, in the order of a kube-apiserver, and which of them are enabled. Names
// without `create` are known but not implemented: disabling them has no effect, and enabling them is rejected.
import { DYNAMIC_PLUGINS } from "../../apiserver/admission/dynamic-admission.ts";
import type { AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import type { AskingDeps } from "./about.ts";
import { createAlwaysDeny } from "./always-deny.ts";
import { createAlwaysPullImages } from "./always-pull-images.ts";
import {
  createCertificateApproval,
  createCertificateSigning,
  createCertificateSubjectRestriction,
} from "./certificates.ts";
import { createClaimResize } from "./claim-resize.ts";
import { createDefaultIngressClass } from "./default-ingress-class.ts";
import { createDefaultStorageClass } from "./default-storage-class.ts";
import { createEgressIpMarkGuard } from "./egressip-mark.ts";
import { createDenyServiceExternalIps } from "./external-ips.ts";
import { createLimitRanger } from "./limit-ranger.ts";
import { createNamespaceAutoProvision, createNamespaceExists } from "./namespace-existence.ts";
import { createNamespaceLifecycle } from "./namespace-lifecycle.ts";
import { createNodeRestriction } from "./node-restriction.ts";
import { createOwnerPermissions } from "./owner-permissions.ts";
import { createPodResize } from "./pod-resize.ts";
import { createPodSecurity } from "./pod-security.ts";
import { createPodTopologyLabels } from "./pod-topology-labels.ts";
import { createPriority } from "./priority.ts";
import { createResourceQuota } from "./resource-quota.ts";
import { createRuntimeClass } from "./runtime-class.ts";
import { createServiceAccount } from "./service-account.ts";
import { createStorageProtection } from "./storage-protection.ts";
import { createDefaultTolerationSeconds, createTaintNodesByCondition } from "./tolerations.ts";

interface PluginEntry {
  readonly name: string;
  /** Lazily loaded imports are only used inside the call. */
  readonly create?: (deps: AskingDeps) => AdmissionPlugin;
  /** Off unless it is enabled explicitly. */
  readonly asked?: true;
}

const PLUGINS: readonly PluginEntry[] = [
  { name: "AlwaysAdmit", create: () => ({ name: "AlwaysAdmit" }), asked: true },
  { name: "NamespaceAutoProvision", create: (deps) => createNamespaceAutoProvision(deps), asked: true },
  { name: "NamespaceLifecycle", create: createNamespaceLifecycle },
  { name: "NamespaceExists", create: (deps) => createNamespaceExists(deps), asked: true },
  { name: "LimitPodHardAntiAffinityTopology" },
  { name: "LimitRanger", create: createLimitRanger },
  { name: "ServiceAccount", create: createServiceAccount, asked: true },
  { name: "NodeRestriction", create: createNodeRestriction, asked: true },
  { name: "TaintNodesByCondition", create: createTaintNodesByCondition },
  { name: "AlwaysPullImages", create: () => createAlwaysPullImages(), asked: true },
  { name: "ImagePolicyWebhook" },
  { name: "PodSecurity", create: createPodSecurity },
  { name: "PodNodeSelector" },
  { name: "Priority", create: createPriority },
  { name: "DefaultTolerationSeconds", create: createDefaultTolerationSeconds },
  { name: "PodTolerationRestriction" },
  { name: "EventRateLimit" },
  { name: "ExtendedResourceToleration" },
  { name: "DefaultStorageClass", create: createDefaultStorageClass },
  { name: "StorageObjectInUseProtection", create: createStorageProtection },
  { name: "PodGroupProtection" },
  {
    name: "OwnerReferencesPermissionEnforcement",
    create: (deps) => createOwnerPermissions(deps),
    asked: true,
  },
  { name: "PersistentVolumeClaimResize", create: createClaimResize },
  { name: "RuntimeClass", create: createRuntimeClass },
  { name: "CertificateApproval", create: createCertificateApproval },
  { name: "CertificateSigning", create: createCertificateSigning },
  { name: "ClusterTrustBundleAttest" },
  { name: "CertificateSubjectRestriction", create: createCertificateSubjectRestriction },
  { name: "DefaultIngressClass", create: createDefaultIngressClass },
  { name: "DenyServiceExternalIPs", create: () => createDenyServiceExternalIps(), asked: true },
  { name: "PodTopologyLabels", create: createPodTopologyLabels },
  { name: "PodGroupWorkloadExists" },
  { name: "NodeDeclaredFeatureValidator" },
  { name: "JobValidation" },
  { name: "PodResizeValidator", create: createPodResize },
  { name: "EgressIPMark", create: createEgressIpMarkGuard, asked: true },
  { name: "ResourceQuota", create: createResourceQuota },
  { name: "AlwaysDeny", create: () => createAlwaysDeny(), asked: true },
];

/** Additionally on with TLS, where kubelets have identities of their own, as in kubeadm. */
export const SECURE_PLUGINS: readonly string[] = ["NodeRestriction"];

/** --enable-admission-plugins and --disable-admission-plugins. */
export interface PluginChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

export const PLUGIN_NAMES: readonly string[] = [...PLUGINS.map(({ name }) => name), ...DYNAMIC_PLUGINS];

/** Plugins that are off by default. */
export const ASKED_PLUGINS: readonly string[] = PLUGINS.filter(({ asked }) => asked).map(({ name }) => name);

/** Plugins that are on by default. */
export const STANDING_PLUGINS: readonly string[] = [
  ...PLUGINS.filter(({ create, asked }) => create && !asked).map(({ name }) => name),
  ...DYNAMIC_PLUGINS,
];

/** Validation errors with the text of a kube-apiserver. */
export function complaintsOfChoice({ enable, disable }: PluginChoice): string[] {
  const unknown = (flag: string, names: readonly string[]) =>
    names
      .filter((name) => !PLUGIN_NAMES.includes(name))
      .map((name) => `${flag}-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
  const both = [...new Set(enable.filter((name) => disable.includes(name)))].sort();
  const overlap = `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`;
  return [
    ...unknown("enable", enable),
    ...unknown("disable", disable),
    ...(both.length > 0 ? [overlap] : []),
    ...enable
      .filter((name) => PLUGINS.some((entry) => entry.name === name && !entry.create))
      .map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is not played here`),
  ];
}

/** The enabled plugins, in their order. */
export function createPlugins(deps: AskingDeps, { enable, disable }: PluginChoice): AdmissionPlugin[] {
  return PLUGINS.filter(({ name, asked }) => !disable.includes(name) && (!asked || enable.includes(name)))
    .map(({ create }) => create?.(deps))
    .filter((plugin) => plugin !== undefined);
}
