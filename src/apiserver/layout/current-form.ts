// Conversion of built-in kinds to the version in which they are stored today. Some removed versions have the same
// fields. Other removed versions are converted where the conversion is known; otherwise the object is skipped.

import { type JsonObject, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import type { TypeIdentity } from "../endpoints/protobuf/value-types.ts";
import { conformObject } from "../registry/codec/object-decoder.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import { apiVersionOf, storageView, versionNamed } from "../registry/definition/view.ts";
import { crdFromV1beta1 } from "./crd-v1beta1.ts";
import { ofToday } from "./older-forms.ts";

/** Removed versions whose kinds have the same fields as the storage version. */
const ALIKE: readonly (readonly [group: string, versions: string, kinds: string])[] = [
  ["admissionregistration.k8s.io", "v1beta1", "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"],
  ["admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"],
  ["admissionregistration.k8s.io", "v1beta1", "MutatingWebhookConfiguration ValidatingWebhookConfiguration"],
  ["apiregistration.k8s.io", "v1beta1", "APIService"],
  ["autoscaling", "v2beta2", "HorizontalPodAutoscaler"],
  ["batch", "v1beta1", "CronJob"],
  ["certificates.k8s.io", "v1beta1", "CertificateSigningRequest"],
  ["coordination.k8s.io", "v1beta1", "Lease"],
  ["flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema PriorityLevelConfiguration"],
  ["networking.k8s.io", "v1beta1", "IngressClass ServiceCIDR IPAddress"],
  ["node.k8s.io", "v1beta1", "RuntimeClass"],
  ["policy", "v1beta1", "PodDisruptionBudget"],
  ["rbac.authorization.k8s.io", "v1beta1", "Role RoleBinding ClusterRole ClusterRoleBinding"],
  ["resource.k8s.io", "v1beta2", "ResourceClaim ResourceClaimTemplate DeviceClass ResourceSlice"],
  ["scheduling.k8s.io", "v1beta1", "PriorityClass"],
  ["storage.k8s.io", "v1beta1", "StorageClass CSIDriver CSINode CSIStorageCapacity"],
  ["storage.k8s.io", "v1beta1", "VolumeAttachment VolumeAttributesClass"],
];

/** The converted object, or why conversion is impossible. */
export type Formed = { readonly object: JsonObject } | { readonly reason: string };

/** A decoded type with access to its object. */
export interface SaidObject {
  readonly identity: TypeIdentity;
  /** The message, if the encoding is protobuf. */
  readonly raw?: Uint8Array;
  /** Decodes the object as the given type, which may differ from its own. Throws ProtobufDecodeError. */
  readonly read: (type: TypeIdentity) => JsonObject;
}

/** Conversion for the given built-in kinds. */
export interface CurrentForms {
  /** Converts a stored object; undefined for other kinds. Throws decoding errors. */
  read(said: SaidObject): Formed | undefined;
  /**
   * Converts an object that was read from an API, for import. undefined where its version is still served, or its
   * kind is not one of these.
   */
  ofServed(object: KubeObject): { readonly object: KubeObject } | { readonly reason: string } | undefined;
}

export function currentForms(builtIn: readonly ResourceDefinition[]): CurrentForms {
  const kinds = new Map(builtIn.map((definition) => [`${definition.group}/${definition.kind}`, definition]));
  const definitionOf = ({ apiVersion, kind }: TypeIdentity): ResourceDefinition | undefined =>
    kinds.get(`${partsOfApiVersion(apiVersion)[0]}/${kind}`);
  return {
    read({ identity: said, raw, read: readSaid }) {
      // Protobuf messages of these versions have other fields, whose layout is not known.
      const converted = raw === undefined ? ofToday(readSaid(said)) : undefined;
      const type = converted === undefined ? said : { ...said, apiVersion: textAt(converted, "apiVersion") };
      const read: typeof readSaid = converted === undefined ? readSaid : () => converted;
      const definition = definitionOf(type);
      if (definition === undefined) return undefined;
      if (versionNamed(definition, type.apiVersion) !== undefined) return built(definition, read(type));
      if (isOldCrd(type)) return built(definition, crdFromV1beta1(read(ofV1(type))));
      if (!isAlike(type)) return { reason: noMore(type) };
      const apiVersion = apiVersionOf(storageView(definition));
      return built(definition, { ...read({ ...type, apiVersion }), apiVersion });
    },
    ofServed(object) {
      const converted = ofToday(object);
      if (converted !== undefined) return { object: converted };
      const { apiVersion = "", kind = "" } = object;
      const definition = definitionOf({ apiVersion, kind });
      if (definition === undefined || versionNamed(definition, apiVersion) !== undefined) return undefined;
      if (isOldCrd({ apiVersion, kind })) return { object: { ...object, ...crdFromV1beta1(object) } };
      if (!isAlike({ apiVersion, kind })) return { reason: noMore({ apiVersion, kind }) };
      return { object: { ...object, apiVersion: apiVersionOf(storageView(definition)) } };
    },
  };
}

/** v1beta1 CustomResourceDefinitions have another protobuf message, but were always stored as JSON. */
const isOldCrd = ({ apiVersion, kind }: TypeIdentity): boolean =>
  kind === "CustomResourceDefinition" && apiVersion === "apiextensions.k8s.io/v1beta1";

const ofV1 = (type: TypeIdentity): TypeIdentity => ({ ...type, apiVersion: "apiextensions.k8s.io/v1" });

const noMore = ({ apiVersion, kind }: TypeIdentity): string =>
  `is a ${kind} of ${apiVersion}, a version that is no more`;

function isAlike({ apiVersion, kind }: TypeIdentity): boolean {
  const [group, version] = partsOfApiVersion(apiVersion);
  return ALIKE.some(([of, one, kinds]) => of === group && one === version && kinds.split(" ").includes(kind));
}

/** Decodes as a server does: with pruning and defaulting. */
function built(definition: ResourceDefinition, value: JsonObject): Formed {
  const version = versionNamed(definition, textAt(value, "apiVersion"));
  if (version === undefined) return { object: value };
  let complaint: string | undefined;
  const refuse = (why: string) => {
    complaint = why;
    return new TypeError(why);
  };
  try {
    const { object } = conformObject({ definition, version }, value, { refuse });
    return { object: version.storedForm === undefined ? object : version.storedForm.toStored(object) };
  } catch (error) {
    if (complaint === undefined) throw error;
    return { reason: `is no ${definition.kind}: ${complaint}` };
  }
}
