/** The library: a round from a bundle, a whole log, and what they are made of. */

export { SpellingError } from "./bytes.js";
export { type Check, type CheckCode, CHECKS, type Outcome } from "./check.js";
export { type Code, CODES, type Difference, type Finding, type Severity } from "./finding.js";
export type { DealingLevel, EventLevel } from "./level.js";
export { LogServiceError, type LogSource, namedKeys, pagesOf, sourceOf, verifyLog } from "./log.js";
export { type Exhibits, type HeldRuleset, heldRuleset, type HeldSeed, type LogPromise } from "./round-leaves.js";
export type { Keys, LogOptions, LogResult, Options, ProofResult, RoundResult, SourceFault, Tally } from "./terms.js";
export { logLines, roundLines } from "./text.js";
export { type FetchFile, filesAt, TilesError, tileSource } from "./tiles.js";
export { AsOfError } from "./timeline.js";
export { type ProofTerms, verifyProof } from "./verify-proof.js";
export { type Bundle, BundleError, parseBundle, verifyRound } from "./verify-round.js";
