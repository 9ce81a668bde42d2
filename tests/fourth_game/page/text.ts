/** Bài Cào in words: one command. */

import { lasting } from "referee-web/connection/lasting";
import type { View } from "referee-web/connection/messages";
import type { TextSide } from "referee-web/games";
import { pick } from "referee-web/words/say";

import { show } from "./choices";
import { WORDS } from "./words";

export function textSide(view: () => View): TextSide {
  const present = lasting(() => view().round);
  const act = async (): Promise<string> => {
    await show(present);
    return pick(WORDS.shown);
  };
  return {
    lines: [],
    warning: "",
    may: [],
    get help() {
      return pick(WORDS.typed);
    },
    commands: [{ phrases: ["show", "lat", "lat bai"], act }],
  };
}
