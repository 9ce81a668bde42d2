/**
 * Notifications of a turn that comes while the page is in the background: asked about once, after a turn was missed there.
 * Shown by the service worker, so only in secure contexts.
 */

import { settings } from "../settings.svelte";
import { say } from "../words/say";

const TAG = "turn";

export const notifying = $state({ isAsking: false });

/** Whether this browser can notify at all. */
export const canNotify = (): boolean => isSecureContext && "serviceWorker" in navigator && "Notification" in window;

/** Asks whether to notify, unless that was answered before or the browser forbids it. */
export function askToNotify(): void {
  if (canNotify() && settings.notifies === "UNASKED" && Notification.permission !== "denied") {
    notifying.isAsking = true;
  }
}

/** Keeps the answer; a yes asks the browser for its permission. */
export async function answerToNotify(wanted: boolean): Promise<void> {
  notifying.isAsking = false;
  const isAllowed = wanted && (await Notification.requestPermission()) === "granted";
  settings.notifies = isAllowed ? "YES" : "NO";
}

/** Notifies of a turn if the page is hidden. */
export async function notifyTurn(): Promise<void> {
  const isWanted = settings.notifies === "YES" && document.hidden && canNotify();
  if (isWanted && Notification.permission === "granted") {
    const worker = await navigator.serviceWorker.ready;
    await worker.showNotification(say("yourTurn"), { tag: TAG, icon: "./icon-192.png" });
  }
}

/** Takes the notification away: the turn is over, or was seen. */
export async function withdrawNotification(): Promise<void> {
  if (settings.notifies === "YES" && canNotify()) {
    const worker = await navigator.serviceWorker.ready;
    for (const shown of await worker.getNotifications({ tag: TAG })) {
      shown.close();
    }
  }
}
