import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("kinds", { part: 2, of: 2 });
