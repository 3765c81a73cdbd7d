// What is never looked at: policies and webhooks themselves, so that one that refuses everything can be taken back, and
// questions to the server, which change nothing.
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { ADMISSION_GROUP } from "../deps.ts";

export function isExempt({ group, review }: ResourceDefinition): boolean {
  return group === ADMISSION_GROUP || review !== undefined;
}
