// A custom kind through kubectl: its CRD, its objects, and the API machinery beyond reads and writes: field managers,
// scale, status, watches. The tests run in order and build on each other.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Kubectl, rowsOf } from "../support/kubectl.ts";
import { describeWithKubectl, type KubectlSession } from "../support/kubectl-session.ts";

const manifest = (name: string) => join(import.meta.dirname, "manifests", name);
const CRD = manifest("widget-crd.yaml");
const WIDGETS = manifest("widgets.yaml");

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

describeWithKubectl("kubectl and a kind of one's own", (start) => {
  let session: KubectlSession;
  let kubectl: Kubectl;
  /** The manifest of the two widgets, with the first one in green. */
  let greenWidgets: string;

  beforeAll(async () => {
    session = await start();
    kubectl = session.kubectl;
    greenWidgets = (await readFile(WIDGETS, "utf8")).replace("red", "green");
  });
  afterAll(() => session?.close());

  const row = (name: string, ...args: string[]) => session.row(name, "get", "widgets", ...args);
  const read = (name: string, path: string) => session.text("get", "widget", name, "-o", `jsonpath=${path}`);
  const entriesOf = async (name: string): Promise<Entry[]> => {
    const text = await session.text("get", "widget", name, "-o", "json", "--show-managed-fields");
    return JSON.parse(text).metadata.managedFields;
  };
  /** An editor that runs this sed script over the file. */
  const editor = async (script: string): Promise<string> => {
    const path = join(session.folder, "editor.sh");
    await writeFile(path, `#!/bin/sh\nsed -i '${script}' "$1"\n`, { mode: 0o755 });
    return path;
  };

  describe("the definition", () => {
    test("apply creates it, and wait sees it established", async () => {
      expect(await session.text("apply", "-f", CRD)).toBe(
        "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\n",
      );
      expect(await session.text("wait", "--for=condition=Established", "crd/widgets.example.com")).toContain(
        "condition met",
      );
      expect(await session.text("api-resources", "--api-group=example.com", "--no-headers")).toMatch(
        /^widgets\s+wd\s+example\.com\/v1\s+true\s+Widget\s*$/,
      );
    });

    test("apply creates its objects right after, with their defaults", async () => {
      expect(await session.text("apply", "-f", WIDGETS)).toBe(
        "widget.example.com/one created\nwidget.example.com/two created\n",
      );
      expect(await row("one", "-o", "wide")).toEqual({
        NAME: "one",
        COLOUR: "red",
        REPLICAS: "1",
        PHASE: "",
      });
      expect(await row("two")).toEqual({ NAME: "two", COLOUR: "blue", REPLICAS: "3" });
      expect(await session.text("apply", "-f", CRD, "-f", WIDGETS)).toMatch(/^(\S+ unchanged\n){3}$/);
    });

    test("explain goes to the bottom of a custom kind", async () => {
      const text = await session.text("explain", "wd.spec.ports.tls.secretName");
      expect(text).toMatch(/GROUP:\s+example\.com\nKIND:\s+Widget\nVERSION:\s+v1\n/);
      expect(text).toMatch(/FIELD: secretName <string>\n[\s\S]*The Secret with key and certificate\./);
      const ports = await session.text("explain", "widget.spec.ports", "--api-version=example.com/v1");
      expect(ports).toMatch(/FIELD: ports <\[\]Object>\n[\s\S]*number\s+<integer> -required-\n\s+The number/);
    });

    test.each([
      ["pod.spec.containers.env.valueFrom.secretKeyRef.name", /FIELD: name <string>/],
      ["service.spec.ports.targetPort", /FIELD: targetPort <IntOrString>/],
      ["egressfirewall.spec.egress.to.nodeSelector.matchExpressions.values", /FIELD: values <\[\]string>/],
      ["crd.spec.versions.additionalPrinterColumns.jsonPath", /FIELD: jsonPath <string>/],
      ["clusteruserdefinednetwork.spec.network.layer2.subnets", /FIELD: subnets <\[\]string>/],
    ])("explain %s", async (field, expected) => {
      expect(await session.text("explain", field)).toMatch(expected);
    });

    test("explain knows what is not there", async () => {
      const { code, stderr } = await kubectl.run(["explain", "widget.spec.nothing"]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: field "nothing" does not exist\n' });
    });

    test("explain still reads OpenAPI v2", async () => {
      const text = await session.text("explain", "widget.spec.ports.number", "--output=plaintext-openapiv2");
      expect(text).toMatch(/FIELD:\s+number <integer>\n/);
    });
  });

  describe("apply --server-side", () => {
    const apply = ["apply", "--server-side", "-f", "-"];

    test("takes over what the client-side apply had", async () => {
      expect(await session.text("apply", "--server-side", "-f", WIDGETS)).toBe(
        "widget.example.com/one serverside-applied\nwidget.example.com/two serverside-applied\n",
      );
      const managers = (await entriesOf("two")).map(({ manager, operation }) => `${manager} ${operation}`);
      expect(managers).not.toContain("kubectl-client-side-apply Update");
      expect(managers).toContain("kubectl Apply");
    });

    test("diff --server-side shows what would change, and changes nothing", async () => {
      const before = await read("one", "{.metadata.resourceVersion}");
      const { code, stdout } = await kubectl.run(["diff", "--server-side", "-f", "-"], {
        input: greenWidgets,
      });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^- {2}colour: red\n\+ {2}colour: green$/m);
      expect(await read("one", "{.metadata.resourceVersion}")).toBe(before);
      const same = await kubectl.run(["diff", "--server-side", "-f", WIDGETS]);
      expect({ code: same.code, stdout: same.stdout }).toEqual({ code: 0, stdout: "" });
    });

    test("of another manager is refused where it would change what is not his, unless forced", async () => {
      const asOther = [...apply, "--field-manager=other"];
      const { code, stderr } = await kubectl.run(asOther, { input: greenWidgets });
      expect(code).toBe(1);
      expect(stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.colour\n');
      expect(await read("one", "{.spec.colour}")).toBe("red");
      await kubectl.text([...asOther, "--force-conflicts"], { input: greenWidgets });
      expect(await read("one", "{.spec.colour}")).toBe("green");
      const owners = (await entriesOf("one"))
        .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes("f:colour"))
        .map(({ manager }) => manager);
      expect(owners).toEqual(["other"]);
    });

    test("of less gives up what is left out", async () => {
      const input = greenWidgets.replace(/ {2}ports:[\s\S]*?(?=---)/, "");
      await kubectl.text([...apply, "--field-manager=other"], { input });
      expect(await read("one", "{.spec.ports[*].number}")).toBe("80"); // still kubectl's
      await kubectl.text([...apply, "--force-conflicts"], { input });
      expect(await read("one", "{.spec.ports}")).toBe("");
    });

    test("--dry-run=server keeps nothing", async () => {
      const input = greenWidgets.replace("name: one", "name: three");
      const said = await kubectl.text([...apply, "--dry-run=server"], { input });
      expect(said).toContain("widget.example.com/three serverside-applied (server dry run)\n");
      const { stderr } = await kubectl.run(["get", "widget", "three"]);
      expect(stderr).toBe('Error from server (NotFound): widgets.example.com "three" not found\n');
    });
  });

  describe("subresources", () => {
    test("scale sets the replicas, and refuses when they are not what was expected", async () => {
      expect(await session.text("scale", "widget", "two", "--replicas=5")).toBe(
        "widget.example.com/two scaled\n",
      );
      expect(await row("two")).toMatchObject({ REPLICAS: "5" });
      const wrong = await kubectl.run(["scale", "wd", "two", "--current-replicas=3", "--replicas=6"]);
      expect(wrong).toMatchObject({ code: 1, stderr: "error: Expected replicas to be 3, was 5\n" });
      await session.text("scale", "wd", "two", "--current-replicas=5", "--replicas=6");
      expect(await session.text("get", "wd", "two", "--subresource=scale", "-o", "jsonpath={.spec}")).toBe(
        '{"replicas":6}',
      );
    });

    test("scale is recorded as such, so that an apply of the old number is in conflict with it", async () => {
      const scaled = (await entriesOf("two")).find(({ subresource }) => subresource === "scale");
      expect(scaled).toMatchObject({ operation: "Update", fieldsV1: { "f:spec": { "f:replicas": {} } } });
      const { stderr } = await kubectl.run(["apply", "--server-side", "-f", WIDGETS]);
      expect(stderr).toMatch(/conflict with "kubectl" with subresource "scale" using example\.com\/v1/);
    });

    test("scale of something without one", async () => {
      const { code, stderr } = await kubectl.run(["scale", "configmap", "kube-root-ca.crt", "--replicas=2"]);
      expect(code).toBe(1);
      expect(stderr).not.toContain("InternalError");
    });

    test("edit --subresource=status changes the status and nothing else", async () => {
      const EDITOR = await editor("s/^spec:/status:\\n  phase: Ready\\nspec:/; s/colour: blue/colour: red/");
      const generation = await read("two", "{.metadata.generation}");
      const said = await kubectl.text(["edit", "wd", "two", "--subresource=status"], { env: { EDITOR } });
      expect(said).toBe("widget.example.com/two edited\n");
      expect(await read("two", "{.status.phase} {.spec.colour} {.metadata.generation}")).toBe(
        `Ready blue ${generation}`,
      );
      const entry = (await entriesOf("two")).find(({ subresource }) => subresource === "status");
      expect(entry).toMatchObject({ manager: "kubectl-edit", operation: "Update" });
    });

    test("patch and get --subresource=status", async () => {
      const patch = JSON.stringify({
        status: { phase: "Busy", conditions: [{ type: "Ready", status: "True" }] },
      });
      await session.text("patch", "wd", "two", "--subresource=status", "--type=merge", "-p", patch);
      const phase = ["get", "wd", "two", "--subresource=status", "-o", "jsonpath={.status.phase}"];
      expect(await session.text(...phase)).toBe("Busy");
      expect(await session.text("wait", "wd/two", "--for=condition=Ready", "--timeout=5s")).toContain("met");
      await session.text("patch", "wd", "two", "--type=merge", "-p", '{"status":{"phase":"Lost"}}');
      expect(await session.text(...phase)).toBe("Busy");
    });
  });

  describe("reading", () => {
    test("field selectors know the fields that the definition names", async () => {
      expect(await session.text("get", "wd", "--field-selector=spec.colour=blue", "-o", "name")).toBe(
        "widget.example.com/two\n",
      );
      const { stderr } = await kubectl.run(["get", "wd", "--field-selector=spec.replicas=6"]);
      expect(stderr).toContain("field label not supported: spec.replicas");
    });

    test("--sort-by and custom columns", async () => {
      const names = ["get", "wd", "--sort-by=.spec.replicas", "-o", "custom-columns=N:.metadata.name"];
      expect(rowsOf(await session.text(...names))).toEqual([{ N: "one" }, { N: "two" }]);
    });

    test("get --watch prints what comes, changes and goes", async () => {
      const watch = kubectl.start(["get", "widgets", "--watch", "--output-watch-events"]);
      let seen = "";
      watch.stdout?.on("data", (chunk) => (seen += chunk));
      const count = (length: number) =>
        eventually(
          () => seen.trim().split("\n"),
          (lines) => lines.length >= length,
        );
      try {
        await count(3);
        const input = greenWidgets.replace("name: one", "name: three").replace(/---[\s\S]*/, "");
        await kubectl.text(["create", "-f", "-"], { input });
        await count(4);
        await session.text("scale", "wd", "three", "--replicas=2");
        await count(5);
        await session.text("delete", "wd", "three");
        await count(6);
      } finally {
        watch.kill();
      }
      const rows = rowsOf(seen).map((each) => `${each["EVENT"]} ${each["NAME"]} ${each["REPLICAS"]}`);
      expect(rows.slice(2)).toEqual(["ADDED three 1", "MODIFIED three 2", "DELETED three 2"]);
    });

    test("wait --for=delete sees an object go", async () => {
      const waiting = kubectl.text(["wait", "wd/one", "--for=delete", "--timeout=10s"]);
      await session.text("delete", "wd", "one");
      expect(["widget.example.com/one condition met\n", ""]).toContain(await waiting); // nothing, if it came too late
    });
  });

  describe("changing", () => {
    test("a schema that has changed is served and explained at once", async () => {
      const ops = [
        {
          op: "add",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size",
          value: { type: "integer", description: "How big it is." },
        },
      ];
      await session.text("patch", "crd", "widgets.example.com", "--type=json", "-p", JSON.stringify(ops));
      await eventually(
        () => kubectl.run(["explain", "widget.spec.size"]),
        ({ stdout }) => stdout.includes("How big it is."),
      );
      await session.text("patch", "wd", "two", "--type=merge", "-p", '{"spec":{"size":7}}');
      expect(await read("two", "{.spec.size}")).toBe("7");
    });

    test("replace --force makes the object anew", async () => {
      const uid = await read("two", "{.metadata.uid}");
      const input = await session.text("get", "wd", "two", "-o", "yaml");
      await kubectl.text(["replace", "--force", "-f", "-"], { input });
      expect(await read("two", "{.metadata.uid}")).not.toBe(uid);
    });

    test("delete of the definition takes the objects and the kind with it", async () => {
      await session.text("delete", "-f", CRD);
      const { code, stderr } = await kubectl.run(["get", "wd"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/the server (doesn't have a resource type "wd"|could not find the requested)/);
      expect(await session.text("api-resources", "--api-group=example.com", "--no-headers")).toBe("");
      await session.text("apply", "-f", CRD);
      await session.text("wait", "--for=condition=Established", "crd/widgets.example.com");
      await eventually(
        () => kubectl.run(["get", "widgets"]),
        ({ stderr: said }) => said === "No resources found in default namespace.\n",
      );
    });
  });
});
