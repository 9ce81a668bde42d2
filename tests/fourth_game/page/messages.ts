/** What messages show of Bài Cào. */

import type { Card } from "referee-web/cards/card";

export interface BaiCao {
  /** By seat; null for a seat that has not turned its cards up. */
  readonly hands: readonly (readonly Card[] | null)[];
  readonly gone: readonly number[];
}

declare module "referee-web/connection/messages" {
  interface Round {
    readonly bai_cao?: BaiCao;
  }
  interface SeatResult {
    readonly against_dealer?: "DEALER" | "WON" | "LOST" | "TIED";
  }
}
