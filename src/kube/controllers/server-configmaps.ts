// Maintains the ConfigMaps of kube-apiserver itself in kube-system: recreates them after a deletion and completes
// missing fields.
import { core } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";

export const serverConfigMaps = defineController({
  name: "server-configmaps",
  summary:
    "ConfigMaps of the server itself: whom it trusts, and since when it notes the use of tokens in Secrets",
  fieldManager: "kube-apiserver",
  ofServer: true,
  watches: {
    maps: {
      resource: core("configmaps"),
      list: { namespace: "kube-system" },
      on: ["update", "delete"],
      toKeys: ({ object }) => [object.metadata.name],
    },
  },
  async reconcile(name, { client, ownConfigMaps }) {
    await ownConfigMaps?.get(name)?.(client);
  },
});
