"""Translate key names that agents use into Playwright's."""

import re
from collections.abc import Sequence
from unicodedata import normalize

_MODIFIERS = {
    "ctrl": "Control",
    "control": "Control",
    "ctl": "Control",
    "alt": "Alt",
    "option": "Alt",
    "altgr": "AltGraph",
    "shift": "Shift",
    "meta": "Meta",
    "super": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "controlormeta": "Control",
}
_NAMED = {
    "enter": "Enter",
    "return": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "tab": "Tab",
    "space": " ",
    "spacebar": " ",
    "backspace": "Backspace",
    "back_space": "Backspace",
    "del": "Delete",
    "delete": "Delete",
    "insert": "Insert",
    "ins": "Insert",
    "home": "Home",
    "end": "End",
    "pageup": "PageUp",
    "page_up": "PageUp",
    "pgup": "PageUp",
    "prior": "PageUp",
    "pagedown": "PageDown",
    "page_down": "PageDown",
    "pgdn": "PageDown",
    "pgdown": "PageDown",
    "next": "PageDown",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "caps_lock": "CapsLock",
    "capslock": "CapsLock",
    "menu": "ContextMenu",
    "contextmenu": "ContextMenu",
}
# As X names the keys of characters, which xdotool and its users write.
_CHARACTERS = {
    "plus": "+",
    "minus": "-",
    "equal": "=",
    "underscore": "_",
    "comma": ",",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotedbl": '"',
    "grave": "`",
    "asciitilde": "~",
    "exclam": "!",
    "at": "@",
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "asciicircum": "^",
    "ampersand": "&",
    "asterisk": "*",
    "parenleft": "(",
    "parenright": ")",
    "bracketleft": "[",
    "bracketright": "]",
    "braceleft": "{",
    "braceright": "}",
    "less": "<",
    "greater": ">",
    "question": "?",
    "bar": "|",
}
_SIDE = re.compile(r"(?:_l|_r|left|right)$")
_FUNCTION = re.compile(r"f(?:[1-9]|1[0-2])")


def key_of(name: str) -> str | None:
    """Return the key that a name means, as Playwright calls it; None for none.

    >>> key_of("Return"), key_of("Shift_L"), key_of("KP_0"), key_of("plus"), key_of("hyper")
    ('Enter', 'Shift', '0', '+', None)
    """
    name = normalize("NFC", name)
    if len(name) == 1:
        return name if name.isprintable() else None
    plain = name.strip().lower().replace("-", "_")
    plain = plain.removeprefix("kp_").removeprefix("arrow").strip("_") or plain
    if len(plain) == 1:
        return plain
    if _FUNCTION.fullmatch(plain):
        return plain.upper()
    bare = _SIDE.sub("", plain)
    return (
        _MODIFIERS.get(plain)
        or _NAMED.get(plain)
        or _NAMED.get(plain.replace("_", ""))
        or _CHARACTERS.get(plain)
        or _MODIFIERS.get(bare)
    )


def combinations(text: str) -> Sequence[Sequence[str]]:
    """Return the key combinations that a text names, in order, as they were written.

    `+` joins keys, and so does a hyphen after a modifier. Between spaces stand combinations of
    their own, unless what comes before is only modifiers: `ctrl c` is one.

    >>> combinations("ctrl+a"), combinations("ctrl c"), combinations("ctrl-c")
    ([['ctrl', 'a']], [['ctrl', 'c']], [['ctrl', 'c']])
    >>> combinations("Tab Tab"), combinations("page-down")
    ([['Tab'], ['Tab']], [['page-down']])
    """
    if text == " ":
        return [[" "]]
    found: list[list[str]] = []
    held: list[str] = []
    for word in text.split():
        held += _joined(word)
        if not all(part.lower() in _MODIFIERS for part in held):
            found.append(held)
            held = []
    return [*found, held] if held else found


def _joined(word: str) -> list[str]:
    if word == "+":
        return ["+"]
    if word.endswith("++"):
        return [*_joined(word[:-2]), "+"]
    head, hyphen, rest = word.partition("-")
    if hyphen and rest and head.lower() in _MODIFIERS:
        return [head, *_joined(rest)]
    return [part for part in word.split("+") if part]
