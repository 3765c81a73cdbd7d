import { holdWebhooks } from "../hold-webhooks.ts";

holdWebhooks({ part: 2, of: 4 });
