// ServiceAccount: an identity for pods; stored as given.
import { objectAt } from "../../meta/json.ts";
import { TOKEN_SUBRESOURCE } from "../authentication.k8s.io/tokenrequests.ts";
import { AGE, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { textAt } from "../fields.ts";

export const serviceAccounts = builtIn({
  type: "io.k8s.api.core.v1.ServiceAccount",
  group: "",
  version: "v1",
  resource: "serviceaccounts",
  shortNames: ["sa"],
  namespaceScoped: true,
  columns: [NAME, AGE],
  printRow(object, nowMs) {
    const metadata = objectAt(object, "metadata");
    return { cells: [textAt(metadata, "name"), timeSince(metadata, "creationTimestamp", nowMs)] };
  },
  strategy: { allowUnconditionalUpdate: true },
  returnsDeletedObject: true,
  subresources: [TOKEN_SUBRESOURCE],
});
