/**
 * What calls the player: a turn in the title, by sound and by shaking; chips that move and a win that is felt, once for
 * each round that ends while the page looks on.
 */

import { untrack } from "svelte";

import type { Last, View } from "../connection/messages";
import { gameOf } from "../games";
import { HOUSE, pairsOf } from "../table/pairs";
import { say } from "../words/say";
import { confetti, flyChips } from "./flying";
import { askToNotify, notifyTurn, withdrawNotification } from "./notifying.svelte";
import { shake, sound } from "./sound";

/** Whether the round waits for this person. */
export function isAwaited({ phase, round }: View): boolean {
  if (phase !== "PLAYING" || round === null || round.you === null) {
    return false;
  }
  return gameOf(round)?.isAwaited(round, round.you) ?? false;
}

const plateOf = (last: Last, seat: number): Element | null => {
  const person = last.seats?.[seat]?.person;
  return seat === HOUSE || person === undefined
    ? document.querySelector(".result header")
    : document.querySelector(`[data-id="${CSS.escape(person)}"]`);
};

function celebrate(last: Last, stake: number, you: string): void {
  flyChips(
    pairsOf(last).map(({ payer, payee, minor }) => ({
      from: plateOf(last, payer),
      to: plateOf(last, payee),
      stakes: minor / stake,
    })),
  );
  const mine = last.seats?.find(({ person }) => person === you)?.net_minor ?? 0;
  if (mine > 0) {
    confetti();
    sound("win");
  } else if (mine < 0) {
    sound("lose");
  }
}

/** Calls the player from now on; chips move once the end of a round has been shown. To be called once, while a component is made. */
export function alertPlayer(present: () => View, isEnding: () => boolean): void {
  const title = document.title;
  let seen = present().last?.round_id ?? "";

  const awaited = $derived(isAwaited(present()));
  const turn = $derived(awaited ? `${present().round?.round_id}.${turnOf(present())}` : "");
  $effect(() => {
    if (turn !== "") {
      return untrack(callToTurn);
    }
  });
  $effect(() => {
    document.title = awaited ? `● ${say("yourTurn")} – ${title}` : title;
    return () => (document.title = title);
  });
  $effect(() => {
    const { last, phase, stake_minor, you } = present();
    if (last !== null && phase === "LOBBY" && last.round_id !== seen && !isEnding()) {
      seen = last.round_id;
      requestAnimationFrame(() => celebrate(last, stake_minor, you));
    }
  });
}

/** Calls to a turn that begins; returns what its end does. */
function callToTurn(): () => void {
  const look = (): void => void (document.hidden || withdrawNotification());
  sound("turn");
  shake(60);
  void notifyTurn();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    void withdrawNotification();
    if (document.hidden) {
      askToNotify(); // it ended unseen: nobody played it here
    }
  };
}

const turnOf = ({ round }: View): string => (round === null ? undefined : gameOf(round)?.turnOf(round)) ?? "";
