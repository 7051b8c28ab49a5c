r"""Visible escapes for characters with which a page could imitate the server, steer a terminal or hide text.

Every text of a page passes through `one_line` on its way into an answer; `quote` adds the quotes. Escapes have the form
of JSON strings (``\n``, ``\u202e``, a surrogate pair above U+FFFF), so that escaped JSON text keeps its value.

Some invisible characters belong to ordinary text: Persian and Hindi words, emoji of several people, Arabic dates. Such
a character stays where it is alone and beside the characters that need it. It is escaped in a run and everywhere else,
because an agent cannot see it and a page can encode any message in it.
"""

import json
import re
import unicodedata

_FLAGS = "\U000e0065\U000e006e\U000e0067", "\U000e0073\U000e0063\U000e0074", "\U000e0077\U000e006c\U000e0073"
"""The regions eng, sct and wls in tag characters: no other flag is recommended for general interchange.

https://unicode.org/reports/tr51/#flag-emoji-tag-sequences
"""

_CHARACTERS = (
    # Controls: C0, DEL, C1.
    "[\x00-\x1f\x7f-\x9f"
    # https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point, U+2028 and U+2029 among them.
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # Interlinear annotations, noncharacters, lone surrogates.
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)

_write = json.JSONEncoder(ensure_ascii=False).encode
"""Like `json.dumps` with these options, which makes an encoder for each text."""

_SUSPECT = re.compile(_CHARACTERS)

_FLAG_OR_SUSPECT = re.compile(f"\U0001f3f4\U000e0067\U000e0062(?:{'|'.join(_FLAGS)})\U000e007f|{_CHARACTERS}")

_JOINED_SCRIPTS = re.compile("[\u0590-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00011fff]")
"""Letters and marks of the scripts from Hebrew to Vedic, where joiners choose the shape of a letter."""

_UNSPACED_SCRIPTS = re.compile("[\u0e01-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aad\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Tibetan, Myanmar, Khmer, Tai scripts, kana and ideographs: U+200B marks the ends of words."""

_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

_HAS_VARIANTS = re.compile(
    "[#*0-9\u00a9\u00ae\u1000-\u109f\u2000-\u2bff\u3000-\u9fff\ua840-\ua87f\U0001f000-\U0001faff]"
)
"""Symbols, emoji, keycaps, ideographs and the scripts with standardized variants.

https://www.unicode.org/Public/UCD/latest/ucd/StandardizedVariants.txt
"""


def one_line(text: str) -> str:
    """Return text on one line, with visible escapes."""
    if (text.isascii() and text.isprintable()) or _SUSPECT.search(text) is None:
        return text
    return _FLAG_OR_SUSPECT.sub(_escaped, text)


def visible(text: str) -> str:
    r"""Return text with visible escapes for all such characters except ``\n`` and ``\t``."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text  # most answers, and large ones in a tenth of the time
    return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in text.split("\n"))


def quote(text: str) -> str:
    """Return text in double quotes on one line."""
    return one_line(_write(text))


def indented(text: str, indent: str = "  ") -> str:
    """Return a text of many lines as a block of an answer, whose own lines are not indented."""
    return "\n".join(f"{indent}{visible(line)}" for line in re.split("\r\n|\r|\n", text))


def _escaped(found: re.Match[str]) -> str:
    characters, start, end = found[0], found.start(), found.end()
    before, after = found.string[max(start - 1, 0) : start], found.string[end : end + 1]
    if len(characters) > 1 or _is_ordinary(characters, before, after):
        return characters
    return json.dumps(characters)[1:-1]


def _is_ordinary(character: str, before: str, after: str) -> bool:
    """Whether an invisible character belongs to the text: alone, and beside a character that needs it."""
    match ord(character):
        case 0x200C | 0x034F:
            return _is_letter(_JOINED_SCRIPTS, before)
        case 0x200D:
            return _is_letter(_JOINED_SCRIPTS, before) or (_is_emoji(before) and _is_emoji(after))
        case 0x200B:
            return _is_letter(_UNSPACED_SCRIPTS, before) and _is_letter(_UNSPACED_SCRIPTS, after)
        case 0x00AD:  # the soft hyphen: where a long word may be broken
            return before.isalpha() and after.isalpha()
        case 0x200E | 0x200F | 0x061C:
            # The directional marks of dates and prices. Overrides, embeddings and isolates are never ordinary.
            return _is_right_to_left(before) or _is_right_to_left(after)
        case code if 0x180B <= code <= 0x180F:
            return "\u1820" <= before <= "\u18aa"
        case 0x115F | 0x1160:
            return "\u1100" <= before <= "\u11ff" or "\u1161" <= after <= "\u11ff"
        case code if 0xFE00 <= code <= 0xFE0F:
            return _HAS_VARIANTS.match(before) is not None and not _hides(before)
        case code if 0xE0100 <= code <= 0xE01EF:
            return _IDEOGRAPH.match(before) is not None
        case _:
            return False


def _is_letter(scripts: re.Pattern[str], character: str) -> bool:
    return scripts.match(character) is not None and unicodedata.category(character)[0] in "LM" and not _hides(character)


def _hides(character: str) -> bool:
    return _SUSPECT.match(character) is not None


def _is_emoji(character: str) -> bool:
    """Whether a character may stand beside a joiner in an emoji: a symbol, a skin tone, or the emoji selector."""
    return character == "\ufe0f" or (character > "\u2000" and unicodedata.category(character) in {"So", "Sm", "Sk"})


def _is_right_to_left(character: str) -> bool:
    return bool(character) and unicodedata.bidirectional(character) in {"R", "AL", "AN"} and not _hides(character)
