// VolumeAttachment: requests that a volume is attached to a node. This server has no attacher.

import { equalJson, objectAt } from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden, required, tooLong } from "../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import { bytesIn, formErrors, invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, booleanColumn, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { isTrue, keepingStatus, ONLY_STATUS, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { type CodeRules, objectOf, type Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateInlineVolume } from "../core/volume/spec-validation.ts";

const SPEC = "io.k8s.api.storage.v1.VolumeAttachmentSpec";
const ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
const METADATA_BYTES_MAX = 256 * 1024;

function validateSource({ field, owner }: Place): FieldError[] {
  const name = owner["persistentVolumeName"];
  const inline = objectAt(owner, "inlineVolumeSpec");
  if (name === undefined && inline === undefined) return [required(field, ONE_SOURCE)];
  if (name !== undefined && inline !== undefined) return [forbidden(field, ONE_SOURCE)];
  if (inline !== undefined) return validateInlineVolume(`${field}.inlineVolumeSpec`, inline);
  const place = `${field}.persistentVolumeName`;
  if (name === "") return [required(place, "must specify non empty persistentVolumeName")];
  return formErrors(isDns1123Subdomain, place, String(name));
}

const rules: CodeRules = {
  source: validateSource,
  attachmentMetadata({ field, value }) {
    return bytesIn(objectOf(value)) > METADATA_BYTES_MAX ? [tooLong(field, METADATA_BYTES_MAX)] : [];
  },
  fixed: ({ owner, old }) =>
    old === undefined || equalJson(owner["spec"], old["spec"])
      ? []
      : [invalidStruct("spec", structOf(SPEC, specOf(owner)), "field is immutable")],
};

export const volumeAttachments = builtIn("storage.k8s.io/v1", "VolumeAttachment", {
  namespaceScoped: false,
  columns: [
    NAME,
    { ...column("Attacher", "Driver that attaches the volume.", "spec.attacher"), format: "name" },
    column("PV", "Name of the volume.", "spec.source.persistentVolumeName"),
    column("Node", "The node.", "spec.nodeName"),
    booleanColumn("Attached", "Whether the volume is attached.", (object) =>
      isTrue(objectAt(object, "status"), "attached"),
    ),
    AGE,
  ],
  strategy: {
    ...keepingStatus({ attached: false }),
    allowUnconditionalUpdate: false,
    metadataChecksOnUpdate: ["new"],
  },
  status: { ...ONLY_STATUS, metadataChecksOnUpdate: ["new"] },
  rules,
  returnsDeletedObject: true,
});
