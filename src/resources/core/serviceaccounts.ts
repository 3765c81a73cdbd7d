// ServiceAccount: an identity for pods; stored as given, but that secrets have names only.
import { type JsonObject, objectsAt, textAt } from "../../meta/json.ts";
import { TOKEN_SUBRESOURCE } from "../authentication.k8s.io/tokenrequests.ts";
import { AGE, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";

/** Secrets lie beside the account, so that a name is enough. */
function keepSecretNames(object: JsonObject): void {
  if (!Array.isArray(object["secrets"])) return;
  object["secrets"] = objectsAt(object, "secrets").map((secret) => {
    const name = textAt(secret, "name");
    return name === "" ? {} : { name };
  });
}

export const serviceAccounts = builtIn("v1", "ServiceAccount", {
  shortNames: ["sa"],
  columns: [NAME, AGE],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    allowUnconditionalUpdate: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
  },
  returnsDeletedObject: true,
  subresources: [TOKEN_SUBRESOURCE],
});
