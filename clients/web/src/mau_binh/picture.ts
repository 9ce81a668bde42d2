/** A seat of Mậu Binh in a picture of its round. */

import type { Pictured } from "../games";
import { capital, pick } from "../words/say";
import { say } from "./words";

export const picture: Pictured["picture"] = ({ arrangement, cards = [], fouled, values }) => ({
  groups:
    arrangement === undefined
      ? [{ cards, name: "" }]
      : (["back", "middle", "front"] as const).map((chi, at) => ({
          cards: arrangement[chi],
          name: capital(pick(values?.[at]?.name)),
        })),
  mark: fouled === true ? say("fouled") : "",
});
