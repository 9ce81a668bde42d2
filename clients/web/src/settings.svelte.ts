/** What the person at this browser prefers. Kept in the browser where it lets us, and nowhere else. */

export type Language = "vi" | "en";
export type Felt = "green" | "blue" | "night";

interface Choices {
  language: Language;
  felt: Felt;
  fourColours: boolean;
  textMode: boolean;
  stillness: boolean;
  sound: boolean;
  /** From 0 to 1. */
  volume: number;
  /** Whether to notify of turns in the background. */
  notifies: "UNASKED" | "YES" | "NO";
  name: string;
  avatar: string;
  /** The ruleset played last; empty before the first. */
  played: string;
  /** Games whose first round was guided. */
  guided: string[];
}

const PLACE = "referee.settings";

const prefersStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

function initial(): Choices {
  const asked = new URLSearchParams(location.search).get("lang");
  const own: Language = navigator.language.startsWith("vi") ? "vi" : "en";
  const first: Choices = {
    language: own,
    felt: "green",
    fourColours: false,
    textMode: false,
    stillness: prefersStillness(),
    sound: true,
    volume: 1,
    notifies: "UNASKED",
    name: "",
    avatar: "",
    played: "",
    guided: [],
  };
  const kept = recall();
  const language = asked === "vi" || asked === "en" ? asked : (kept.language ?? own);
  return { ...first, ...kept, language };
}

function recall(): Partial<Choices> {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Choices>;
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
    root.dataset["felt"] = settings.felt;
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
