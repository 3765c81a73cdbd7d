// A kubectl session from start to end, against the built server: objects are created, read, changed and deleted. The tests
// run in order and build on each other.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Kubectl, rowsOf } from "../support/kubectl.ts";
import { describeWithKubectl, type KubectlSession } from "../support/kubectl-session.ts";

const manifest = (name: string) => join(import.meta.dirname, "manifests", name);
const LABEL = "k8s.ovn.org/egress-assignable";
const ADDRESS = "192.168.126.101";

describeWithKubectl("kubectl", (start) => {
  let session: KubectlSession;
  let kubectl: Kubectl;

  beforeAll(async () => {
    session = await start();
    kubectl = session.kubectl;
  });
  afterAll(() => session?.close());

  const row = (args: string, name: string) => session.row(name, ...args.split(" "));
  const read = (path: string) => session.text("get", "eip", "web", "-o", `jsonpath=${path}`);

  describe("tells what the server has", () => {
    test("api-resources lists kinds with their short names, versions and scope", async () => {
      const rows = rowsOf(await kubectl.text(["api-resources"]));
      const byName = new Map(rows.map((each) => [`${each["NAME"]}/${each["APIVERSION"]}`, each]));
      expect(byName.get("egressips/k8s.ovn.org/v1")).toMatchObject({
        SHORTNAMES: "eip",
        NAMESPACED: "false",
        KIND: "EgressIP",
      });
      expect(byName.get("nodes/v1")).toMatchObject({ SHORTNAMES: "no", NAMESPACED: "false", KIND: "Node" });
      expect(byName.get("egressfirewalls/k8s.ovn.org/v1")).toMatchObject({ NAMESPACED: "true" });
    });

    test("api-versions lists every group version", async () => {
      const versions = (await kubectl.text(["api-versions"])).trim().split("\n");
      expect(versions).toEqual([...versions].sort());
      expect(versions).toEqual(
        expect.arrayContaining(["apiextensions.k8s.io/v1", "events.k8s.io/v1", "k8s.ovn.org/v1", "v1"]),
      );
    });

    test("explain shows the fields of a custom resource, and recursively", async () => {
      const text = await kubectl.text(["explain", "egressip.spec", "--recursive"]);
      expect(text).toMatch(/GROUP:\s+k8s\.ovn\.org\nKIND:\s+EgressIP\nVERSION:\s+v1\n/);
      expect(text).toMatch(/FIELD: spec <Object>/);
      expect(text).toMatch(/egressIPs\s+<\[\]string> -required-/);
      expect(text).toMatch(/matchLabels\s+<map\[string\]string>/);
    });

    test("explain shows the fields of a built-in kind", async () => {
      expect(await kubectl.text(["explain", "node.status.conditions"])).toMatch(
        /FIELD: conditions <\[\]NodeCondition>/,
      );
    });
  });

  describe("makes objects", () => {
    test("create namespace", async () => {
      expect(await kubectl.text(["create", "ns", "team-web"])).toBe("namespace/team-web created\n");
      expect(await row("get ns", "team-web")).toMatchObject({ STATUS: "Active" });
      const again = await kubectl.run(["create", "ns", "team-web"]);
      expect(again.stderr).toBe('Error from server (AlreadyExists): namespaces "team-web" already exists\n');
    });

    test("apply creates two nodes and keeps the status they are sent with", async () => {
      const said = await kubectl.text(["apply", "-f", manifest("nodes.yaml")]);
      expect(said).toBe("node/node-a created\nnode/node-b created\n");
      expect(await row("get nodes", "node-a")).toMatchObject({ STATUS: "Ready", ROLES: "<none>" });
      expect(await row("get nodes", "node-b")).toMatchObject({ STATUS: "Ready" });
    });

    test("apply creates an EgressIP, and it gets its node", async () => {
      expect(await kubectl.text(["apply", "-f", manifest("egress-ip.yaml")])).toBe(
        "egressip.k8s.ovn.org/web created\n",
      );
      await kubectl.text([
        "wait",
        "eip/web",
        `--for=jsonpath={.status.items[0].egressIP}=${ADDRESS}`,
        "--timeout=10s",
      ]);
      expect(await row("get eip", "web")).toEqual({
        NAME: "web",
        EGRESSIPS: ADDRESS,
        "ASSIGNED NODE": "node-a",
        "ASSIGNED EGRESSIPS": ADDRESS,
      });
    });

    test("apply of the same manifest changes nothing", async () => {
      const said = await kubectl.text(["apply", "-f", manifest("nodes.yaml")]);
      expect(said).toBe("node/node-a unchanged\nnode/node-b unchanged\n");
    });

    test("the mark took the place of all annotations, so that apply has to leave its own once more", async () => {
      const apply = ["apply", "-f", manifest("egress-ip.yaml")];
      const { stdout, stderr } = await kubectl.run(apply);
      expect(stderr).toMatch(
        /^Warning: resource egressips\/web is missing the kubectl\.kubernetes\.io\/last-applied/,
      );
      expect(stdout).toBe("egressip.k8s.ovn.org/web configured\n");
      const before = await read("{.metadata.resourceVersion}");
      expect(await kubectl.text(apply)).toBe("egressip.k8s.ovn.org/web unchanged\n");
      expect(await read("{.metadata.resourceVersion}")).toBe(before);
      expect(await read("{.metadata.annotations.k8s\\.ovn\\.org/egressip-mark}")).toBe("50000");
    });

    test("apply --dry-run=server answers as if and keeps nothing", async () => {
      const input = JSON.stringify(egressIp("dry", "192.168.126.102"));
      const said = await kubectl.text(["apply", "--dry-run=server", "-f", "-"], { input });
      expect(said).toBe("egressip.k8s.ovn.org/dry created (server dry run)\n");
      const { stderr } = await kubectl.run(["get", "eip", "dry"]);
      expect(stderr).toBe('Error from server (NotFound): egressips.k8s.ovn.org "dry" not found\n');
    });

    test("apply --server-side records its own manager and refuses the field of another", async () => {
      const object = egressIp("server-side", "192.168.126.103");
      const input = JSON.stringify(object);
      const apply = ["apply", "--server-side", "-f", "-"];
      expect(await kubectl.text(apply, { input })).toBe(
        "egressip.k8s.ovn.org/server-side serverside-applied\n",
      );
      const other = await kubectl.run([...apply, "--field-manager=other"], {
        input: JSON.stringify(egressIp("server-side", "192.168.126.104")),
      });
      expect(other.stderr).toContain('conflict with "kubectl": .spec.egressIPs');
      expect(await kubectl.text(["delete", "eip", "server-side"])).toContain('"server-side" deleted');
    });
  });

  describe("shows objects", () => {
    test("get -o yaml and -o json are the same object", async () => {
      const json = JSON.parse(await kubectl.text(["get", "eip", "web", "-o", "json"]));
      expect(json).toMatchObject({
        apiVersion: "k8s.ovn.org/v1",
        kind: "EgressIP",
        metadata: { name: "web", annotations: { "k8s.ovn.org/egressip-mark": "50000" } },
        spec: { egressIPs: [ADDRESS] },
        status: { items: [{ egressIP: ADDRESS, node: "node-a" }] },
      });
      const yaml = await kubectl.text(["get", "eip", "web", "-o", "yaml"]);
      expect(yaml).toContain(`uid: ${json.metadata.uid}\n`);
      expect(yaml).toContain(`status:\n  items:\n  - egressIP: ${ADDRESS}\n    node: node-a\n`);
    });

    test("get -o wide has the same columns for a kind without wide ones", async () => {
      expect(await kubectl.text(["get", "eip", "-o", "wide"])).toBe(await kubectl.text(["get", "eip"]));
      expect(await row("get nodes -o wide", "node-a")).toMatchObject({ "INTERNAL-IP": "<none>" });
    });

    test("get takes label and field selectors", async () => {
      expect(await kubectl.text(["get", "nodes", "-l", LABEL, "-o", "name"])).toBe(
        "node/node-a\nnode/node-b\n",
      );
      const one = await kubectl.text(["get", "nodes", "--field-selector=metadata.name=node-b", "-o", "name"]);
      expect(one).toBe("node/node-b\n");
    });

    test("get --chunk-size pages through the list", async () => {
      expect(await kubectl.text(["get", "nodes", "--chunk-size=1", "-o", "name"])).toBe(
        "node/node-a\nnode/node-b\n",
      );
    });

    test("get egressfirewalls -A says that there are none", async () => {
      const { stdout, stderr, code } = await kubectl.run(["get", "egressfirewalls", "-A"]);
      expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: "No resources found\n", code: 0 });
    });

    test("describe shows spec and status", async () => {
      const text = await kubectl.text(["describe", "eip", "web"]);
      expect(text).toMatch(/^Name:\s+web\n/);
      expect(text).toMatch(/API Version:\s+k8s\.ovn\.org\/v1\nKind:\s+EgressIP\n/);
      expect(text).toMatch(/Status:\n\s+Items:\n\s+Egress IP:\s+192\.168\.126\.101\n\s+Node:\s+node-a\n/);
      expect(await kubectl.text(["describe", "node", "node-a"])).toMatch(/Ready\s+True/);
    });
  });

  describe("changes objects", () => {
    test("label and annotate", async () => {
      expect(await kubectl.text(["label", "eip", "web", "tier=front"])).toBe(
        "egressip.k8s.ovn.org/web labeled\n",
      );
      const annotated = await kubectl.text(["annotate", "eip", "web", "note=hello"]); // 1.27 says "annotate"
      expect(annotated).toMatch(/^egressip\.k8s\.ovn\.org\/web annotated?\n$/);
      const taken = await kubectl.run(["label", "eip", "web", "tier=back"]);
      expect(taken.stderr).toContain("'tier' already has a value (front), and --overwrite is false");
      expect(await read("{.metadata.labels.tier} {.metadata.annotations.note}")).toBe("front hello");
    });

    test("patch --type=merge and --type=json", async () => {
      const generation = Number(await read("{.metadata.generation}"));
      const selector = { spec: { podSelector: { matchLabels: { app: "web" } } } };
      await kubectl.text(["patch", "eip", "web", "--type=merge", "-p", JSON.stringify(selector)]);
      expect(await read("{.spec.podSelector.matchLabels.app} {.metadata.generation}")).toBe(
        `web ${generation + 1}`,
      );
      const remove = [{ op: "remove", path: "/spec/podSelector" }];
      await kubectl.text(["patch", "eip", "web", "--type=json", "-p", JSON.stringify(remove)]);
      expect(await read("{.spec.podSelector} {.metadata.generation}")).toBe(` ${generation + 2}`);
    });

    test("patch of a built-in kind is a strategic merge", async () => {
      const condition = { type: "DiskPressure", status: "False" };
      const patch = JSON.stringify({ status: { conditions: [condition] } });
      await kubectl.text(["patch", "node", "node-a", "--subresource=status", "-p", patch]);
      const types = ["get", "node", "node-a", "-o", "jsonpath={.status.conditions[*].type}"];
      expect((await kubectl.text(types)).split(" ").sort()).toEqual(["DiskPressure", "Ready"]);
    });

    test("edit saves what the editor leaves", async () => {
      const EDITOR = join(session.folder, "editor.sh");
      await writeFile(EDITOR, "#!/bin/sh\nsed -i 's/tier: front/tier: edited/' \"$1\"\n", { mode: 0o755 });
      expect(await kubectl.text(["edit", "eip", "web"], { env: { EDITOR } })).toBe(
        "egressip.k8s.ovn.org/web edited\n",
      );
      expect(await read("{.metadata.labels.tier}")).toBe("edited");
    });

    test("diff shows what apply would change, and exits 1", async () => {
      const input = JSON.stringify({
        ...egressIp("web", ADDRESS),
        spec: { egressIPs: [ADDRESS, "192.168.126.105"], namespaceSelector: {} },
      });
      const { code, stdout } = await kubectl.run(["diff", "-f", "-"], { input });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^\+ {2}- 192\.168\.126\.105$/m);
      expect(stdout).not.toMatch(/^[-+] {2}resourceVersion/m);
    });

    test("replace takes the whole object, and refuses an old resourceVersion", async () => {
      const old = await kubectl.text(["get", "eip", "web", "-o", "json"]);
      const changed = JSON.parse(old);
      changed.metadata.labels.tier = "replaced";
      const input = JSON.stringify(changed);
      expect(await kubectl.text(["replace", "-f", "-"], { input })).toBe(
        "egressip.k8s.ovn.org/web replaced\n",
      );
      expect(await read("{.metadata.labels.tier}")).toBe("replaced");
      const { stderr, code } = await kubectl.run(["replace", "-f", "-"], { input: old });
      expect(code).toBe(1);
      expect(stderr).toContain(
        "the object has been modified; please apply your changes to the latest version",
      );
    });

    test("get -w prints a line for each change", async () => {
      const watch = kubectl.start(["get", "eip", "web", "-w", "--output-watch-events"]);
      let seen = "";
      watch.stdout?.on("data", (chunk) => (seen += chunk));
      const lines = () => seen.trim().split("\n");
      try {
        await eventually(lines, ({ length }) => length >= 2);
        await kubectl.text(["label", "eip", "web", "watched=yes"]);
        await kubectl.text(["label", "eip", "web", "watched-"]);
        await eventually(lines, ({ length }) => length >= 4);
      } finally {
        watch.kill();
      }
      expect(rowsOf(seen).map((each) => each["EVENT"])).toEqual(["ADDED", "MODIFIED", "MODIFIED"]);
      expect(rowsOf(seen)[2]).toMatchObject({ NAME: "web", EGRESSIPS: ADDRESS, "ASSIGNED NODE": "node-a" });
    });
  });

  describe("says what is wrong", () => {
    test("an invalid object is refused with all its causes", async () => {
      const { code, stderr } = await kubectl.run(["apply", "-f", manifest("wrong-egress-firewall.yaml")]);
      expect(code).toBe(1);
      expect(stderr).toContain('The EgressFirewall "default" is invalid: \n');
      expect(stderr).toContain(
        "* spec.egress[0].type: Invalid value: \"Refuse\": spec.egress[0].type in body should match '^Allow|Deny$'\n",
      );
      expect(stderr).toContain("* spec.egress[1].to: Too many: 2: must have at most 1 item\n");
    });

    test("an unknown field is refused, or warned about when asked for", async () => {
      const object = { ...egressIp("unknown-field", "192.168.126.106"), colour: "blue" };
      const input = JSON.stringify(object);
      const strict = await kubectl.run(["apply", "-f", "-"], { input });
      expect(strict.code).toBe(1);
      expect(strict.stderr).toContain('strict decoding error: unknown field "colour"');
      const warned = await kubectl.run(["apply", "--validate=warn", "-f", "-"], { input });
      expect(warned).toEqual({
        code: 0,
        stdout: "egressip.k8s.ovn.org/unknown-field created\n",
        stderr: 'Warning: unknown field "colour"\n',
      });
      await kubectl.text(["delete", "eip", "unknown-field"]);
    });

    test("get events tells of an address that no node can have", async () => {
      const input = JSON.stringify(egressIp("nowhere", "10.99.0.1"));
      await kubectl.text(["apply", "-f", "-"], { input });
      const rows = await eventually(
        async () => rowsOf(await kubectl.text(["get", "events"])),
        (events) => events.some((event) => event["OBJECT"] === "egressip/nowhere"),
      );
      expect(rows.find((event) => event["OBJECT"] === "egressip/nowhere")).toMatchObject({ TYPE: "Warning" });
      await kubectl.text(["delete", "eip", "nowhere"]);
    });

    test("what is not there is named", async () => {
      const { stderr } = await kubectl.run(["get", "colours"]);
      expect(stderr).toBe('error: the server doesn\'t have a resource type "colours"\n');
    });
  });

  describe("deletes objects", () => {
    test("delete takes a name and waits until the object is gone", async () => {
      expect(await kubectl.text(["delete", "eip", "web"])).toBe('egressip.k8s.ovn.org "web" deleted\n');
      const again = await kubectl.run(["delete", "eip", "web"]);
      expect(again.stderr).toBe('Error from server (NotFound): egressips.k8s.ovn.org "web" not found\n');
    });

    test("delete --all and delete -f", async () => {
      await kubectl.text(["create", "configmap", "one", "-n", "team-web"]);
      await kubectl.text(["create", "configmap", "two", "-n", "team-web", "--from-literal=key=value"]);
      const said = await kubectl.text(["delete", "configmaps", "--all", "-n", "team-web"]);
      expect(said).toBe('configmap "one" deleted\nconfigmap "two" deleted\n');
      const nodes = await kubectl.text(["delete", "-f", manifest("nodes.yaml")]);
      expect(nodes).toBe('node "node-a" deleted\nnode "node-b" deleted\n');
    });
  });
});

function egressIp(name: string, address: string) {
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { name },
    spec: { egressIPs: [address], namespaceSelector: { matchLabels: { team: "web" } } },
  };
}
