/** What the page's modules ask of a browser when they are loaded: loaded before each test file. */

const kept = new Map<string, string>();

const browser = {
  localStorage: {
    getItem: (name: string): string | null => kept.get(name) ?? null,
    setItem: (name: string, value: string): void => void kept.set(name, value),
    removeItem: (name: string): void => void kept.delete(name),
    clear: (): void => kept.clear(),
  },
  location: new URL("http://127.0.0.1/?lang=en"),
  matchMedia: (): { matches: boolean } => ({ matches: true }),
  navigator: { language: "vi-VN" },
};

for (const [name, value] of Object.entries(browser)) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
