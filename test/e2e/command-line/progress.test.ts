// Long-running commands report progress on a terminal, and never into a pipe or file.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../../support/egret-process.ts";
import { terminalProblem, typeLine } from "../../support/package/terminal.ts";

const MAIN = join(import.meta.dirname, "../../../dist/main.js");
const OBJECTS = 450;

let folder: string;
let kubeconfig: string;
let many: string;
let saved: string;
let server: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-progress-"));
  kubeconfig = join(folder, "kubeconfig");
  many = join(folder, "many.yaml");
  saved = join(folder, "saved");
  const object = (n: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-${n}}\n`;
  await writeFile(many, Array.from({ length: OBJECTS }, (_, n) => object(n)).join("---\n"));
  server = await startEgret(["--in-memory", "--controllers=", "--kubeconfig", kubeconfig]);
  expect(await runEgret(["backup", saved, "--kubeconfig", kubeconfig])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface LongWork {
  readonly args: () => readonly string[];
  readonly told: string | RegExp;
}

let made = 0;
const WORK: Readonly<Record<string, LongWork>> = {
  "egret apply": {
    args: () => ["apply", "--kubeconfig", kubeconfig, "-f", many],
    told: "applied 0 of 450 (0 %)",
  },
  "egret run --load": {
    args: () => ["run", "--controllers=", "--load", many, "--", "true"],
    told: "loaded 0 of 450 (0 %)",
  },
  "egret restore": {
    args: () => ["restore", saved, "--data-dir", join(folder, `store-${made++}`)],
    told: /^read \d+ of \d+ \(100 %\)$/,
  },
};

describe.each(Object.entries(WORK))("%s", (_name, { args, told }) => {
  test.skipIf(terminalProblem() !== undefined)("on a terminal, and the line is gone at the end", async () => {
    const { code, shown } = await typeLine([process.execPath, MAIN, ...args()].join(" "));
    expect(code, shown.join("\n")).toBe(0);
    expect(shown).toContainEqual(typeof told === "string" ? told : expect.stringMatching(told));
    expect(shown.at(-1)).not.toMatch(/ of \d+ \(/);
  });

  test("in a pipe", async () => {
    expect(await runEgret(args())).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("egret serve --load", () => {
  const flags = ["--in-memory", "--controllers=", "--kubeconfig="];

  test.skipIf(terminalProblem() !== undefined)("on a terminal, and the line is gone at the end", async () => {
    const ready = join(folder, "ready");
    const more = ["--listen=127.0.0.1:0", "--load", many, "--ready-file", ready];
    const serve = [process.execPath, MAIN, ...flags, ...more].join(" ");
    const { shown } = await typeLine(
      `${serve} & while [ ! -e ${ready} ] && kill -0 $!; do sleep 0.1; done; kill $!; wait $!`,
    );
    expect(shown).toContain("loaded 0 of 450 (0 %)");
    expect(shown.at(-1)).toMatch(/^Egret listens on /);
  });

  test("in a pipe", async () => {
    await using egret = await startEgret([...flags, "--load", many]);
    expect(await egret.stop()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.skipIf(terminalProblem() !== undefined)("npm run bench", () => {
  const cwd = join(import.meta.dirname, "../../..");
  const told = "1 of 1, start: start, memory at rest, stop";
  const bench = async (more: string): Promise<string> => {
    const line = `${process.execPath} --import tsx scripts/bench.ts --quick --only start --folder ${folder}`;
    const { code, shown } = await typeLine(line + more, { cwd });
    expect(code, shown.join("\n")).toBe(0);
    return shown.join("");
  };

  test("on a terminal", async () => {
    expect(await bench("")).toContain(told);
  });

  test("in a pipe", async () => {
    const printed = await bench(" 2>&1 | cat");
    expect(printed).toContain("start to first answer");
    expect(printed).not.toContain(told);
  });
});
