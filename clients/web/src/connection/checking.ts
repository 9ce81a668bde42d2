/**
 * Messages of the table server beside their schema, ``messages.schema.json``, which is written from this page's types
 * (``npm run schema``). It knows as much of JSON Schema as that file uses. Unknown members and types of messages pass.
 */

import schema from "../../../table/messages.schema.json";

/** The first thing that is wrong: its path in the message, such as ``view.round.seats[2].name``, and the reason. */
export interface Fault {
  readonly where: string;
  readonly why: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

const DEFINITIONS = schema.$defs as unknown as Readonly<Record<string, Schema>>;
const MESSAGE = DEFINITIONS["Message"]?.anyOf ?? [];
const RESULTS = DEFINITIONS["Results"]?.properties ?? {};

const resolved = ({ $ref, ...rest }: Schema): Schema =>
  $ref === undefined ? rest : (DEFINITIONS[$ref.slice("#/$defs/".length)] ?? {});

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

function faultAt(value: unknown, unresolved: Schema, where: string): Fault | null {
  const { type, const: only, enum: allowed, anyOf, ...parts } = resolved(unresolved);
  const kind = kindOf(value);
  if (anyOf !== undefined) {
    return ofAny(value, anyOf, where);
  }
  if (type !== undefined && kind !== type) {
    return { where, why: `expected ${type}, found ${kind}` };
  }
  const codes = only === undefined ? allowed : [only];
  if (codes !== undefined && !codes.includes(value as string)) {
    return { where, why: `expected ${codes.join(" or ")}, found ${JSON.stringify(value)}` };
  }
  if (Array.isArray(value)) {
    const { items } = parts;
    return items === undefined
      ? null
      : firstOf(value.entries(), ([at, item]) => faultAt(item, items, `${where}[${at}]`));
  }
  return kind === "object" ? inMembers(value as Record<string, unknown>, parts, where) : null;
}

function inMembers(
  members: Readonly<Record<string, unknown>>,
  { properties = {}, required = [], additionalProperties }: Schema,
  where: string,
): Fault | null {
  const missing = required.find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) {
    return { where: `${where}.${missing}`, why: "missing" };
  }
  return firstOf(Object.entries(members), ([name, member]) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return part === undefined ? null : faultAt(member, part, `${where}.${name}`);
  });
}

/** Null if one schema holds; otherwise the fault of the schema that fits best. */
function ofAny(value: unknown, schemas: readonly Schema[], where: string): Fault | null {
  const faults = schemas.map((schema) => faultAt(value, schema, where));
  return firstOf(faults.includes(null) ? [] : faults.sort(byFit), (fault) => fault);
}

/** A schema fits better the deeper its fault lies, and better with a wrong member than without one. */
const fitOf = (fault: Fault | null): number =>
  (fault?.where.split(/[.[]/).length ?? 0) + (fault?.why === "missing" ? 0 : 0.5);
const byFit = (one: Fault | null, other: Fault | null): number => fitOf(other) - fitOf(one);

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => Fault | null): Fault | null {
  for (const item of items) {
    const fault = find(item);
    if (fault !== null) {
      return fault;
    }
  }
  return null;
}

/** What is wrong with a message; null for nothing, and for a message of a type that this page does not know. */
export function faultOfMessage(message: unknown): Fault | null {
  const type = (message as { type?: unknown } | null)?.type;
  if (typeof type !== "string") {
    return { where: "type", why: `expected string, found ${kindOf(type)}` };
  }
  const part = MESSAGE.find((one) => resolved(one).properties?.["type"]?.const === type);
  return part === undefined ? null : faultAt(message, part, type);
}

/** What is wrong with the result of a command; null for nothing, and for a command that the page does not know. */
export function faultOfResult(command: string, result: unknown): Fault | null {
  const part = Object.hasOwn(RESULTS, command) ? RESULTS[command] : undefined;
  return part === undefined ? null : faultAt(result, part, command);
}

/** What is wrong with the answer to a link of a finished round; null for nothing. */
export const faultOfShare = (share: unknown): Fault | null => faultAt(share, { $ref: "#/$defs/Share" }, "share");
