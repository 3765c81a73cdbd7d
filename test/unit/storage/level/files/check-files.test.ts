// Which files of a folder are checked, and the possible faults of each.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkFiles } from "../../../../../src/storage/level/files/check-files.ts";
import { removeFolder, temporaryFolder } from "../../../../contract/store-harness.ts";
import { logOf, newFile, tableOf, withBit } from "./leveldb-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => removeFolder(folder));

const LOG = logOf(Buffer.from("one"), Buffer.from("two"));
const TORN = LOG.subarray(0, -1);
const DAMAGED = withBit(LOG, 8 * 8);
const { bytes: TABLE } = tableOf([Buffer.from("one"), Buffer.from("two")]);
const BAD_TABLE = withBit(TABLE, 8 * TABLE.indexOf("two"));
const MANIFEST = logOf(newFile(5), newFile(6));

type Files = Readonly<Record<string, Buffer | string>>;

/** "sound", or what is wrong. */
async function verdict(files: Files): Promise<string> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  try {
    await checkFiles(folder);
    return "sound";
  } catch (error) {
    expect(error).toMatchObject({ code: "UNREADABLE" });
    const { message } = error as Error;
    expect(message).toContain(`the data in ${folder} is damaged: `);
    return message.slice(message.indexOf("damaged: ") + 9, message.indexOf(";"));
  }
}

const DATABASE: Files = { CURRENT: "MANIFEST-000002\n", "MANIFEST-000002": MANIFEST, "000007.log": LOG };
const second = "the record at byte 10 of 000007.log cannot be read";

describe("a folder", () => {
  test("that is not there, is empty or holds no database is sound", async () => {
    await expect(checkFiles(join(folder, "nowhere"))).resolves.toBeUndefined();
    expect(await verdict({})).toBe("sound");
    expect(await verdict({ "000007.log": DAMAGED, "000005.ldb": BAD_TABLE })).toBe("sound");
  });

  test.each<[string, Files, string]>([
    ["with a whole log", {}, "sound"],
    ["with a torn log", { "000007.log": TORN }, "sound"],
    ["with a damaged log", { "000007.log": DAMAGED }, "the record at byte 0 of 000007.log cannot be read"],
    ["with a torn log before another", { "000007.log": TORN, "000008.log": LOG }, second],
    ["whose torn log is the last", { "000008.log": TORN, "000006.log": LOG }, "sound"],
    [
      "with other files of no meaning",
      { "7.log.bak": DAMAGED, "x7.log": DAMAGED, "000005.ldb~": BAD_TABLE },
      "sound",
    ],
    [
      "with damage in a table",
      { "000005.ldb": BAD_TABLE },
      "the block at byte 8 of 000005.ldb cannot be read",
    ],
    [
      "with damage in an old table",
      { "000006.sst": BAD_TABLE },
      "the block at byte 8 of 000006.sst cannot be read",
    ],
    ["with damage in a table of no use", { "000005.ldb": TABLE, "000009.ldb": BAD_TABLE }, "sound"],
    [
      "whose manifest LevelDB refuses",
      { "MANIFEST-000002": logOf(Buffer.from([8])), "000005.ldb": BAD_TABLE },
      "sound",
    ],
    ["whose manifest is elsewhere", { CURRENT: "MANIFEST-000009\n", "000005.ldb": BAD_TABLE }, "sound"],
  ])("%s", async (_, files, expected) => {
    expect(await verdict({ ...DATABASE, ...files })).toBe(expected);
  });

  test("orders its logs by their numbers, whose digits grow", async () => {
    const { "000007.log": _, ...rest } = DATABASE;
    expect(await verdict({ ...rest, "999999.log": LOG, "1000000.log": TORN })).toBe("sound");
    const torn = "the record at byte 10 of 999999.log cannot be read";
    expect(await verdict({ "999999.log": TORN, "1000000.log": LOG })).toBe(torn);
  });

  test("without a log is sound only where LevelDB has just begun", async () => {
    expect(await verdict({ CURRENT: "MANIFEST-000001\n", "MANIFEST-000001": MANIFEST })).toBe("sound");
    expect(await verdict({ "000007.log": TORN })).toBe("sound");
  });

  test("that has lost its log is damaged", async () => {
    const { "000007.log": _, ...rest } = DATABASE;
    expect(await verdict(rest)).toBe("its log is missing");
  });
});
