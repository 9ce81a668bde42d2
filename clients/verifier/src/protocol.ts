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
export { Course, CourseError, type CourseReceipt, firstMove, type Link, nextMove } from "./course.js";
export { type Deal, deriveDeal, StreamUsedUpError } from "./deal.js";
export { EnvelopeError, openEnvelope, parseEnvelope } from "./dsse.js";
export { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
export { taggedHash, u32, u64, u8 } from "./encoding.js";
export { readReceiptedEvent, type ReceiptedEvent, writeReceiptedEvent } from "./exhibit.js";
export { FormError } from "./form.js";
export { checkHeader, gameOf, type Header, HeaderError, NO_KEY, roundIdOf } from "./header.js";
export { KeyHistory } from "./keys.js";
export { type Kind, member, RECEIPT_TYPE, type Role, seatOf, type Transcript } from "./leaf.js";
export { leafHash, ProofError, verifyConsistency, verifyInclusion } from "./merkle.js";
export { NoteError, parseNote } from "./note.js";
export { type Sections, sectionsOf } from "./opening.js";
export { LeafFaultError, type Placed, readLeaf, signatureFault } from "./reading.js";
export { type HeldRuleset, heldRuleset, type LastWinner, type Law, type RoundLeaves } from "./round-leaves.js";
export { examine } from "./round.js";
export { NO_LEAF } from "./slot.js";
export { winnerOf } from "./table.js";
export { parseKey, sameKey, type VerifierKey } from "./vkey.js";
