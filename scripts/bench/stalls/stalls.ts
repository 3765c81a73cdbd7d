// All stalls, in the order in which they run against one server.
import { ARCHIVE_STALLS } from "./archive-stalls.ts";
import { COLLECTION_STALLS } from "./collection-stalls.ts";
import { OBJECT_STALLS } from "./object-stalls.ts";
import { READER_STALLS } from "./reader-stalls.ts";
import { SCHEMA_STALLS } from "./schema-stalls.ts";
import { SERVER_STALLS } from "./server-stalls.ts";
import type { Stall } from "./stall.ts";
import { WEBHOOK_STALLS } from "./webhook-stalls.ts";
import { YAML_STALLS } from "./yaml-stalls.ts";

export const STALLS: readonly Stall[] = [
  ...YAML_STALLS,
  ...SCHEMA_STALLS,
  ...OBJECT_STALLS,
  ...SERVER_STALLS,
  ...READER_STALLS,
  ...COLLECTION_STALLS,
  ...WEBHOOK_STALLS,
  ...ARCHIVE_STALLS,
];
