/**
 * Forms: what a JSON value must look like, member by member, with nothing besides.
 *
 *     const form = record({ round_id: hex32 }, { leader: natural });
 *     type Named = Of<typeof form>;                            // { round_id: string; leader?: number }
 */

import { isHex } from "./bytes.js";
import type { Json } from "./canonical.js";

/** A value of another form: `path` is the member at fault. */
export class FormError extends Error {
  override name = "FormError";
  constructor(
    readonly path: string,
    readonly wanted: string,
  ) {
    super(`${path === "" ? "it" : path} is not ${wanted}`);
  }
}

/** Whether an object has a member of its own by this name; Object.hasOwn is younger than some engines. */
export function hasOwn(value: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}

export type Form<T> = (value: Json, path: string) => T;
export type Of<F> = F extends Form<infer T> ? T : never;

type Members = Record<string, Form<unknown>>;
type Read<Needed extends Members, May extends Members> = {
  [Name in keyof Needed]: Of<Needed[Name]>;
} & { [Name in keyof May]?: Of<May[Name]> };

export const text: Form<string> = (value, path) => {
  if (typeof value !== "string") {
    throw new FormError(path, "text");
  }
  return value;
};

export const integer: Form<number> = (value, path) => {
  if (typeof value !== "number") {
    throw new FormError(path, "an integer");
  }
  return value;
};

export const natural: Form<number> = (value, path) => {
  if (integer(value, path) < 0) {
    throw new FormError(path, "an integer from 0 to 2^53-1");
  }
  return value as number;
};

/** Text as long as the hex of 32 bytes; whether it is hex is the reader's to ask. */
export const hex32: Form<string> = (value, path) => {
  if (text(value, path).length !== 64) {
    throw new FormError(path, "as long as the hex of 32 bytes");
  }
  return value as string;
};

/** The lowercase hex of 32 bytes. */
export const hash: Form<string> = (value, path) => {
  if (!isHex(text(value, path))) {
    throw new FormError(path, "the lowercase hex of 32 bytes");
  }
  return value as string;
};

/** Whatever canonical JSON can hold. */
export const anything: Form<Json> = (value) => value;

export function oneOf<const Values extends readonly (string | number)[]>(...values: Values): Form<Values[number]> {
  return (value, path) => {
    if (!values.includes(value as Values[number])) {
      throw new FormError(path, `one of ${values.join(", ")}`);
    }
    return value as Values[number];
  };
}

export function list<T>(form: Form<T>): Form<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) {
      throw new FormError(path, "a list");
    }
    return value.map((item, at) => form(item, `${path}[${at}]`));
  };
}

export function pair<T>(form: Form<T>): Form<[T, T]> {
  const items = list(form);
  return (value, path) => {
    const [one, other, ...more] = items(value, path);
    if (one === undefined || other === undefined || more.length > 0) {
      throw new FormError(path, "a pair");
    }
    return [one, other];
  };
}

/** An object with all of `needed`, and of `may` what is there. */
export function record<Needed extends Members, May extends Members = Record<never, never>>(
  needed: Needed,
  may?: May,
): Form<Read<Needed, May>> {
  const forms = new Map(Object.entries({ ...needed, ...may }));
  return (value, path) => {
    if (typeof value !== "object" || Array.isArray(value) || value === null) {
      throw new FormError(path, "an object");
    }
    const inner = (name: string): string => (path === "" ? name : `${path}.${name}`);
    for (const name of Object.keys(needed)) {
      if (!hasOwn(value, name)) {
        throw new FormError(inner(name), "there");
      }
    }
    const read: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const form = forms.get(name);
      if (form === undefined) {
        throw new FormError(inner(name), "a member of this form");
      }
      read[name] = form(member, inner(name));
    }
    return read as Read<Needed, May>;
  };
}
