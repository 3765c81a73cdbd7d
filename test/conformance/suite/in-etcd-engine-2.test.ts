import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("engine", { part: 2, of: 3 }, "etcd");
