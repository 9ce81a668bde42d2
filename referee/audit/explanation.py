"""What each finding means, and what whoever reads it can do: the words for the codes.

The law: every code has words, and no code has others' words. Words may change at any time; codes may not.

>>> explain(Code.ROOT_MISMATCH).meaning
'The leaves are not those that the log signed: one was edited, moved, added or taken away where they are kept.'
"""

from typing import Final, NamedTuple

from referee.audit.finding import Code


class Explanation(NamedTuple):
    """The words for a code: what it means, and what to do."""

    meaning: str
    remedy: str


def explain(code: Code) -> Explanation:
    """The words for a code."""
    return _WORDS[code]


_KEEP: Final = "Keep the log's leaves and its checkpoint: they prove it to anybody. "
_OPERATOR: Final = _KEEP + "Ask the operator to answer for the round, and do not play there until that is done."
_REFEREE: Final = _KEEP + "Ask whoever runs the referee which code signed it; the settlement should not be paid."
_STORE: Final = "Compare with another copy of the log; restore from a backup that matches the signed checkpoint."
_SEATS: Final = "Nothing is broken. For a higher level each seat draws its own 32 random bytes anew for every round."
_HOLDER: Final = "Ask whoever handed it over where it came from; it proves nothing, or proves foul play of its signer."

_CHANCE: Final = (
    "Fewer than one sound log in a thousand million shows this. Stop playing there, keep the log, and ask the operator "
    "to explain it."
)

