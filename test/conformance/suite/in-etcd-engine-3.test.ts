import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("engine", { part: 3, of: 3 }, "etcd");
