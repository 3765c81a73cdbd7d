import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { TransformKind } from "../../../../../src/apiserver/endpoints/request/negotiation.ts";
import { Query } from "../../../../../src/apiserver/endpoints/request/request-info.ts";
import { type ListMeta, otherForm } from "../../../../../src/apiserver/endpoints/response/other-form.ts";
import type {
  Column,
  ResourceDefinition,
  ResourceView,
} from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { builtIn, custom, version } from "../discovery/definitions.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");

interface Table {
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string }[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[];
}

interface Wish {
  readonly includeObject?: string;
  readonly version?: "v1" | "v1beta1";
  /** Left out: of one object by itself. */
  readonly listMeta?: ListMeta;
  readonly omitColumns?: boolean;
}

function formOf(view: ResourceView, kind: TransformKind, { includeObject = "", version = "v1" }: Wish = {}) {
  const query = new Query(`includeObject=${includeObject}`);
  const negotiated = { mediaType: "application/json", transform: { kind, version } } as const;
  const form = otherForm({ view, negotiated, request: { query }, clock: { now: () => NOW } });
  if (form === undefined) throw new Error("another form was asked for");
  return form;
}

function makeTable(view: ResourceView, objects: readonly KubeObject[], wish: Wish = {}): Table {
  const form = formOf(view, "Table", wish);
  const [only] = objects;
  if (objects.length === 1 && only && wish.listMeta === undefined)
    return form.single(only, wish.omitColumns) as Table;
  return form.list(objects.map(form.item), wish.listMeta ?? {}) as object as Table;
}

function viewOf(definition: ResourceDefinition): ResourceView {
  return { definition, version: definition.versions[0]! };
}

function withColumns(...columns: Column[]): ResourceView {
  return viewOf(custom("example.com", "things", "Thing", { versions: [version("v1", {}, { columns })] }));
}

function thing(spec: unknown, name = "a"): KubeObject {
  return {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name, resourceVersion: "42", creationTimestamp: "2026-06-01T11:00:00Z" },
    spec,
  };
}

function cellsOf(columns: Column[], spec: unknown): readonly unknown[] | undefined {
  return makeTable(withColumns(...columns), [thing(spec)]).rows[0]?.cells;
}

describe("custom columns", () => {
  const EMPTY = {};
  const RIGHT = { s: "x", i: 3, n: 1.5, b: true, d: "2026-06-01T11:59:55Z", l: ["p", "q"] };
  const SWAPPED = { s: 3, i: "x", n: true, b: "true", d: "no date", l: [] };
  const WHOLE = { s: { a: 1 }, i: 3.7, n: 4, b: null, d: 5, l: [{ z: [1, 2] }] };
  const LISTS = { s: ["a", "b"], i: [1], n: {}, b: [], l: "str" };
  const columns: Column[] = [
    { name: "S", type: "string", jsonPath: ".spec.s" },
    { name: "I", type: "integer", jsonPath: ".spec.i" },
    { name: "N", type: "number", jsonPath: ".spec.n" },
    { name: "B", type: "boolean", jsonPath: ".spec.b" },
    { name: "D", type: "date", jsonPath: ".spec.d" },
    { name: "First", type: "string", jsonPath: ".spec.l[0]" },
  ];
  test.each([
    { rule: "a missing value is null", spec: EMPTY, cells: [null, null, null, null, null, null] },
    { rule: "a value of its type is shown as it is", spec: RIGHT, cells: ["x", 3, 1.5, true, "5s", "p"] },
    {
      rule: "a value of another type is null",
      spec: SWAPPED,
      cells: ["3", null, null, null, "<invalid>", null],
    },
    {
      rule: "objects are shown as JSON, fractions are cut off",
      spec: WHOLE,
      cells: ['{"a":1}', 3, 4, null, null, '{"z":[1,2]}'],
    },
    { rule: "lists are shown as JSON", spec: LISTS, cells: ['["a","b"]', null, null, null, null, null] },
  ])("$rule", ({ spec, cells }) => {
    expect(cellsOf(columns, spec)).toEqual(["a", ...cells]);
  });

  test.each([
    { value: true, text: "true" },
    { value: null, text: "<no value>" },
    { value: 1.5, text: "1.5" },
    { value: 1e21, text: "1e+21" },
    { value: 1234567.5, text: "1.2345675e+06" },
    { value: 0.00001, text: "1e-05" },
    { value: 9007199254740993n, text: "9007199254740993" },
    { value: { b: "<&>", a: 1 }, text: '{"a":1,"b":"\\u003c\\u0026\\u003e"}' },
  ])("a text column shows $text", ({ value, text }) => {
    expect(cellsOf([{ name: "V", type: "string", jsonPath: ".spec.v" }], { v: value })).toEqual(["a", text]);
  });

  test("integers keep all their digits", () => {
    const spec = { v: 9007199254740993n };
    expect(cellsOf([{ name: "V", type: "integer", jsonPath: ".spec.v" }], spec)).toEqual(["a", spec.v]);
    expect(cellsOf([{ name: "V", type: "number", jsonPath: ".spec.v" }], spec)).toEqual(["a", 2 ** 53]);
  });

  test("a path that matches several values shows the first one only", () => {
    const column = { name: "V", type: "string", jsonPath: ".spec.items[*].node" };
    expect(cellsOf([column], { items: [{ node: "n1" }, { node: "n2" }] })).toEqual(["a", "n1"]);
    expect(cellsOf([column], { items: [] })).toEqual(["a", null]);
  });

  test("the name comes first; formats and priorities are filled in, and a path stands for a description", () => {
    const table = makeTable(
      withColumns(
        { name: "A", type: "string", jsonPath: ".spec.a" },
        {
          name: "B",
          type: "integer",
          format: "int32",
          priority: 1,
          description: "the B",
          jsonPath: ".spec.b",
        },
      ),
      [],
    );
    expect(table.columnDefinitions).toEqual([
      { name: "Name", type: "string", format: "name", description: expect.any(String), priority: 0 },
      { name: "A", type: "string", format: "", description: "The value at .spec.a.", priority: 0 },
      { name: "B", type: "integer", format: "int32", description: "the B", priority: 1 },
    ]);
    expect(table.rows).toEqual([]);
  });

  test("without columns of its own a custom resource shows its age", () => {
    const table = makeTable(withColumns(), [thing({})]);
    expect(table.columnDefinitions?.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Age", "date"],
    ]);
    expect(table.rows[0]?.cells).toEqual(["a", "60m"]);
  });

  test("a path that does not parse ends the columns", () => {
    const table = makeTable(
      withColumns(
        { name: "Good", type: "string", jsonPath: ".spec.a" },
        { name: "Bad", type: "string", jsonPath: ".spec.a[" },
        { name: "Later", type: "string", jsonPath: ".spec.a" },
      ),
      [thing({ a: "x" })],
    );
    expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(["Name", "Good"]);
    expect(table.rows[0]?.cells).toEqual(["a", "x"]);
  });
});

