/** Where a seat lost, as the table server answers it. */

import type { HandValue, ReplayEvent } from "../connection/messages";

/** A choice of a seat, as an event of a replay has it, with the values of its groups of cards. */
export interface ReviewedMove extends Partial<ReplayEvent> {
  readonly values?: readonly HandValue[];
}

/** A choice beside the best one. */
export interface ReviewedChoice {
  readonly number: number;
  readonly own: ReviewedMove;
  readonly best: ReviewedMove;
  readonly cost_minor: number;
  readonly error_minor: number;
}

export interface Review {
  readonly is_ready: boolean;
  readonly valued?: number;
  readonly cost_minor?: number;
  readonly choices?: readonly ReviewedChoice[];
}
