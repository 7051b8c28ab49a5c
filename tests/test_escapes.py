# ruff: noqa: RUF001 - other scripts than Latin are what this is about
"""Which characters of a page stand in answers as they are, and which as escapes."""

import json

import pytest

from bidi_server.escapes import indented, one_line, quote, visible

ESCAPED = {
    "line ends": ("a\r\nb\nc\u2028d\u2029e\u0085f\x0bg\x0ch", r"a\r\nb\nc\u2028d\u2029e\u0085f\u000bg\fh"),
    "terminal sequences": ("\x1b[2J\x07\x9b1m\x7f", r"\u001b[2J\u0007\u009b1m\u007f"),
    "directions": ("\u202egnp.exe\u202c \u2066x\u2069 a\u200eb", r"\u202egnp.exe\u202c \u2066x\u2069 a\u200eb"),
    "zero width": ("pay\u200bpal \u2060\ufeff\u180e", r"pay\u200bpal \u2060\ufeff\u180e"),
    "joiners in Latin words": ("a\u200cb\u200dc", r"a\u200cb\u200dc"),
    "runs after a letter that takes one": ("می\u200c\u200c\u200dخ", "می\u200c\\u200c\\u200dخ"),
    "tags": ("\U000e0001\U000e0061", r"\udb40\udc01\udb40\udc61"),
    "text in a flag": (
        "\U0001f3f4\U000e0068\U000e0069\U000e007f",
        "\U0001f3f4" + r"\udb40\udc68\udb40\udc69\udb40\udc7f",
    ),
    "bytes in variation selectors": ("😀\U000e0101\U000e0102", "😀" + r"\udb40\udd01\udb40\udd02"),
    "selectors in a row": ("😀\ufe0f\ufe0e\ufe0d", "😀\ufe0f" + r"\ufe0e\ufe0d"),
    "fillers": ("\u3164\uffa0\u115f", r"\u3164\uffa0\u115f"),
    "a lone surrogate": ("\ud83d", r"\ud83d"),
    "noncharacters": ("\ufffe\ufff9", r"\ufffe\ufff9"),
}

ORDINARY = {
    "Latin": "Größe: 5 µm – “quoted” · naïve\u00a0café ½ →",
    "icons of a font": "\uf015\ue900",
    "soft hyphens": "Donau\u00addampf\u00adschiff",
    "Persian": "می\u200cخواهم",
    "Hindi and Malayalam": "क्\u200dष ന്\u200d",
    "Hebrew and Arabic": "שלום\u200f! \u200fالعربية",
    "a date of Intl in Arabic": "٢٣\u200f/١١\u200f/٢٠٢٦",
    "Thai": "ภาษา\u200bไทย",
    "emoji": "👩\u200d👩\u200d👧 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e 🧑\u200d⚕\ufe0f",
    "flags": "🇩🇪 \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "ideographs": "葛\U000e0100城 ㊙\ufe0f 東京",
    "Korean": "한국어",
    "Mongolian": "ᠭᠠᠷ\u180eᠠ",
}


@pytest.mark.parametrize(("text", "shown"), ESCAPED.values(), ids=ESCAPED)
def test_what_ends_lines_steers_or_hides_is_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert one_line(one_line(text)) == shown


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize("text", [*(text for text, _ in ESCAPED.values()), *ORDINARY.values()])
def test_escaped_json_keeps_its_value(text: str) -> None:
    assert json.loads(one_line(json.dumps({text: [text]}, ensure_ascii=False))) == {text: [text]}
    assert json.loads(quote(text)) == text


def test_text_of_many_lines() -> None:
    assert visible("a\n\tb\r\x1b") == "a\n\tb\\r\\u001b"
    assert indented("a\r\nb\rPage: c\u2028d") == "  a\n  b\n  Page: c\\u2028d"
