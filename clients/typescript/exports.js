/** Print what `referee-client/node` exports and which public members its classes have, as JSON; generated messages aside. */

import { join } from "node:path";
import ts from "typescript";

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
const here = import.meta.dirname;
const { config } = ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, here);
const entry = join(here, "src/node.ts");
const program = ts.createProgram([entry], options);
const checker = program.getTypeChecker();

/** The symbol behind an export's name. */
const meant = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** Whether a symbol is declared in a project's own source, which generated code and libraries are not. */
const isOwn = (symbol) =>
  (symbol.declarations ?? []).some((one) => /^(?!.*\/(gen|node_modules)\/)/.test(one.getSourceFile().fileName));

/** A class's public members, its own and inherited, static ones too; private ones are spelled with `#`. */
function membersOf(symbol) {
  if (!(symbol.flags & ts.SymbolFlags.Class)) {
    return [];
  }
  const types = [checker.getDeclaredTypeOfSymbol(symbol), checker.getTypeOfSymbol(symbol)];
  return types
    .flatMap((type) => checker.getPropertiesOfType(type))
    .filter((one) => one.name !== "prototype" && isOwn(one))
    .filter((one) => one.declarations.some((place) => !(ts.getCombinedModifierFlags(place) & HIDDEN)))
    .map((one) => one.name)
    .filter((name) => !/^(#|__)/.test(name));
}

const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
const found = exported.map((one) => [one.name, meant(one)]).filter(([, symbol]) => isOwn(symbol));
const isValue = (symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
const table = found.filter(([, symbol]) => isValue(symbol)).map(([name, symbol]) => [name, membersOf(symbol)]);
console.log(JSON.stringify(Object.fromEntries(table)));
