/** A seat of Tiến Lên in a picture of its round: the dealt hand, in which the cards that were played are dim. */

import type { Pictured } from "../games";
import { capital } from "../words/say";
import { byTienLen } from "./order";
import { say } from "./words";

export const picture: Pictured["picture"] = ({ cards = [], hand = cards, left }) => {
  const dealt = byTienLen(hand);
  if (left === undefined) {
    return { groups: [{ cards: dealt, name: "" }] };
  }
  const name = left.length === 0 ? say("outOfCards") : say("cardsLeft", { count: left.length });
  const dim = dealt.filter((card) => !left.includes(card));
  return { groups: [{ cards: dealt, name: capital(name) }], dim };
};
