/** The library: a round from a bundle, a whole log, and what they are made of. */

export { AsOfError } from "./as-of.js";
export { type Bundle, BundleError, parseBundle } from "./bundle.js";
export { SpellingError } from "./bytes.js";
export { type Check, type CheckCode, CHECKS, type Outcome } from "./check.js";
export { CODES, type Code, type Difference, type Finding, type Severity } from "./finding.js";
export type { Exhibits, HeldRuleset, HeldSeed, LogPromise } from "./round-leaves.js";
export type { DealingLevel, EventLevel } from "./level.js";
export { type LogSource, pagesOf, verifyLog } from "./log.js";
export { LogServiceError, namedKeys, sourceOf } from "./log-service.js";
export { heldRuleset } from "./ruleset.js";
export type { Keys, LogOptions, LogResult, Options, ProofResult, RoundResult, SourceFault, Tally } from "./terms.js";
export { logLines, roundLines } from "./text.js";
export { type FetchFile, filesAt, TilesError, tileSource } from "./tiles.js";
export { type ProofTerms, verifyProof } from "./verify-proof.js";
export { verifyRound } from "./verify-round.js";
