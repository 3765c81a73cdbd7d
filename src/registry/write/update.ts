// PUT: the whole object, or what a subresource shows of it, in the place of the stored one.
import { cloneJson } from "../../meta/json.ts";
import { notFound } from "../../meta/status.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress } from "../definition/resource-definition.ts";
import { createsOnUpdate } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { commitChange, readLive, startOver } from "./change.ts";
import { createMissing, type WriteResult } from "./create.ts";
import { acceptObject, type DecodedObject } from "./field-validation.ts";
import { endpointOf, trackWrite } from "./managed-fields.ts";
import { checkNameMatches, dropRepeatedOwners, placeInNamespace } from "./prepare.ts";

export interface UpdateInput {
  readonly address: ObjectAddress;
  /** "" for the object itself. */
  readonly subresource: string;
  /** Of the kind that the endpoint shows. It is changed. */
  readonly decoded: DecodedObject;
  readonly context: RequestContext;
}

/** Replaces an object, or makes it where its kind lets a PUT do so. Rejects with a StatusError. */
export async function updateObject(
  deps: RegistryDeps,
  { address, subresource, decoded, context }: UpdateInput,
): Promise<WriteResult> {
  const { view, namespace, name } = address;
  const endpoint = endpointOf(view, subresource);
  const object = acceptObject(endpoint.view, decoded, context);
  placeInNamespace(endpoint.view, object, namespace);
  checkNameMatches(object, name);
  dropRepeatedOwners(object, context, "request");
  const asked = { subresource, context, uid: object.metadata.uid };
  for (;;) {
    try {
      const live = await readLive(deps, address, asked);
      const next = cloneJson(object);
      if (live !== undefined) {
        const tracked = await trackWrite({ endpoint, live: live.shown, next, context: live.context });
        return await commitChange(deps, { address, subresource, live, next: tracked });
      }
      if (!createsOnUpdate(view, subresource)) throw notFound(view.definition, name);
      delete next.metadata.managedFields;
      const tracked = await trackWrite({ endpoint, live, next, context });
      const missing = { view, namespace, object: tracked, context, subresource, keepsManagers: false };
      const created = await createMissing(deps, missing);
      if (created) return created;
    } catch (error) {
      startOver(error, address);
    }
  }
}
