/** Numbers that a caller gives: whole, in range, and in the unit of their field, or refused by that name. */

/** The earliest time that is taken, in September 2001; a smaller one is a time in seconds. */
const EARLIEST_TIME = 1e12;
const MINOR_UNITS = "minor units of the currency, such as cents";

/** Return an amount as the API has it; a RangeError names its field and unit. */
export function amount(field: string, value: number): bigint {
  return BigInt(whole(field, value, MINOR_UNITS));
}

/** Return a whole number from 0 to 2^53-1; a RangeError names its field and unit. */
export function whole(field: string, value: number, unit: string): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${field} is ${value}; give ${unit}, a whole number from 0 to 2^53-1`);
  }
  return value;
}

/** Return a time in ms since 1970 UTC as the API has it, 0 for none; a RangeError for a time in seconds. */
export function instant(field: string, value: number): bigint {
  const ms = whole(field, value, "milliseconds since 1970 UTC");
  if (ms > 0 && ms < EARLIEST_TIME) {
    const words = `give milliseconds since 1970 UTC, not seconds: ${ms * 1000}`;
    throw new RangeError(`${field} is ${ms}, long before 2001; ${words}`);
  }
  return BigInt(ms);
}
