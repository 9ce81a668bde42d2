/** Advice about a sealed hand, which the referee itself is asked for. */

import { ask } from "../connection/gateway";

export interface ProtoAdvice {
  options?: { decision: string; valueMinor?: string }[];
}

/** What each decision of a sealed seat is worth. */
export const adviseSealed = (
  gateway: string,
  round: {
    header: unknown;
    certificates: readonly string[];
    events: readonly unknown[];
    receipt: string;
    signatures?: readonly string[];
  },
  seat: number,
): Promise<ProtoAdvice> => ask(gateway, "UltimateTexasService/Advise", { round, seat });
