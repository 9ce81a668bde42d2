/** What calls the player: a turn in the title, by sound and by shaking; and the sound of a round that was won or lost. */

import { untrack } from "svelte";

import type { View } from "../connection/messages";
import { gameOf } from "../games";
import { say } from "../words/say";
import { shake, sound } from "./sound";

/** Whether the round waits for this person. */
const isAwaited = ({ phase, round }: View): boolean =>
  phase === "PLAYING" && round?.you != null && gameOf(round)?.isAwaited(round, round.you) === true;

/** Calls the player from now on; a result sounds once the end of its round was shown. Called once, while a component is made. */
export function alertPlayer(present: () => View, isEnding: () => boolean): void {
  const title = document.title;
  let seen = present().last?.round_id ?? "";

  const awaited = $derived(isAwaited(present()));
  const turn = $derived.by(() => {
    const { round } = present();
    return awaited && round !== null ? `${round.round_id}.${gameOf(round)?.turnOf(round)}` : "";
  });
  $effect(() => {
    if (turn !== "") {
      untrack(() => {
        sound("turn");
        shake(60);
      });
    }
  });
  $effect(() => {
    document.title = awaited ? `● ${say("yourTurn")} – ${title}` : title;
    return () => (document.title = title);
  });
  $effect(() => {
    const { last, you } = present();
    if (last !== null && last.round_id !== seen && !isEnding()) {
      seen = last.round_id;
      const mine = last.seats?.find(({ person }) => person === you)?.net_minor ?? 0;
      untrack(() => mine !== 0 && sound(mine > 0 ? "win" : "lose"));
    }
  });
}
