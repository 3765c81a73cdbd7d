// Archives that are small in transfer and large when unpacked.
import { gzipSync } from "node:zlib";
import { inTurn, type Stall } from "./stall.ts";
import { zipOf } from "./zip-of.ts";

const MEGABYTE = 1_000_000;
/** The unpacked size. */
const BOMB_MEGABYTES = 390;
const YAML_LINES = 1_500_000;

const importOf = (name: string, body: Buffer) =>
  ({
    method: "POST",
    path: `/egret/v1/import/file?name=${name}`,
    type: "application/octet-stream",
    body,
  }) as const;

export const ARCHIVE_STALLS: readonly Stall[] = [
  {
    id: "archive/gzip",
    what: "a gzip of 400 kB that unpacks to 390 MB of open brackets",
    answers: [400],
    arm: async (access) => {
      // Members of a gzip are read in sequence.
      const member = gzipSync(Buffer.alloc(MEGABYTE, "["));
      const body = Buffer.concat(Array.from({ length: BOMB_MEGABYTES }, () => member));
      return inTurn(access, [importOf("bomb.json.gz", body)]);
    },
  },
  {
    id: "archive/brackets",
    what: "2.9 MB of open brackets as a file",
    answers: [400],
    arm: async (access) => inTurn(access, [importOf("deep.json", Buffer.alloc(2_900_000, "["))]),
  },
  {
    id: "archive/zip",
    what: "a zip of 1,500,000 lines of YAML",
    answers: [400],
    arm: async (access) => {
      const body = zipOf("lines.yaml", Buffer.from("- a\n".repeat(YAML_LINES)));
      return inTurn(access, [importOf("lines.zip", body)]);
    },
  },
];
