/** What a seat signs when it turns its cards up. */

import type { Round } from "referee-web/connection/messages";
import { makeMove } from "referee-web/connection/signing";

export const show = (present: () => Round): Promise<unknown> =>
  makeMove("show", present, {}, { kind: "SHOW" });
