// Objects of built-in kinds in the version in which they are stored today. Of the versions that servers have given up some have
// the same members; what is known here of the others is their conversion, and where that is not known they are skipped.

import { type JsonObject, textAt } from "../../meta/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../meta/object-meta.ts";
import { conformObject } from "../../registry/codec/object-decoder.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf, storageView, versionNamed } from "../../registry/definition/view.ts";
import type { TypeIdentity } from "../protobuf/value-types.ts";
import { crdFromV1beta1 } from "./crd-v1beta1.ts";
import { ofToday } from "./older-forms.ts";

/** Versions of a group whose kinds have, member by member, what the version has in which they are stored today. */
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

/** The object, or why it has none of today's forms. */
export type Formed = { readonly object: JsonObject } | { readonly reason: string };

/** What says of itself what it is. */
export interface SaidObject {
  readonly identity: TypeIdentity;
  /** Of protobuf: the message. */
  readonly raw?: Uint8Array;
  /** The object, read as one of a type, which may not be what it says. Throws ProtobufDecodeError. */
  readonly read: (type: TypeIdentity) => JsonObject;
}

/** What reads objects of the built-in kinds that are given. */
export interface CurrentForms {
  /** The object that was written; undefined for what is none of the kinds. Throws what reading throws. */
  read(said: SaidObject): Formed | undefined;
  /**
   * The same for an object that was served, and is to be as it was: undefined where its version still is, or its kind is none
   * of these.
   */
  ofServed(object: KubeObject): { readonly object: KubeObject } | { readonly reason: string } | undefined;
}

export function currentForms(builtIn: readonly ResourceDefinition[]): CurrentForms {
  const kinds = new Map(builtIn.map((definition) => [`${definition.group}/${definition.kind}`, definition]));
  const definitionOf = ({ apiVersion, kind }: TypeIdentity): ResourceDefinition | undefined =>
    kinds.get(`${partsOfApiVersion(apiVersion)[0]}/${kind}`);
  return {
    read({ identity: said, raw, read: readSaid }) {
      // Their messages have other members, too, and nobody knows them.
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

/** Its message has another form; all of them were written as JSON. */
const isOldCrd = ({ apiVersion, kind }: TypeIdentity): boolean =>
  kind === "CustomResourceDefinition" && apiVersion === "apiextensions.k8s.io/v1beta1";

const ofV1 = (type: TypeIdentity): TypeIdentity => ({ ...type, apiVersion: "apiextensions.k8s.io/v1" });

const noMore = ({ apiVersion, kind }: TypeIdentity): string =>
  `is a ${kind} of ${apiVersion}, a version that is no more`;

function isAlike({ apiVersion, kind }: TypeIdentity): boolean {
  const [group, version] = partsOfApiVersion(apiVersion);
  return ALIKE.some(([of, one, kinds]) => of === group && one === version && kinds.split(" ").includes(kind));
}

/** As a server reads it: without what its kind does not know, with what it has by default. */
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
