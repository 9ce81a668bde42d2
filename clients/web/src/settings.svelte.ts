/** What the person at this browser prefers. Kept in the browser where it lets us, and nowhere else. */

export type Language = "vi" | "en";

const PLACE = "referee.settings";

const firstLanguage = (): Language => (navigator.language.startsWith("vi") ? "vi" : "en");

function initial() {
  const asked = new URLSearchParams(location.search).get("lang");
  const first = {
    language: firstLanguage(),
    fourColours: false,
    stillness: matchMedia("(prefers-reduced-motion: reduce)").matches,
    sound: true,
    /** From 0 to 1. */
    volume: 1,
    name: "",
    /** Rooms that this browser was in, the newest first: its way back to them. */
    rooms: [] as string[],
  };
  const found = { ...first, ...recall() };
  return asked === "vi" || asked === "en" ? { ...found, language: asked as Language } : found;
}

function recall(): object {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "{}") as object;
  } catch {
    return {};
  }
}

export const settings = $state(initial());

/** Keeps the settings from now on, and shows them to the style sheet. Called once, inside an effect root. */
export function keepSettings(): void {
  $effect(() => {
    const root = document.documentElement;
    root.lang = settings.language;
    root.dataset["deck"] = settings.fourColours ? "four" : "two";
    root.dataset["motion"] = settings.stillness ? "still" : "full";
    try {
      localStorage.setItem(PLACE, JSON.stringify(settings));
    } catch {
      // A browser that keeps nothing asks again next time.
    }
  });
}

/** Milliseconds for a movement: none where stillness is preferred. */
export const paced = (ms: number): number => (settings.stillness ? 0 : ms);
