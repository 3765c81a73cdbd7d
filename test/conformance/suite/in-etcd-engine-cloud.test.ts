import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("engine-cloud", { part: 1, of: 1 }, "etcd");