_WORDS: Final[dict[Code, Explanation]] = {
    Code.CHECKPOINT_REFUSED: Explanation(
        "The signed head of the log is of another log, by another key, or no checkpoint at all.",
        "Check the origin and the log's key that you audit with; then ask the operator for the checkpoint again.",
    ),
    Code.WRONG_ORIGIN: Explanation("A round was opened for another log.", _OPERATOR),
    Code.LOG_KEY_UNREGISTERED: Explanation(
        "The root key named other keys for the log than the one that signs its checkpoints.",
        "Compare the log's key with the one published elsewhere; believe neither until they agree.",
    ),
    Code.ROOT_MISMATCH: Explanation(
        "The leaves are not those that the log signed: one was edited, moved, added or taken away where they are kept.",
        _STORE,
    ),
    Code.LOG_TRUNCATED: Explanation("Leaves that the log once signed for are missing at its end.", _STORE),
    Code.HISTORY_REWRITTEN: Explanation(
        "The log signed two histories: an older checkpoint is of leaves that are no longer there.",
        "Publish both signed checkpoints: together they convict the log. Trust neither history.",
    ),
    Code.SPLIT_VIEW: Explanation(
        "The log signed two trees of one size: it shows different people different histories.",
        "Publish both signed checkpoints: together they convict the log. Trust neither history.",
    ),
    Code.TILE_MISMATCH: Explanation(
        "A published tile is not what the published leaves give: one of both was edited, damaged or lost where they "
        "are served. Where the root fails as well, it is the leaves.",
        "Keep what was served. Fetch the log from another place, or have the operator publish it anew.",
    ),
    Code.COSIGNATURE_REFUSED: Explanation(
        "Something stands under a witness's name that the witness did not sign, or not for this log, or not yet.",
        "Ask the witness itself what it has seen of the log, and whoever handed the checkpoint over where it is from.",
    ),
    Code.QUORUM_UNMET: Explanation(
        "Too few of the witnesses that you believe have seen this log: it may show you a history that it shows nobody "
        "else.",
        "Ask for a checkpoint with the cosignatures that are missing, and find out since when those witnesses are "
        "silent.",
    ),
    Code.WITNESS_DOUBLED: Explanation(
        "Two witnesses are one: a key stands under two names, or is the log's own.",
        "Leave one of them out, and ask whoever named them both; a quorum that needs two of them was never one.",
    ),
    Code.HEAD_FROZEN: Explanation(
        "The log does not move: witnesses vouched for it too long ago, or it has not grown beyond what was seen "
        "before. You may be shown an old state while others see a new one.",
        "Ask the witnesses for the newest checkpoint that they have seen, and compare; fetch the log from elsewhere.",
    ),
    Code.LEAF_TOO_LONG: Explanation("A leaf is longer than leaves may be.", _OPERATOR),
    Code.NOT_CANONICAL: Explanation("A leaf is written in another than its one form, so it has two hashes.", _OPERATOR),
    Code.TYPE_CONFUSION: Explanation("A leaf is signed as something that it is not.", _OPERATOR),
    Code.SIGNATURE_MALFORMED: Explanation("A signature is in a form that Ed25519 does not allow.", _OPERATOR),
    Code.SIGNATURE_FORGED: Explanation("A leaf is not signed by whoever must sign it.", _OPERATOR),
    Code.WRONG_ROLE: Explanation("A leaf is signed by a key that has another task.", _OPERATOR),
    Code.KEY_NOT_VALID: Explanation(
        "A key was used that was revoked before, or revoked without ever having been added.", _OPERATOR
    ),
    Code.KEY_REUSED: Explanation("One key was given two tasks, or added twice.", _OPERATOR),
    Code.UNSOUND_KEY: Explanation(
        "A key is no sound point of the curve: others than its owner could sign with it.", _OPERATOR
    ),
    Code.DEAL_BEFORE_OPEN: Explanation("Cards were dealt before terms and commitment stood in the log.", _OPERATOR),
    Code.OPENED_TWICE: Explanation("One round of a table was opened twice.", _OPERATOR),
    Code.DEALT_TWICE: Explanation("One round was dealt again, or dealt after it had ended.", _OPERATOR),
    Code.NEXT_ROUND_EARLY: Explanation("A round was opened while the one before it had not ended.", _OPERATOR),
    Code.WRONG_PREVIOUS_LEAF: Explanation(
        "A round does not follow the table's round before it: one is missing, or another history was meant.", _OPERATOR
    ),
    Code.SETTLED_UNDEALT: Explanation("A round was settled that was not dealt, or not opened.", _REFEREE),
    Code.ENDED_TWICE: Explanation("A round that had ended was settled, aborted or revealed once more.", _OPERATOR),
    Code.LEAF_OF_NO_ROUND: Explanation("A leaf belongs to no round that waits for it.", _OPERATOR),
    Code.ABORT_MISTOLD: Explanation(
        "An abort says what the log contradicts: its stage, deadline or culprit.", _OPERATOR
    ),
    Code.REVEALED_EARLY: Explanation(
        "The seed was shown before the round had ended, so its cards could be known while it was played.", _OPERATOR
    ),
    Code.NEVER_REVEALED: Explanation(
        "A round has ended, its deadline has passed, and its seed was never shown; nobody can check its deck.",
        "Ask the operator to reveal it. One that lost its sealing key cannot, which looks the same as hiding a deck.",
    ),
    Code.DEADLINE_PASSED: Explanation(
        "A round's deadline has passed, and it was neither dealt or settled nor aborted.",
        "Ask the operator to abort and reveal it; see whether the operator's sweep runs.",
    ),
    Code.DEALT_LATE: Explanation("Cards were dealt after the deadline for dealing.", _OPERATOR),
    Code.SETTLED_LATE: Explanation("A round was settled after its deadline.", _REFEREE),
    Code.HEADER_REFUSED: Explanation("A round was opened under terms that the protocol does not allow.", _OPERATOR),
    Code.ROUND_ID_MISMATCH: Explanation("A round's terms were edited: they do not hash to its id.", _OPERATOR),
    Code.WRONG_RULESET: Explanation(
        "A round names rules that are not at hand, or calls them by another name.",
        "If the operator has rules of its own, audit with the folder of their files; otherwise treat it as foul play.",
    ),
    Code.CLIENT_SEED_MISMATCH: Explanation(
        "A seat's seed in the deal is not the one that the seat committed to, or is missing.", _OPERATOR
    ),
    Code.FOREIGN_COMMITMENT: Explanation("A seat's commitment was given for another round.", _OPERATOR),
    Code.CLIENT_SEED_TRIVIAL: Explanation("A seat's seed can be guessed.", _SEATS),
    Code.CLIENT_SEEDS_EQUAL: Explanation("Two seats gave the same seed, so one hand gave both.", _SEATS),
    Code.CLIENT_SEED_REPEATED: Explanation("A seat's seed had been used before, so it was known.", _SEATS),
    Code.CLIENT_SEED_UNSIGNED: Explanation(
        "A seat has a key and did not sign its seed, so anybody may have chosen it.", _SEATS
    ),
    Code.SEED_SIGNATURE_FORGED: Explanation(
        "A seat's signature of its seed does not hold under the seat's key: the seed is not that seat's.", _OPERATOR
    ),
    Code.SEAL_BROKEN: Explanation(
        "On a sealed table something was accepted that lets hands be seen, or chosen by, before every seat was bound.",
        _OPERATOR,
    ),
    Code.MIX_MISMATCH: Explanation("The mix is not over this round's commitment and seeds.", _OPERATOR),
    Code.LEADER_MISMATCH: Explanation(
        "Another seat led than the deal drew, or than won the table's last round.", _OPERATOR
    ),
    Code.COMMITMENT_SWAPPED: Explanation("The commitment in OPEN is not the one the round was dealt under.", _OPERATOR),
    Code.SERVER_SEED_MISMATCH: Explanation(
        "The seed that was shown is not the one that was committed to before the deal.", _OPERATOR
    ),
    Code.SERVER_SEED_REPEATED: Explanation(
        "A server seed was used again, when everybody could know it already.",
        _OPERATOR + " A machine restored from a snapshot can repeat seeds by accident; it must not go on dealing.",
    ),
    Code.CARDS_MISMATCH: Explanation("The cards told are not the cards that were dealt.", _REFEREE),
    Code.DECK_NOT_FROM_SEEDS: Explanation("The deck that was dealt is not the one that the seeds give.", _OPERATOR),
    Code.HIDDEN_CARDS_DIFFER: Explanation(
        "Cards that nobody opened are not those that the seeds give: one may stand there twice.", _OPERATOR
    ),
    Code.DUPLICATE_CARD: Explanation("A card stands in two places.", _OPERATOR),
    Code.DECK_ROOT_MISMATCH: Explanation("The deck that was committed to is another than the one in play.", _OPERATOR),
    Code.DEAL_MISTOLD: Explanation("The settlement tells another deal than the log has.", _REFEREE),
    Code.SECTION_WRONG_SIZE: Explanation(
        "A hand, or another section of the deck, has a wrong number of cards.", _OPERATOR
    ),
    Code.CERTIFICATE_REFUSED: Explanation(
        "A certificate proves nothing: forged, of another round, or broken.", _HOLDER
    ),
    Code.CERTIFICATES_DISAGREE: Explanation("The shuffler signed another deal than it put into the log.", _OPERATOR),
    Code.STAKE_MISMATCH: Explanation("The round was settled for other stakes than it was opened with.", _REFEREE),
    Code.HEADER_MISMATCH: Explanation("The round was settled under other terms than it was opened with.", _REFEREE),
    Code.SETTLED_OTHER_ROUND: Explanation("The transcript of one round stands as that of another.", _REFEREE),
    Code.CARD_NOT_IN_HAND: Explanation("A card was used that its seat did not hold, or had used already.", _REFEREE),
    Code.ILLEGAL_EVENT: Explanation("What was told breaks the rules, and was settled all the same.", _REFEREE),
    Code.WRONG_RESULT: Explanation("Another result follows from what was told than was settled.", _REFEREE),
    Code.EVENTS_ALTERED: Explanation(
        "An event is not the one that was attested in its place: edited, moved, dropped or doubled.", _REFEREE
    ),
    Code.RECEIPT_REFUSED: Explanation("An event receipt is not the referee's, or of no round of this log.", _HOLDER),
    Code.FORKED_RECEIPTS: Explanation(
        "The referee gave receipts for two continuations of one round; the earlier one counts.",
        "Keep both receipts: together they prove the fork. Ask the frontend, which sent both, for the reason.",
    ),
    Code.LOG_RECEIPT_REFUSED: Explanation(
        "A log receipt proves nothing: its proof does not lead from the leaf to the checkpoint, or nobody signed that.",
        _HOLDER,
    ),
    Code.PROMISED_LEAF_ABSENT: Explanation(
        "The log gave a receipt for a leaf that it no longer has: it promised one history and shows another.",
        "Publish the receipt with its leaf beside the log's checkpoint: together they convict the log.",
    ),
    Code.SECRET_EXPOSED: Explanation(
        "Something handed out holds a secret that it does not open: a seed or another section's key, so "
        "whoever held it could know cards that were not theirs to know.",
        _OPERATOR,
    ),
    Code.SECTION_KEY_WEAK: Explanation(
        "A section's key is no random one, or opens another section too, so hidden cards could be found by trying.",
        _OPERATOR,
    ),
    Code.STREET_OPENED_EARLY: Explanation(
        "A part of the board was opened before the play that opens it was over, so somebody could decide knowing it.",
        _REFEREE,
    ),
    Code.STREET_UNRECEIPTED: Explanation(
        "A certificate opens a part of the board, and no receipt at hand shows that it was time.",
        "Nothing is proved. Whoever asked for the certificate had such a receipt; ask for it.",
    ),
    Code.TABLES_THROWN_AWAY: Explanation(
        "Far too many tables were given up after one round that came to nothing: so decks can be chosen by throwing "
        "tables away.",
        _CHANCE,
    ),
    Code.ABORTED_BY_QUALITY: Explanation(
        "The rounds that were aborted after the deal had far better, or far worse, cards at one seat than chance "
        "deals: somebody who saw the cards chose which rounds count.",
        _CHANCE,
    ),
    Code.WITHHELD_BY_SEAT: Explanation(
        "One seat is to blame for far too many aborted rounds: a bad line, or somebody who stops rounds by not "
        "answering.",
        "Chance does not do this, a bad line may. Find out which before anybody is accused, and who blamed the seat.",
    ),
    Code.CARDS_BY_PLACE_UNEVEN: Explanation(
        "Cards do not fall on the places of the deck as evenly as a fair shuffle makes them.", _CHANCE
    ),
    Code.DECKS_CORRELATED: Explanation(
        "Decks resemble the one dealt before them, or an unshuffled one, more or less than independent shuffles do.",
        _CHANCE,
    ),
    Code.DECK_REPEATED: Explanation(
        "Two rounds were dealt the same cards in the same order, which no two shuffles ever are.", _CHANCE
    ),
    Code.WINS_BEYOND_CHANCE: Explanation(
        "A seat was dealt the better hand far more, or far less, often than an even chance allows, whatever was made "
        "of the cards.",
        _CHANCE,
    ),
    Code.WIN_RATE_UNUSUAL: Explanation(
        "A seat won far more often than seats that play equally well.",
        "Skill does this honestly, and so does knowing the others' cards. Look at how the seat played.",
    ),
    Code.UNLIKELY_BY_CHANCE: Explanation(
        "Chance does this in fewer than one sound log in a thousand, which is no proof.",
        "Audit again when more rounds have been played: what is foul grows, what is chance fades.",
    ),
}
