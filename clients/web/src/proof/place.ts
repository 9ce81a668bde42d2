/** Where a round is verified: an address of this page that names its table and number, for anyone. */

export interface Place {
  readonly table: string;
  readonly number: number;
}

export function addressOf({ table, number }: Place): string {
  const address = new URL(location.origin + location.pathname);
  address.searchParams.set("table", table);
  address.searchParams.set("round", String(number));
  return address.href;
}

/** The round that the page's address names; empty where it is to be asked for; null on every other page. */
export function placeAsked(): Partial<Place> | null {
  const asked = new URLSearchParams(location.search);
  if (!asked.has("round")) {
    return null;
  }
  const number = Number(asked.get("round"));
  const table = asked.get("table") ?? "";
  return table !== "" && Number.isSafeInteger(number) && number > 0 ? { table, number } : {};
}

export const bundleOf = ({ table, number }: Place): string => `api/bundles/${encodeURIComponent(table)}/${number}`;
