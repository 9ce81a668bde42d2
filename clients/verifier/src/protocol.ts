/**
 * The protocol's own pieces, for a client that plays: hashes, commitments, envelopes, leaves, log proofs and the
 * examination of a round. They use the language alone, and no function that a host must bring.
 */

export {
  base64,
  type Bytes,
  concat,
  equal,
  hex,
  looseBase64,
  SpellingError,
  text,
  unbase64,
  unhex,
  utf8,
} from "./bytes.js";
export { CanonicalError, decode, encode, type Json } from "./canonical.js";
export { type Certificate, CertificateError, readCertificate } from "./certificate.js";
export { Report } from "./check.js";
export { type Checkpoint, CheckpointError, openCheckpoint } from "./checkpoint.js";
export {
  arrangementCommitment,
  clientCommitment,
  mix,
  seatTokenHash,
  seedStatement,
  serverCommitment,
} from "./commitment.js";
export { attest, type Quorum, quorumOf, vouchedTime } from "./cosignature.js";
export { firstMove, nextMove } from "./course.js";
export { type Deal, deriveDeal } from "./deal.js";
export { StreamUsedUpError } from "./deck.js";
export { EnvelopeError, openEnvelope, parseEnvelope } from "./dsse.js";
export { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
export { taggedHash, u32, u64, u8 } from "./encoding.js";
export { FormError } from "./form.js";
export { checkHeader, gameOf, type Header, HeaderError, NO_KEY, roundIdOf } from "./header.js";
export { KeyHistory, KeyRing } from "./keys.js";
export { type EventReceipt, type Kind, RECEIPT_TYPE, type Role, type Transcript } from "./leaf.js";
export { leafHash, ProofError, verifyConsistency, verifyInclusion } from "./merkle.js";
export { NoteError, parseNote } from "./note.js";
export { type Sections, sectionsOf } from "./opening.js";
export { LeafFaultError, type Placed, readLeaf, signatureFault } from "./reading.js";
export { readReceiptedEvent, type ReceiptedEvent, writeReceiptedEvent } from "./receipted.js";
export { examine } from "./round.js";
export type { HeldRuleset, LastWinner, Law, RoundLeaves } from "./round-leaves.js";
export { heldRuleset } from "./ruleset.js";
export { NO_LEAF } from "./slot.js";
export { winnerOf } from "./table.js";
export { parseKey, sameKey, type VerifierKey } from "./vkey.js";
