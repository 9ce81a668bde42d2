/**
 * Text by others as it is shown: leaves, ids, notes and names are written by somebody else, and a terminal obeys escape
 * sequences and letters such as U+202E in them. Whatever is outside printable ASCII is escaped.
 */

/** The text with every character outside printable ASCII escaped, line breaks too. */
export function printable(text: string): string {
  return text.replace(/[^ -~]/g, escaped);
}

/** The same, but line breaks stay. */
export function printableLines(text: string): string {
  return text.replace(/[^\n -~]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
