/**
 * The schema of the messages between page and table server, from the page's types: npm run schema writes it beside the
 * protocol. With --check it only says whether the file is what the types give.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const here = dirname(fileURLToPath(import.meta.url));
const TYPES = join(here, "src/connection/messages.ts");
const FILE = join(here, "../table/messages.schema.json");
/** What is described: every message that a page is sent, and the results of commands. */
const ROOTS = ["Message", "Results"];

const read = ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, here);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const definitions = {};

const { Undefined, Null, String: Text, Number: Amount, Boolean: Truth, Unknown } = ts.TypeFlags;

/** The JSON Schema of a type; a named interface is a definition, and a reference to it. */
function schemaOf(type) {
  const { flags } = type;
  if (flags & Unknown) return {};
  if (flags & Null) return { type: "null" };
  if (flags & Text) return { type: "string" };
  if (flags & Amount) return { type: "number" };
  if (flags & Truth) return { type: "boolean" };
  if (type.isStringLiteral()) return { const: type.value };
  if (type.isUnion()) return union(type.types);
  if (checker.isArrayType(type)) return { type: "array", items: schemaOf(checker.getTypeArguments(type)[0]) };
  const name = type.aliasSymbol === undefined && type.isClassOrInterface() ? type.symbol.name : null;
  if (name === null) return object(type);
  if (!(name in definitions)) {
    definitions[name] = {}; // a type that has itself as a member
    definitions[name] = object(type);
  }
  return { $ref: `#/$defs/${name}` };
}

function union(types) {
  const present = types.filter(({ flags }) => !(flags & Undefined));
  const truths = present.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral);
  const others = present.filter(({ flags }) => !(flags & ts.TypeFlags.BooleanLiteral));
  if (others.length > 1 && others.every((one) => one.isStringLiteral())) {
    return { enum: others.map(({ value }) => value).sort() };
  }
  const options = others.map(schemaOf);
  if (truths.length === 2) options.push({ type: "boolean" });
  return options.length === 1 ? options[0] : { anyOf: options };
}

function object(type) {
  const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  if (index !== undefined) return { type: "object", additionalProperties: schemaOf(index) };
  const members = checker.getPropertiesOfType(type).sort((a, b) => (a.name < b.name ? -1 : 1));
  const properties = Object.fromEntries(
    members.map((member) => [member.name, schemaOf(checker.getTypeOfSymbol(member))]),
  );
  const required = members.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional));
  return { type: "object", properties, required: required.map(({ name }) => name) };
}

const source = program.getSourceFile(TYPES);
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
for (const root of ROOTS) {
  const type = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === root));
  const schema = type.isUnion() ? union(type.types) : object(type);
  definitions[root] = schema;
}
const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "What a table server sends to a page; see PROTOCOL.md",
  $ref: "#/$defs/Message",
  $defs: sorted,
};
const text = `${JSON.stringify(schema, null, 1)}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, "utf8") !== text) {
  console.error("clients/table/messages.schema.json is not what the types give: npm run schema");
  process.exitCode = 1;
}
