import { holdTexts } from "../hold-texts.ts";

holdTexts();
