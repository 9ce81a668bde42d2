/** What a seat signs of its decision. */

import type { Choice } from "../connection/signing";

export const decideChoice = (decision: string): Choice => ({ kind: "DECIDE", decision });
