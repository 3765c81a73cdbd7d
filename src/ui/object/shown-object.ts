// The object that a view is about.
import type { KindInfo, ObjectRef } from "../frame/kinds.ts";

export interface ShownObject {
  readonly kind: KindInfo;
  readonly of: ObjectRef;
}