describe("built-in kinds", () => {
  const columns: Column[] = [
    { name: "Name", type: "string", format: "name", description: "the name" },
    { name: "Done", type: "string", description: "whether done", priority: 1 },
  ];
  const printed = viewOf({
    ...builtIn("", "jobs", "Job", "x", { versions: [version("v1", {}, { columns })] }),
    printRow: (object) => {
      const { name } = (object as KubeObject).metadata;
      return { cells: [name, "yes"], conditions: name === "done" ? [{ type: "Completed" }] : [] };
    },
  });

  test("the printer fills the cells; conditions are there only when there are any", () => {
    const table = makeTable(printed, [thing({}, "open"), thing({}, "done")], { includeObject: "None" });
    expect(table.columnDefinitions?.[1]).toEqual({
      name: "Done",
      type: "string",
      format: "",
      description: "whether done",
      priority: 1,
    });
    expect(table.rows).toEqual([
      { cells: ["open", "yes"], object: null },
      { cells: ["done", "yes"], conditions: [{ type: "Completed" }], object: null },
    ]);
  });

  test("a kind without a printer shows its name and when it was created", () => {
    const table = makeTable(viewOf(builtIn("", "plains", "Plain", "x")), [thing({})]);
    expect(table.columnDefinitions?.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Created At", "date"],
    ]);
    expect(table.rows[0]?.cells).toEqual(["a", "2026-06-01T11:00:00Z"]);
  });
});

describe("the table around the rows", () => {
  const view = withColumns();

  test("a single object gives the table its resourceVersion", () => {
    expect(makeTable(view, [thing({})]).metadata).toEqual({ resourceVersion: "42" });
  });

  test("a list gives the table its metadata", () => {
    const listMeta = { resourceVersion: "7", continue: "token", remainingItemCount: 3 };
    expect(makeTable(view, [thing({})], { listMeta }).metadata).toBe(listMeta);
  });

  test.each([
    ["None", null],
    [
      "Metadata",
      { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: thing({}).metadata },
    ],
    ["Object", thing({ a: 1 })],
  ] as const)("includeObject=%s", (includeObject, object) => {
    expect(makeTable(view, [thing({ a: 1 })], { includeObject }).rows[0]?.object).toEqual(object);
  });

  test("v1beta1 reaches into the rows", () => {
    const table = makeTable(view, [thing({})], { version: "v1beta1" });
    expect(table).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }],
    });
  });

  test("later events of a watch have null for columns", () => {
    expect(makeTable(view, [thing({})], { omitColumns: true }).columnDefinitions).toBeNull();
  });
});

describe("partial object metadata", () => {
  const view = withColumns();

  test("only the metadata is left", () => {
    expect(formOf(view, "PartialObjectMetadata").single(thing({}))).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: thing({}).metadata,
    });
  });

  test("a list without objects has null for items", () => {
    const list = formOf(view, "PartialObjectMetadataList").list([], { resourceVersion: "7" });
    expect(list).toMatchObject({ items: null });
  });

  test("a list keeps its metadata", () => {
    const form = formOf(view, "PartialObjectMetadataList", { version: "v1beta1" });
    expect(form.list([form.item(thing({}))], { resourceVersion: "7" })).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1beta1",
      metadata: { resourceVersion: "7" },
      items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1" }],
    });
  });
});
