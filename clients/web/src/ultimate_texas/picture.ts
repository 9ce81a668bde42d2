/** The house and a seat of Ultimate Texas Hold'em in a picture of their round. */

import type { Last } from "../connection/messages";
import type { CardGroup, Pictured } from "../games";
import { capital, pick } from "../words/say";
import { say } from "./words";

export const picture: Pictured["picture"] = ({ cards = [], hole = cards, value }) => ({
  groups: [{ cards: hole, name: capital(pick(value?.name)) }],
});

export const pictureHouse = ({ board = [], house, house_value }: Last): readonly CardGroup[] =>
  house === undefined
    ? []
    : [
        { cards: board, name: capital(say("board")) },
        { cards: house, name: capital(pick(house_value?.name)) },
      ];
