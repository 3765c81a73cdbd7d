// POST of an object that is not stored, such as a Binding below a Pod. It is decoded and admitted like a new object, then
// passed to the subresource's action.
import type { DecodedObject } from "./codec/object-decoder.ts";
import { acceptObject } from "./codec/object-decoder.ts";
import type { RequestContext, TokenIssuer } from "./definition/request-context.ts";
import type {
  ActionAnswer,
  ObjectAddress,
  ResourceView,
  SubresourceAction,
} from "./definition/resource-definition.ts";
import { actionOf } from "./definition/view.ts";
import type { ResourceStore } from "./resource-store.ts";
import { trackWrite } from "./write/managed-fields.ts";
import { dropRepeatedOwners, dropSystemFields, placeInNamespace } from "./write/prepare.ts";

/** An action, and the kind that is posted to it. */
export interface PostedAction {
  readonly action: SubresourceAction;
  readonly posted: ResourceView;
}

/** Action of a POST to the subresource; "" is the collection of the kind. undefined: it accepts no POST. */
export function postedTo(view: ResourceView, subresource: string): PostedAction | undefined {
  const action = actionOf(view, subresource);
  const [version] = action?.posted.versions ?? [];
  if (action === undefined || version === undefined) return undefined;
  return { action, posted: { definition: action.posted, version } };
}

interface PostInput {
  readonly target: ObjectAddress;
  readonly subresource: string;
  readonly decoded: DecodedObject;
  readonly context: RequestContext;
  readonly tokenIssuer: TokenIssuer;
}

/** Changes the apiVersion of an object in an accepted version to that of the action. */
function inOwnVersion({ acceptsVersions, posted }: SubresourceAction, decoded: DecodedObject): DecodedObject {
  const { object } = decoded;
  if (!acceptsVersions?.includes(object.apiVersion ?? "")) return decoded;
  const apiVersion = `${posted.group}/${posted.versions[0]?.name}`;
  return { ...decoded, object: { ...object, apiVersion } };
}

/** Rejects with a StatusError. */
export async function postAction(
  resources: ResourceStore,
  { action, posted }: PostedAction,
  { target, subresource, decoded, context, tokenIssuer }: PostInput,
): Promise<ActionAnswer> {
  const { view, namespace } = target;
  const object = acceptObject(posted, inOwnVersion(action, decoded), context);
  placeInNamespace(posted, object, namespace);
  if (!action.keepsSystemFields) dropSystemFields(object);
  dropRepeatedOwners(object, context, "request");
  delete object.metadata.managedFields;
  const endpoint = { view: posted, strategy: action.posted.strategy, subresource };
  const tracked = await trackWrite({ endpoint, live: undefined, next: object, context });
  const name = target.name || (tracked.metadata.name ?? "");
  const about = { operation: "CREATE", view, subresource, namespace, name, object: tracked, posted } as const;
  const within = { ...context, resources, tokenIssuer };
  const check = () => action.check?.(tracked, target, within);
  await resources.admitPosted({ ...about, oldObject: undefined, context }, check);
  return await action.run(tracked, target, within);
}
