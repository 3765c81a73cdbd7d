import { describe, expect, test } from "vitest";
import { type GoFlag, lastOf, listOf, readGoFlags } from "../../../../src/cli/envtest/go-flags.ts";

const FLAGS: readonly GoFlag[] = [
  { name: "allow-privileged", type: "bool" },
  { name: "secure-port", type: "int" },
  { name: "bind-address", type: "ip" },
  { name: "request-timeout", type: "duration" },
  { name: "goaway-chance", type: "float" },
  { name: "etcd-servers", type: "strings" },
  { name: "service-account-issuer", type: "stringArray" },
  { name: "feature-gates", type: "mapStringString" },
  { name: "v", type: "int", short: "v" },
  { name: "help", type: "bool", short: "h" },
];
const pflag = (...args: readonly string[]) => readGoFlags(FLAGS, args, { oneDash: "letters" });
const flag = (...args: readonly string[]) => readGoFlags(FLAGS, args, { oneDash: "name" });

describe("values", () => {
  test("stand behind a flag or its equals sign", () => {
    expect(lastOf(pflag("--secure-port", "1"), "secure-port")).toBe("1");
    expect(lastOf(pflag("--secure-port=2"), "secure-port")).toBe("2");
    expect(lastOf(flag("-secure-port", "3"), "secure-port")).toBe("3");
    expect(lastOf(flag("-secure-port=4"), "secure-port")).toBe("4");
    expect(lastOf(pflag("--service-account-issuer=a=b"), "service-account-issuer")).toBe("a=b");
  });

  test("a boolean takes none, and the next word is not its value", () => {
    expect(pflag("--allow-privileged", "--secure-port=1").get("allow-privileged")).toEqual(["true"]);
    expect(pflag("--allow-privileged=F").get("allow-privileged")).toEqual(["false"]);
    expect(() => pflag("--allow-privileged", "false")).toThrow('does not take any arguments, got ["false"]');
  });

  test("the last one counts, lists grow, and an array does not split its items", () => {
    const values = pflag(
      ...["--secure-port=1", "--secure-port=2", "--etcd-servers=a,b", "--etcd-servers", "c"],
      ...["--service-account-issuer=a,b", "--service-account-issuer=c"],
    );
    expect(lastOf(values, "secure-port")).toBe("2");
    expect(listOf(values, "etcd-servers")).toEqual(["a", "b", "c"]);
    expect(values.get("service-account-issuer")).toEqual(["a,b", "c"]);
  });

  test("underscores stand for dashes, and one letter for a name", () => {
    expect(lastOf(pflag("--secure_port=1"), "secure-port")).toBe("1");
    for (const words of [["-v4"], ["-v=4"], ["-v", "4"], ["--v=4"]])
      expect(lastOf(pflag(...words), "v")).toBe("4");
    expect(pflag("-h").has("help")).toBe(true);
  });
});

test.each([
  [["--foo"], "unknown flag: --foo"],
  [["--foo=1"], "unknown flag: --foo"],
  [["-x"], "unknown shorthand flag: 'x' in -x"],
  [["--secure-port"], "flag needs an argument: --secure-port"],
  [["word"], 'does not take any arguments, got ["word"]'],
  [
    ["--secure-port=x"],
    'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    ["--allow-privileged=x"],
    'invalid argument "x" for "--allow-privileged" flag: strconv.ParseBool: parsing "x": invalid syntax',
  ],
  [
    ["--goaway-chance=x"],
    'invalid argument "x" for "--goaway-chance" flag: strconv.ParseFloat: parsing "x": invalid syntax',
  ],
  [["--request-timeout=x"], 'invalid argument "x" for "--request-timeout" flag: time: invalid duration "x"'],
  [["--bind-address=foo"], 'invalid argument "foo" for "--bind-address" flag: failed to parse IP: "foo"'],
])("%j is rejected", (words, message) => {
  expect(() => pflag(...words)).toThrow(message);
});
