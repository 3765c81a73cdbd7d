// IPAddress: an address that somebody holds. It is named by the address itself, so nobody else can hold it too.

import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { isCanonicalIp } from "../addresses.ts";
import { validateSame } from "../checks.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { specOf } from "../fields.ts";

function parentCell(object: Readonly<JsonObject>): string {
  const parent = objectAt(specOf(object), "parentRef");
  if (parent === undefined) return "<none>";
  const [group, resource, namespace, name] = ["group", "resource", "namespace", "name"].map((key) =>
    textAt(parent, key),
  );
  const type = (group ? `${resource}.${group}` : `${resource}`).toLowerCase();
  return [type, ...(namespace ? [namespace] : []), name].join("/");
}

export const ipAddresses = builtIn("networking.k8s.io/v1", "IPAddress", {
  shortNames: ["ip"],
  namespaceScoped: false,
  columns: [NAME, column("ParentRef", "Who holds the address.", parentCell), AGE],
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowUnconditionalUpdate: true,
    validateName: isCanonicalIp,
    validateUpdate: (object, old) =>
      validateSame("spec.parentRef", specOf(object)["parentRef"], specOf(old)["parentRef"]),
  },
});
